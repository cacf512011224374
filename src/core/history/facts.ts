import type { CastEvent } from "../cast/state/event.ts";
import type { Graph } from "../compile/graph.ts";
import { parseMillis } from "../model/text.ts";

/** One completed visit, as far as figures go. */
export interface VisitFact {
  readonly socket: string;
  readonly materia: string;
  /** Asked for by name; nothing where Pi's own choice was taken, or nobody was asked. */
  readonly model: string;
  readonly item: string | null;
  readonly ms: number;
  readonly tokens: number;
  readonly cost: number;
  readonly turns: number;
  readonly rejected: number;
  readonly satisfied: boolean | undefined;
  /** How long a list it made. */
  readonly list: number | undefined;
  /** Whether it was done because somebody had said no, and who. */
  readonly because: string | undefined;
}

/** What a cast gives to know about its materia. */
export interface CastFacts {
  readonly visits: readonly VisitFact[];
  readonly itemsDone: number;
  readonly outcome: string;
}

const DEFAULT_MODEL = "Pi's choice";

/** Whom a materia asks: what was named for the whole cast, else its own; nothing where nobody is asked. */
export function requestedModel({ materia }: Graph, name: string, named: string | null): string {
  const own = materia[name];
  return own?.type === "agent" ? (named ?? own.model ?? DEFAULT_MODEL) : "";
}

/** [T22] Visit by visit, in order. What a fork shares was done elsewhere and does not count twice. */
export function castFacts(
  { graph, model }: { readonly graph: Graph; readonly model: string | null },
  events: readonly CastEvent[],
): CastFacts {
  const visits: VisitFact[] = [];
  const shared = countInheritedEvents(events);
  let open: { at: number; item: string | null; turns: number; rejected: number } | undefined;
  let said: Pick<VisitFact, "satisfied" | "list"> = { satisfied: undefined, list: undefined };
  let because: string | undefined;
  let [itemsDone, outcome] = [0, "interrupted"];
  events.forEach((event, index) => {
    if (event.type === "visit_started")
      open = { at: parseMillis(event.at, 0), item: event.item?.key ?? null, turns: 0, rejected: 0 };
    if (event.type === "handoff_rejected" && open)
      open = { ...open, rejected: open.rejected + 1, turns: open.turns + 1 };
    if (event.type === "turn_answered" && open) open = { ...open, turns: open.turns + 1 };
    if (event.type === "handoff_accepted" || event.type === "output_accepted") {
      const handoff = event.type === "handoff_accepted" ? event.handoff : {};
      const { satisfied, workItems } = handoff;
      said = {
        satisfied: typeof satisfied === "boolean" ? satisfied : undefined,
        list: Array.isArray(workItems) ? workItems.length : undefined,
      };
      if (open && !event.approved) open = { ...open, turns: open.turns + 1 };
    }
    if (event.type === "visit_completed" && open) {
      const materia = graph.sockets[event.socket]?.materia ?? "";
      const own = graph.materia[materia];
      const isAgent = own?.type === "agent";
      const fact: VisitFact = {
        socket: event.socket,
        materia,
        model: requestedModel(graph, materia, model),
        item: open.item,
        ms: Math.max(0, parseMillis(event.at, open.at) - open.at),
        tokens: event.usage.input + event.usage.output,
        cost: event.usage.cost,
        turns: isAgent ? open.turns : 0,
        rejected: open.rejected,
        ...said,
        because,
      };
      if (index >= shared) visits.push(fact);
      open = undefined;
    }
    if (event.type === "edge_taken")
      because = event.when === "not_satisfied" ? graph.sockets[event.from]?.materia : undefined;
    if (event.type === "cast_ended") [itemsDone, outcome] = [event.totals.itemsDone, event.outcome];
  });
  return { visits, itemsDone, outcome };
}

/** How many events of a fork happened in another cast. */
function countInheritedEvents([first, ...rest]: readonly CastEvent[]): number {
  if (first?.type !== "cast_started" || !first.forkedFrom) return 0;
  const { visit } = first.forkedFrom;
  const own = rest.findIndex((event) => event.type === "visit_started" && `${event.socket}#${event.visit}` === visit);
  return own === -1 ? rest.length + 1 : own + 1;
}
