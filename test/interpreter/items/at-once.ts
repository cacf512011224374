import { amountOf, CastEnd, placeOf, stopForPerson, type Cast, type Pass, type Route, type Steps } from "../cast.ts";
import { judged } from "../visit/reply.ts";
import { dropReasons } from "../returns.ts";
import { END } from "../texts.ts";
import { edgeFor, givesUp } from "../ways.ts";
import { attemptAt, baseOf, handedAbout, isLast, merge, walkBack, type Attempt, type Lanes } from "./lanes.ts";

type Follow = (cast: Cast, first: string) => Steps<void>;

/** [V5–V13] The items of a parallel loop: who begins, who is merged, and how the last of them was left. */
export function* workAtOnce(cast: Cast, pass: Pass, door: Route, follow: Follow): Steps<Lanes["left"]> {
  cast.forks += 1;
  cast.facts.push(`forked ${pass.region.id} ${pass.region.lanes}`);
  const lanes: Lanes = {
    cast,
    pass,
    door,
    number: cast.forks,
    base: baseOf(cast),
    behind: new Map(),
    attempts: new Map(),
    conflicts: new Map(),
    allowed: new Map(),
    merged: 0,
    left: { advanced: undefined, gaveUp: false, last: true },
  };
  for (;;) {
    for (let due = dueOf(lanes); due !== undefined; due = dueOf(lanes)) {
      const attempt = attemptAt(lanes, due, follow);
      lanes.attempts.set(due, attempt);
      cast.facts.push(`begins ${pass.region.id} ${due} ${attempt.number}`);
    }
    const first = firstOver(lanes);
    const works = [...lanes.attempts.values()].filter(({ stands }) => stands === "works");
    const quickest = [...works, ...(first ? [first] : [])].toSorted((a, b) => paceOf(lanes, a) - paceOf(lanes, b))[0];
    if (quickest?.stands === "works") work(lanes, quickest);
    else if (quickest) mergeFirst(lanes, quickest);
    else if (isOver(lanes)) break;
    else yield* stopped(lanes);
  }
  // [R4] All of them have advanced.
  for (const [index] of pass.items.entries()) dropReasons(cast, `${pass.list}:${index}`);
  cast.handed = lanes.behind.get(lanes.merged - 1)?.handed ?? cast.handed;
  cast.pass = undefined;
  cast.facts.push(`joined ${pass.region.id}`);
  return lanes.left;
}

function paceOf({ cast, number }: Lanes, { index, number: attempt, stands }: Attempt): number {
  return cast.world.pace(`${stands === "works" ? "work" : "merge"} ${number} ${index} ${attempt}`);
}

/** [V5] The lowest item that has not begun and whose `after` are merged; [V9] one in conflict comes before all others. */
function dueOf(lanes: Lanes): number | undefined {
  const { pass, cast, attempts, merged } = lanes;
  const all = [...attempts.values()];
  const isFull = all.filter(({ stands }) => stands === "works").length >= (pass.region.lanes ?? 1);
  // [V11] When an item fails, none behind it begins. [V13] Nor any where there is no room for a turn.
  const failed = all.flatMap(({ stands, index }) => (stands === "stopped" || stands === "failed" ? [index] : []));
  const isAgent = (placeOf(cast, pass.door).materia.type ?? "agent") === "agent";
  if (isFull || isOver(lanes) || (isAgent && cast.shared.tokens >= cast.shared.most)) return undefined;
  if (isStuck(lanes)) return mayTryAgain(lanes) ? merged : undefined;
  const due = pass.items.findIndex(
    ({ after = [] }, index) => index >= merged && !attempts.has(index) && after.every((number) => number <= merged),
  );
  return due === -1 || due > Math.min(enderOf(lanes), ...failed) ? undefined : due;
}

/** [V11, V49] The first item that ended without advancing, or behind whose advance a way leads to the end. */
function enderOf({ attempts, pass }: Lanes): number {
  const enders = [...attempts.values()].filter(({ stands, cast, index }) => {
    if (stands !== "over") return false;
    const { advanced, givenUp } = cast;
    if (!advanced) return true;
    const edge = edgeFor(advanced.place, advanced.said.answer);
    return !isLast(pass, index) && givenUp.length === 0 && (edge?.to ?? END) === END;
  });
  return Math.min(Infinity, ...enders.map(({ index }) => index));
}

function isOver(lanes: Lanes): boolean {
  return lanes.merged >= Math.min(lanes.pass.items.length, enderOf(lanes) + 1);
}

/** Whether the item whose turn it is could not be merged, and nobody has worked on it since. */
function isStuck({ conflicts, attempts, merged }: Lanes): boolean {
  return (conflicts.get(merged)?.times ?? 0) > 0 && !attempts.has(merged);
}

function mayTryAgain({ cast, conflicts, allowed, merged }: Lanes): boolean {
  const most = (cast.world.limits.maxConflicts ?? 2) + (allowed.get(merged) ?? 0);
  return (conflicts.get(merged)?.times ?? 0) <= most;
}

/** [V7] In any order of completion: the next in the order of the list. */
function firstOver(lanes: Lanes): Attempt | undefined {
  const first = lanes.attempts.get(lanes.merged);
  return first?.stands === "over" && !isOver(lanes) ? first : undefined;
}

function work({ cast }: Lanes, attempt: Attempt): void {
  try {
    const step = attempt.steps.next(attempt.more);
    attempt.stands = step.done ? "over" : "stopped";
    attempt.stop = step.done ? undefined : step.value;
  } catch (error) {
    if (!(error instanceof CastEnd)) throw error;
    if (error.isTooLong) throw error;
    attempt.stands = "failed";
  }
  for (const [socket, count] of attempt.cast.visits) {
    const more = count - (attempt.counted.get(socket) ?? 0);
    attempt.counted.set(socket, count);
    cast.visits.set(socket, (cast.visits.get(socket) ?? 0) + more);
  }
}

/** [V9, V10] Merged; or done again on what is merged; or given up, where an edge of the loop gives items up. */
function mergeFirst(lanes: Lanes, attempt: Attempt): void {
  const { cast, pass, number } = lanes;
  const { index } = attempt;
  tell(lanes, attempt);
  const reason = cast.world.conflict(`${number} ${index} ${attempt.number}`);
  if (reason === undefined) {
    cast.facts.push(`merged ${pass.region.id} ${index}`);
    return merge(lanes, attempt);
  }
  const times = (lanes.conflicts.get(index)?.times ?? 0) + 1;
  cast.facts.push(`conflicted ${pass.region.id} ${index} ${times}`);
  const accepted = attempt.cast.advanced !== undefined && attempt.cast.givenUp.length === 0;
  lanes.conflicts.set(index, { times, reason, accepted, visits: attempt.cast.visits, open: attempt.cast.open });
  lanes.attempts.delete(index);
  if (mayTryAgain(lanes) || !givesUp(cast.graph, pass.region)) return;
  const title = pass.items[index]?.title ?? "";
  cast.givenUp.push(title);
  cast.gave.set(index, reason);
  cast.last = false;
  const place = attempt.cast.advanced?.place ?? placeOf(cast, pass.door);
  lanes.left = { advanced: { place, said: judged(false, reason) }, gaveUp: true, last: isLast(pass, index) };
  walkBack(lanes, attempt.cast);
  lanes.behind.set(index, baseOf(cast, handedAbout(title, reason)));
  lanes.merged = index + 1;
}

/** The events of an item's cast are reported when it is its turn, or where the cast stops with it. */
function tell({ cast }: Lanes, attempt: Attempt): void {
  cast.facts.push(...attempt.cast.facts.slice(attempt.told));
  attempt.told = attempt.cast.facts.length;
}

/** [V11, V12] The lowest item that is not merged says why; all that stopped go on with what a person allows. */
function* stopped(lanes: Lanes): Steps<void> {
  const { cast, pass } = lanes;
  const failed = [...lanes.attempts.values()]
    .filter(({ stands }) => stands === "stopped" || stands === "failed")
    .toSorted((a, b) => a.index - b.index);
  for (const each of failed) tell(lanes, each);
  const lowest = failed.find(({ index }) => index === lanes.merged);
  const isStuckForGood = isStuck(lanes) && !mayTryAgain(lanes);
  if (!isStuckForGood && lowest?.stands === "failed") {
    cast.facts.push("ended failed");
    throw new CastEnd();
  }
  const limit = isStuckForGood ? "maxConflicts" : lowest?.stop ? lowest.stop.limit : "maxTokens";
  const where = isStuckForGood ? pass.door : (lowest?.stop?.where ?? pass.door);
  const goesOn = failed.every(({ stands }) => stands === "stopped");
  const rework = isStuckForGood ? undefined : lowest?.stop?.rework;
  const more = yield* stopForPerson(cast, { ...(limit === undefined ? {} : { limit }), where, goesOn, rework });
  if (isStuckForGood) lanes.allowed.set(lanes.merged, (lanes.allowed.get(lanes.merged) ?? 0) + amountOf(more));
  for (const each of failed) {
    each.cast.facts.push("resumed");
    each.stands = "works";
    each.more = limit === "maxTokens" ? 0 : more;
  }
}
