import { parentCastId, type CastId } from "../../model/ids.ts";
import type { CastEvent } from "./event.ts";
import { totalTokens, type Totals, type Usage } from "./usage.ts";

/** Whether some event says what the cast had come to by then. */
export function hasTotals(events: readonly CastEvent[]): boolean {
  return events.some((event) => "totals" in event);
}

/**
 * [C36] What a cast has come to, from its last events alone: what the last of them that says so says, and what those
 * behind it added. It must be what `apply` makes of all events, or a listing tells other figures than the cast itself.
 */
export function totalsFromLastEvents(castId: CastId, events: readonly CastEvent[]): Totals {
  const from = events.findLastIndex((event) => "totals" in event);
  const said = events[from];
  const known = said && "totals" in said ? said.totals : undefined;
  let totals: Totals = known ?? { visits: 0, itemsDone: 0, items: 0, tokens: 0, cost: 0 };
  let gaveUp = false;
  for (const event of events.slice(from + 1)) {
    totals = withUsage(totals, uncountedUsage(event));
    // The cast of one item walks one item, however long the list is.
    if (event.type === "loop_entered")
      totals = { ...totals, items: totals.items + (parentCastId(castId) === undefined ? event.size : 1) };
    if (event.type === "item_given_up") totals = { ...totals, itemsGivenUp: (totals.itemsGivenUp ?? 0) + 1 };
    if (event.type === "cursor_advanced") totals = { ...totals, itemsDone: totals.itemsDone + (gaveUp ? 0 : 1) };
    gaveUp = event.type === "item_given_up";
  }
  return totals;
}

/** What a turn used that no total has counted yet; what a person approved was counted as the turn that said it. */
function uncountedUsage(event: CastEvent): Usage | undefined {
  switch (event.type) {
    case "handoff_accepted":
    case "output_accepted":
      return event.approved ? undefined : event.usage;
    case "turn_failed":
      return event.reason === "utility" || event.reason === "rehearsal" ? undefined : event.usage;
    case "handoff_rejected":
    case "turn_answered":
    case "turn_stopped":
    case "cast_resumed":
      return event.usage;
    default:
      return undefined;
  }
}

function withUsage(totals: Totals, usage: Usage | undefined): Totals {
  return usage ? { ...totals, tokens: totals.tokens + totalTokens(usage), cost: totals.cost + usage.cost } : totals;
}
