import type { CastEvent } from "../../../core/cast/event.ts";
import type { CastStart } from "../../../core/cast/state.ts";
import { openTeller } from "../../../core/view/tell/teller.ts";
import type { Line } from "../../../core/view/text/line.ts";
import type { Card } from "./card.ts";

export interface VisitCards {
  /** The cards that are finished with these events. */
  readonly follow: (events: readonly CastEvent[]) => readonly Card[];
}

const WIDTH = 100;

/** [X10] One card per visit that is over: its head and the way it took, and opened all that it handed over. */
export function openVisitCards(start: CastStart, before: readonly CastEvent[]): VisitCards {
  const teller = openTeller(start, WIDTH);
  for (const event of before) teller.tell(event);
  // What had begun before is told with the visit that ends it, not as a visit of its own.
  teller.rest();
  let told: Line[] = [];
  let route: Line[] = [];
  const close = (): readonly Card[] => {
    const card = told.length === 0 ? [] : [cardOf(told, route)];
    told = [];
    route = [];
    return card;
  };
  const followOne = (event: CastEvent): readonly Card[] => {
    const lines = teller.tell(event).filter((line) => line.length > 0);
    switch (event.type) {
      case "visit_started":
      case "loop_entered":
      case "cast_resumed":
        return close();
      case "visit_completed":
        told = [...lines];
        return [];
      case "cast_ended": {
        // A visit that the end has cut off is told together with the end, which has a card of its own.
        return close();
      }
      default:
        if (told.length > 0) route.push(...lines);
        return [];
    }
  };
  return { follow: (events) => events.flatMap(followOne) };
}

function cardOf(told: readonly Line[], route: readonly Line[]): Card {
  const [head = [], first] = told;
  return {
    lines: [head, ...(first ? [first] : []), ...route.slice(0, 1)],
    opened: [...told, ...route],
  };
}
