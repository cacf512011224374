import { END, type EdgeText, type Place } from "./texts.ts";
import {
  amountOf,
  itemOf,
  placeOf,
  stopAt,
  stopForPerson,
  type Cast,
  type Decision,
  type Pass,
  type Route,
  type Steps,
} from "./cast.ts";

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

/** [G39] A loop that is entered again with the very same list comes back like a socket. */
export function* countEntry(cast: Cast, pass: Pass, { from, to }: Route): Steps<void> {
  const { id } = pass.region;
  if (!startList(cast, pass)) lessEntries(cast, id, -1);
  while ((cast.entries.get(id)?.again ?? 0) > cast.world.limits.maxNoAdvanceCycles) yield* allowMore(cast, from, to);
}

/** [G40] Whether the loop walks another list than before, also an empty one. Of the earlier one only the traversals stay. */
export function startList(cast: Cast, { region, list }: Pass): boolean {
  const known = cast.entries.get(region.id);
  if (known?.list === list) return false;
  cast.entries.set(region.id, { list, again: 0 });
  for (const member of known ? region.members : []) {
    dropReturns(cast, member);
    for (const about of [cast.reasons, cast.answers, cast.idle, cast.talks])
      for (const key of about.keys()) if (key.startsWith(`${member} `)) about.delete(key);
  }
  return true;
}

/** [G10] The loops on a cycle that a counted edge closes begin anew. */
export function dropEntries(cast: Cast, cycle: readonly string[]): void {
  for (const loop of new Set(cycle.flatMap((id) => placeOf(cast, id).loop ?? []))) lessEntries(cast, loop, Infinity);
}

function lessEntries(cast: Cast, loop: string, by: number): void {
  const known = cast.entries.get(loop);
  if (known) cast.entries.set(loop, { ...known, again: by === Infinity ? 0 : known.again - by });
}

export function dropReturns(cast: Cast, socket: string): void {
  for (const key of cast.returns.keys()) if (key.startsWith(`${socket} `)) cast.returns.delete(key);
}

/** [R9] Rows of visits that changed no file end with their item. */
export function dropIdle(cast: Cast, socket: string): void {
  for (const row of cast.idle.keys()) if (row.startsWith(`${socket} `)) cast.idle.delete(row);
}

/** [R4, P12] The reasons of this item are dropped, and what was answered about it. */
export function dropReasons(cast: Cast, item: string): void {
  for (const key of cast.answers.keys()) if (key.endsWith(` ${item}`)) cast.answers.delete(key);
  for (const key of cast.reasons.keys()) if (key.endsWith(` ${item}`)) cast.reasons.delete(key);
}

/** [D33] A person allows further rounds of the cycle: of all that was passed on it, not of one socket. */
export function* allowMore(cast: Cast, from: Place | undefined, to: string): Steps<void> {
  const last = cast.walked.lastIndexOf(to);
  const cycle = last < 0 ? [] : cast.walked.slice(last);
  const more = yield* stopAt(cast, "maxNoAdvanceCycles", `${from?.id ?? to} ${to} ${cycle.slice(-40).join(">")}`);
  for (const [key, count] of cast.returns)
    if (cycle.includes(key.split(" ")[0] ?? "")) cast.returns.set(key, count - more);
  for (const loop of new Set(cycle.flatMap((id) => placeOf(cast, id).loop ?? []))) lessEntries(cast, loop, more);
  for (const [loop, count] of cast.passedBy) cast.passedBy.set(loop, count - more);
}

export function staysIn(cast: Cast, place: Place, to: string): boolean {
  return place.loop !== undefined && to !== END && placeOf(cast, to).loop === place.loop;
}

/** [R9, V51] What the checkpoint behind a visit says. */
export function keepFiles(cast: Cast, place: Place, name: string): void {
  if (!cast.keepsFiles) return;
  const changes = cast.world.changes(place, name);
  if (changes) cast.resolved = cast.world.resolves(place, name);
  const row = `${place.id} ${itemOf(cast)}`;
  const known = cast.idle.get(row);
  cast.idle.set(row, changes || !cast.again || known === undefined ? 0 : known + 1);
}

/** [R9] Work that is sent back once more, and that the last visits did not change. */
export function* countUnchanged(cast: Cast, place: Place, { when, to }: EdgeText): Steps<Decision | undefined> {
  const { maxUnchanged: most = 2 } = cast.world.limits;
  let hint: Decision | undefined;
  if (when !== "not_satisfied" || to === END || most === 0) return undefined;
  const isCurrent = cast.pass !== undefined && placeOf(cast, to).loop === cast.pass.region.id;
  const visits = cast.idle.get(`${to} ${isCurrent ? itemOf(cast) : ""}`) ?? 0;
  const key = `unchanged ${to} ${staysIn(cast, place, to) ? itemOf(cast) : ""}`;
  while (visits >= most + (cast.allowed.get(key) ?? 0)) {
    const rework = { hasItem: cast.pass !== undefined };
    const more = yield* stopForPerson(cast, { limit: "maxUnchanged", where: place.id, goesOn: true, rework });
    if (typeof more === "string") return more;
    if (typeof more === "object") hint = more;
    cast.allowed.set(key, (cast.allowed.get(key) ?? 0) + amountOf(more));
  }
  return hint;
}
