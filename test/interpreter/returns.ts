import { END, type Place } from "./texts.ts";
import { itemOf, placeOf, stopAt, type Cast, type Route, type Steps } from "./cast.ts";

/** [G9, G10] Visits of a socket for an item since something made progress: the first, and every return. */
export function* countReturn(cast: Cast, { from, to }: Route): Steps<void> {
  const key = `${to} ${itemOf(cast)}`;
  while ((cast.returns.get(key) ?? 0) > cast.world.limits.maxNoAdvanceCycles) yield* allowMore(cast, from, to);
  cast.returns.set(key, (cast.returns.get(key) ?? 0) + 1);
}

/** [G10] The sockets since the last visit of this one, inside a loop as long as it is about the same item. */
export function cycleClosedBy(cast: Cast, from: Place, to: string): readonly string[] {
  const since = staysIn(cast, from, to) ? (cast.pass?.since ?? 0) : 0;
  const last = cast.walked.lastIndexOf(to);
  return last < since ? [] : cast.walked.slice(last);
}

export function dropReturns(cast: Cast, socket: string): void {
  for (const key of cast.returns.keys()) if (key.startsWith(`${socket} `)) cast.returns.delete(key);
}

/** [R4] The reasons of this item are dropped. */
export function dropReasons(cast: Cast, item: string): void {
  for (const key of cast.reasons.keys()) if (key.endsWith(` ${item}`)) cast.reasons.delete(key);
}

/** [D33] A person allows further rounds of the cycle: of all that was passed on it, not of one socket. */
export function* allowMore(cast: Cast, from: Place | undefined, to: string): Steps<void> {
  const last = cast.walked.lastIndexOf(to);
  const cycle = last < 0 ? [] : cast.walked.slice(last);
  const more = yield* stopAt(cast, "maxNoAdvanceCycles", `${from?.id ?? to} ${to} ${cycle.join(">")}`);
  for (const [key, count] of cast.returns)
    if (cycle.includes(key.split(" ")[0] ?? "")) cast.returns.set(key, count - more);
  for (const [loop, count] of cast.passedBy) cast.passedBy.set(loop, count - more);
}

export function staysIn(cast: Cast, place: Place, to: string): boolean {
  return place.loop !== undefined && to !== END && placeOf(cast, to).loop === place.loop;
}
