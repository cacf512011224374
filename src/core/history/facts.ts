import type { CastEvent } from "../cast/state/event.ts";
import { type Graph, materiaOf, socketOf } from "../compile/graph.ts";
import { parseMillis } from "../model/text.ts";
import { totalTokens } from "../cast/state/usage.ts";
import { foldVisits, visitKey, type VisitRecord, visitNumber } from "./visits.ts";
import { failWith, ok, type Result } from "../model/issue.ts";

export type VisitFact = Readonly<ReturnType<typeof visitFact>>;

export interface CastFacts {
  readonly visits: readonly VisitFact[];
  readonly itemsDone: number;
  readonly outcome: string;
}

/** Journals of earlier versions do not name the model that answered. */
const UNRECORDED_MODEL = "not recorded";

/** The model that a cast asks for: its own, else that of the materia; undefined where Pi chooses. Empty unless it is an agent. */
export function requestedModel({ materia }: Graph, name: string, named: string | null): string | undefined {
  const own = materia[name];
  return own?.type === "agent" ? (named ?? own.model) : "";
}

/** [T22, T40] The completed visits in order. A fork leaves out the visits that it shares with another cast. */
export function castFacts(
  { graph, model }: { readonly graph: Graph; readonly model: string | null },
  events: readonly CastEvent[],
): CastFacts {
  const visits = foldVisits(events);
  const end = events.findLast((event) => event.type === "cast_ended");
  return {
    visits: visits
      .slice(countSharedVisits(events, visits))
      .filter(({ isCompleted }) => isCompleted)
      .map((visit) => visitFact(graph, visit, model)),
    itemsDone: end?.totals.itemsDone ?? 0,
    outcome: end?.outcome ?? "interrupted",
  };
}

function visitFact(graph: Graph, visit: VisitRecord, model: string | null) {
  const { materia, item, usage, startedAt, endedAt, result, turns, repairs, toolRepairs, sentBackFrom } = visit;
  const socket: string = visit.socket;
  const { satisfied, workItems } = result?.kind === "handoff" ? result.handoff : {};
  const startMs = parseMillis(startedAt, 0);
  return {
    socket,
    materia,
    /** The model that answered; empty for a utility or a person. */
    model: visit.model ?? requestedModel(graph, materia, model) ?? UNRECORDED_MODEL,
    item: item?.key ?? null,
    ms: Math.max(0, parseMillis(endedAt, startMs) - startMs),
    tokens: totalTokens(usage),
    cost: usage.cost,
    turns: graph.materia[materia]?.type === "agent" ? turns : 0,
    rejected: repairs,
    /** [H25] Those of them that were calls of `hand_over`. */
    rejectedByTool: toolRepairs,
    satisfied: typeof satisfied === "boolean" ? satisfied : undefined,
    /** The length of the list that it handed on. */
    list: Array.isArray(workItems) ? workItems.length : undefined,
    /** The materia whose "not satisfied" sent the work back here. */
    because: sentBackFrom === null ? undefined : graph.sockets[sentBackFrom]?.materia,
  };
}

/** How many visits of a fork happened in another cast. */
function countSharedVisits([first]: readonly CastEvent[], visits: readonly VisitRecord[]): number {
  const fork = first?.type === "cast_started" ? first.forkedFrom : undefined;
  if (!fork) return 0;
  const own = visits.findIndex(({ socket, visit }) => visitKey(socket, visit) === fork.visit);
  return own === -1 ? visits.length : own;
}

interface VisitedCast {
  readonly events: readonly CastEvent[];
  readonly file: { readonly graph: Graph };
}

/** The visits of agents: only an agent leaves a conversation. */
export function agentVisits({ events, file: { graph } }: VisitedCast): readonly VisitRecord[] {
  return foldVisits(events).filter(({ socket }) => materiaOf(graph, socketOf(graph, socket)).type === "agent");
}

/** `Socket-4#2`, `Socket-4` for its last visit, or the number of its card; without a name the last visit. */
export function findVisit(visits: readonly VisitRecord[], name: string | undefined): Result<VisitRecord> {
  const [socket, number] = (name ?? "").split("#");
  const found = visits.findLast(
    (each) =>
      name === undefined ||
      name === String(visitNumber(each)) ||
      (each.socket === socket && (number === undefined || number === String(each.visit))),
  );
  if (found) return ok(found);
  if (name === undefined) return failWith("unknown_visit", "visit", "this cast has no visit of an agent yet");
  const keys = visits.slice(-MAX_SUGGESTIONS).map((each) => visitKey(each.socket, each.visit));
  const hint = keys.length === 0 ? undefined : `one of ${keys.join(", ")}`;
  return failWith("unknown_visit", name, `this cast has no visit "${name}"`, hint);
}

const MAX_SUGGESTIONS = 12;
