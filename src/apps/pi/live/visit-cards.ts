import type { CastEvent, EventOf } from "../../../core/cast/event.ts";
import type { CastStart } from "../../../core/cast/state.ts";
import { tokensOf } from "../../../core/cast/usage.ts";
import { socketOf } from "../../../core/compile/graph.ts";
import { visitText } from "../../../core/view/graph/words.ts";
import { amountText } from "../../../core/view/numbers.ts";
import { openTeller } from "../../../core/view/tell/teller.ts";
import { fitLine, line, lineColumns, toned } from "../../../core/view/text/line.ts";
import type { Line } from "../../../core/view/text/line.ts";
import type { Card } from "./card.ts";

export interface VisitCards {
  /** The cards that are finished with these events. */
  readonly follow: (events: readonly CastEvent[]) => readonly Card[];
}

const WIDTH = 100;

/** With these a new part of the story begins. */
const CLOSING: ReadonlySet<CastEvent["type"]> = new Set([
  "visit_started",
  "loop_entered",
  "cast_resumed",
  "cast_ended",
]);

/** [X10] One card per visit that is over: its head and the way it took, and opened all that it handed over. */
export function openVisitCards(start: CastStart, before: readonly CastEvent[]): VisitCards {
  const teller = openTeller(start, WIDTH);
  for (const event of before) teller.tell(event);
  /** What was told of a visit that an earlier run had begun: the teller closed it there. */
  let resumed: Line[] | undefined;
  let told: readonly Line[] = [];
  let route: Line[] = [];
  let way: Line = [];
  const close = (): readonly Card[] => {
    const cards = told.length === 0 ? [] : [cardOf(told, route, way)];
    [told, route, way] = [[], [], []];
    return cards;
  };
  const followOne = (event: CastEvent): readonly Card[] => {
    const lines = teller.tell(event).filter((each) => each.length > 0);
    if (CLOSING.has(event.type)) {
      resumed = event.type === "cast_resumed" ? [] : undefined;
      return close();
    }
    if (event.type === "visit_completed") {
      told = resumed ? [headOf(start, event), ...resumed] : lines;
      resumed = undefined;
    } else {
      if (event.type === "edge_taken" || event.type === "limit_reached") way = lines[0] ?? [];
      if (told.length > 0) route.push(...lines);
      else resumed?.push(...lines);
    }
    return [];
  };
  return { follow: (events) => events.flatMap(followOne) };
}

function headOf({ graph }: CastStart, { socket, usage }: EventOf<"visit_completed">): Line {
  const { materia } = socketOf(graph, socket);
  return line(
    INDENT,
    toned("strong", visitText(socket, materia)),
    toned("dim", `  ${amountText(tokensOf(usage))} tokens`),
  );
}

/** Closed, a card is two lines: a cast of fifty visits must not bury the conversation. */
function cardOf(told: readonly Line[], route: readonly Line[], way: Line): Card {
  const [head = [], first = []] = told;
  const taken = way.filter(({ text }) => text.trim() !== "");
  const said = first.filter(({ text }) => text.trim() !== "");
  const lines = said.length + taken.length === 0 ? [head] : [head, summaryOf(said, taken)];
  return { lines, opened: [...told, ...route] };
}

/** What was said gives way to where it went on. */
function summaryOf(said: Line, taken: Line): Line {
  const room = WIDTH - INDENT.length - GAP.length - lineColumns(taken);
  const gap = said.length > 0 && taken.length > 0 ? GAP : "";
  return line(INDENT, ...fitLine(said, Math.max(20, room)), gap, ...taken);
}

const GAP = "  ";
const INDENT = "    ";
