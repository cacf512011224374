import type { CastEvent } from "../cast/state/event.ts";

/** What happened in the casts of items, by their ids. */
export type ItemEvents = ReadonlyMap<string, readonly CastEvent[]>;

/**
 * [T26] The events of a cast with those of its items, as if they had been walked one by one: each where it was merged or
 * conflicted, whoever was quicker. What was never merged comes where the cast stops.
 */
export function mergeItemEvents(events: readonly CastEvent[], items: ItemEvents): readonly CastEvent[] {
  if (items.size === 0) return events;
  const open = new Map<number, string>();
  const all: CastEvent[] = [];
  const bring = (index: number): void => {
    const own = items.get(open.get(index) ?? "") ?? [];
    open.delete(index);
    all.push(...itemSteps(own));
  };
  for (const event of events) {
    if (event.type === "item_started") open.set(event.index, event.child);
    const isGivenUp = event.type === "item_given_up" && open.has(event.index);
    if (isGivenUp || event.type === "item_merged" || event.type === "item_conflicted") bring(event.index);
    if (STOP_EVENTS.has(event.type)) for (const index of [...open.keys()].toSorted((a, b) => a - b)) bring(index);
    // The item's own cast has told it.
    if (!isGivenUp) all.push(event);
  }
  return all;
}

const STOP_EVENTS: ReadonlySet<CastEvent["type"]> = new Set(["loop_joined", "limit_reached", "turn_failed", "cast_ended"]);

/** Without what belongs to a cast and not to its item: that it began, and the way from its item to its end. */
function itemSteps(events: readonly CastEvent[]): readonly CastEvent[] {
  const end = events.findIndex(({ type }) => type === "loop_exhausted");
  return (end === -1 ? events : events.slice(0, end)).filter(({ type }) => !CAST_ONLY_EVENTS.has(type));
}

const CAST_ONLY_EVENTS: ReadonlySet<CastEvent["type"]> = new Set([
  "cast_started",
  "loop_entered",
  "cast_ended",
  "spent_elsewhere",
]);
