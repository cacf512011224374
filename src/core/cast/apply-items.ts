import { itemKey } from "../model/handoff.ts";
import { END, type SocketId } from "../model/ids.ts";
import { withoutUndefined } from "../model/json.ts";
import {
  withGivenUpItem,
  withoutLastGivenUpItem,
  stateWithItemWrites,
  keptNotes,
  endsCast,
  withItemWalk,
} from "./item-lists.ts";
import type { EventOf } from "./state/event.ts";
import { expectPhase } from "./state/expect-phase.ts";
import type { ItemBase, ParallelRun, PreviousHandoff, ItemRun, ItemResume } from "./state/parallel-run.ts";
import { addOpenPoints } from "./state/reports.ts";
import { withoutItemPlaces } from "./state/item-counts.ts";
import { NEW_VISIT, type CastState, type Visit } from "./state/state.ts";
import { EMPTY_MAP, withValue, countOf } from "./state/persistent-map.ts";
import { NO_USAGE, addUsage, subtractUsage } from "./state/usage.ts";
import { attemptBaseOf, handoffOfConflict, itemRunAt } from "./item-runs.ts";

/** [V5] From here on each item is a separate cast. Without a base commit they run one by one. */
export function startParallelRun(state: CastState, event: EventOf<"loop_forked">): CastState {
  const { at, from, reworked } = expectPhase(state, event, "arriving");
  const { pass } = state;
  if (!pass || pass.loop !== event.loop || pass.oneByOne || at === END) throw impossibleEventError(event);
  if (event.base === null) return { ...state, pass: { ...pass, oneByOne: true } };
  const base = { commit: event.base, data: state.data, handed: state.handed, notes: state.notes };
  const fork: ParallelRun = {
    loop: event.loop,
    number: state.forks + 1,
    lanes: event.lanes,
    door: at,
    from,
    reworked,
    base,
    ...withoutUndefined({ branch: event.branch }),
    bases: EMPTY_MAP,
    runs: EMPTY_MAP,
    running: [],
    failed: [],
    merged: 0,
    begun: 0,
    tip: event.base,
    ender: null,
    allow: 0,
    decision: null,
  };
  return { ...state, forks: fork.number, phase: { kind: "forked", fork } };
}

export function startItem(state: CastState, event: EventOf<"item_started">): CastState {
  const { fork } = expectPhase(state, event, "forked");
  const { index, child, attempt, base } = event;
  const before = itemRunAt(fork, index);
  if (before && before.kind !== "stuck") throw impossibleEventError(event);
  const { visits = {}, open } = before?.end ?? {};
  const previous = before && { previous: { castId: before.child, visits, ...(open && { open }) } };
  const work = { index, child, attempt, base, ...previous, conflict: before?.conflict ?? null };
  return withItemRun(
    state,
    { ...fork, begun: nextUnstartedItem(fork, index) },
    { kind: "running", ...work, resume: null, before: null },
  );
}

function nextUnstartedItem(fork: ParallelRun, started: number): number {
  let index = fork.begun;
  while (index === started || itemRunAt(fork, index)) index += 1;
  return index;
}

export function applyItemEnded(state: CastState, event: EventOf<"item_ended">): CastState {
  const { fork } = expectPhase(state, event, "forked");
  const run = itemRunAt(fork, event.index);
  if (run?.kind !== "running" || run.child !== event.child) throw impossibleEventError(event);
  const { kind: _kind, resume: _resume, before, ...work } = run;
  const isOver = event.outcome === "completed" || event.outcome === "not_satisfied";
  const next: ItemRun = isOver
    ? { kind: "ended", ...work, end: event, isGivenUp: false }
    : { kind: "failed", ...work, end: event };
  // A resumed cast reports its whole usage; count the earlier part once.
  let { visits } = state;
  let total = state.done.visits;
  for (const [socket, count] of Object.entries(event.visits)) {
    const more = count - (before?.visits[socket] ?? 0);
    visits = withValue(visits, socket, countOf(visits, socket) + more);
    total += more;
  }
  const usage = addUsage(state.usage, subtractUsage(event.usage, before?.usage ?? NO_USAGE));
  const counted: CastState = { ...state, usage, visits, done: { ...state.done, visits: total } };
  const ender = isOver && endsCast(state, event) ? Math.min(event.index, fork.ender ?? Infinity) : fork.ender;
  return withItemRun(counted, { ...fork, ender }, next);
}

/** [V7] In the order of the list, not of completion: the writes of an item are repeated on the state. */
export function applyItemMerged(state: CastState, event: EventOf<"item_merged">): CastState {
  const { fork } = expectPhase(state, event, "forked");
  const run = itemRunAt(fork, event.index);
  if (run?.kind !== "ended" || event.index !== fork.merged) throw impossibleEventError(event);
  const { end, isGivenUp: _isGivenUp, ...work } = run;
  const from = attemptBaseOf(state, fork, run);
  const data = stateWithItemWrites(state, end, from);
  const notes = { ...keptNotes(from, data), ...keptNotes(state, data), ...end.notes };
  const merged: CastState = {
    ...state,
    data,
    notes,
    reports: {
      answers: withoutItemPlaces(state, state.reports.answers, fork.loop, event.index),
      open: addOpenPoints(state.reports.open, end.open ?? []),
    },
    // [R4] The item has advanced.
    rework: end.advanced === null ? state.rework : withoutItemPlaces(state, state.rework, fork.loop, event.index),
    done: {
      ...state.done,
      itemsDone: state.done.itemsDone + (end.advanced !== null && end.gaveUp === undefined ? 1 : 0),
    },
  };
  const base: ItemBase = { commit: event.commit, data, handed: end.handed, notes };
  return withMergedItem(merged, { ...fork, tip: event.commit }, { ...work, kind: "merged", end, dropped: false }, base);
}

function withMergedItem(state: CastState, fork: ParallelRun, run: ItemRun, base: ItemBase): CastState {
  const { pass } = state;
  if (!pass) throw new Error("a fork is inside a pass");
  const on: ParallelRun = { ...fork, merged: run.index + 1, bases: withValue(fork.bases, String(run.index), base) };
  const walked = run.kind === "merged" ? withItemWalk(state, fork.loop, run) : state;
  return withItemRun({ ...walked, pass: { ...pass, cursor: run.index + 1 } }, on, run);
}

/** [V9, V37] The item is repeated on the merged state, or stops there. */
export function applyItemConflict(state: CastState, event: EventOf<"item_conflicted">): CastState {
  const { fork } = expectPhase(state, event, "forked");
  const run = itemRunAt(fork, event.index);
  if (run?.kind !== "ended" || event.index !== fork.merged) throw impossibleEventError(event);
  const { isGivenUp, ...work } = run;
  // Its next attempt decides whether it is given up or ends the cast.
  const open = isGivenUp && state.pass ? withoutLastGivenUpItem(state, state.pass) : state;
  const ender = fork.ender === event.index ? nextEndingItem(state, fork, event.index) : fork.ender;
  return withItemRun(open, { ...fork, ender }, { ...work, kind: "stuck", conflict: event });
}

function nextEndingItem(state: CastState, fork: ParallelRun, index: number): number | null {
  const size = state.pass?.items.length ?? 0;
  for (let at = index + 1; at < size; at += 1) {
    const run = itemRunAt(fork, at);
    if (run?.kind === "ended" && endsCast(state, run.end)) return at;
  }
  return null;
}

/** [G28, V10] An item was given up: by its own cast, or because its work cannot be merged. */
export function applyItemGivenUp(state: CastState, event: EventOf<"item_given_up">): CastState {
  const { fork } = expectPhase(state, event, "forked");
  const run = itemRunAt(fork, event.index);
  if (!state.pass || !run || event.index !== fork.merged) throw impossibleEventError(event);
  const given = withGivenUpItem(state, state.pass, event.index, event.reason);
  if (run.kind === "ended") return withItemRun(given, fork, { ...run, isGivenUp: true });
  if (run.kind !== "stuck") throw impossibleEventError(event);
  const { tip } = fork;
  const handed = handoffOfConflict(state, fork, event.index, event.reason);
  const base: ItemBase = { commit: tip, data: state.data, handed, notes: state.notes };
  return withMergedItem(given, fork, { ...run, kind: "merged", dropped: true }, base);
}

/** [V35] All items are merged: the loop exits as if its last item had just advanced. */
export function joinParallelRun(state: CastState, event: EventOf<"loop_joined">): CastState {
  const { fork } = expectPhase(state, event, "forked");
  const last = itemRunAt(fork, fork.merged - 1);
  const { pass } = state;
  if (last?.kind !== "merged" || !pass) throw impossibleEventError(event);
  const { end, dropped } = last;
  const satisfied = dropped ? false : end.satisfied;
  const joined: CastState = { ...state, satisfied, handed: handoffAfterJoin(state, fork, last) };
  if (end.advanced === null && !dropped)
    return { ...joined, pass: null, phase: { kind: "arriving", at: END, from: fork.door, reworked: false } };
  const visit = placeholderVisit(end.advanced ?? fork.door, fork.from);
  const gaveUp = dropped || end.gaveUp !== undefined;
  return { ...joined, phase: { kind: "leaving", visit, moved: "advanced", gaveUp } };
}

/** A handed-over list becomes the list in state if both are equal. */
function handoffAfterJoin(
  state: CastState,
  fork: ParallelRun,
  last: Extract<ItemRun, { kind: "merged" }>,
): PreviousHandoff | null {
  const { handed } = last.end;
  // [V10] For an item whose work is left out, the last message is the reason.
  if (last.dropped) return handoffOfConflict(state, fork, last.index, last.conflict?.reason ?? "");
  if (!handed) return handed;
  const { workItems } = state.data;
  const isIt = handed.workItems !== null && JSON.stringify(workItems) === JSON.stringify(handed.workItems);
  return isIt ? { ...handed, workItems: workItems as unknown as typeof handed.workItems } : handed; // it holds the same
}

/** A visit that did not run in this cast: the one that ended the last item, or a skipped one. */
export function placeholderVisit(socket: SocketId, from: SocketId | null): Visit {
  return { socket, number: 0, from, reworked: false, ...NEW_VISIT };
}

/** [V12] Failed items resume. Those that a limit stopped learn how much more is allowed. */
export function resumeParallelRun(fork: ParallelRun, seq: number): ParallelRun {
  const resume: ItemResume = { seq, allow: fork.allow, decision: fork.decision };
  let resumed: ParallelRun = { ...fork, allow: 0, decision: null };
  for (const index of fork.failed) {
    const run = itemRunAt(fork, index);
    if (run?.kind !== "failed") continue;
    const { end: before, ...work } = run;
    const running: ItemRun = { ...work, kind: "running", resume, before };
    resumed = { ...resumed, runs: withValue(resumed.runs, String(index), running) };
  }
  return withItemPlaces(resumed);
}

function withItemRun(state: CastState, fork: ParallelRun, run: ItemRun): CastState {
  const runs = withValue(fork.runs, String(run.index), run);
  return { ...state, phase: { kind: "forked", fork: withItemPlaces({ ...fork, runs }, run.index) } };
}

function withItemPlaces(fork: ParallelRun, ...changed: readonly number[]): ParallelRun {
  const places = [...new Set([...fork.running, ...fork.failed, ...changed])].toSorted((a, b) => a - b);
  const placesOf = (kind: ItemRun["kind"]) => places.filter((index) => itemRunAt(fork, index)?.kind === kind);
  return { ...fork, running: placesOf("running"), failed: placesOf("failed") };
}

function impossibleEventError(event: { readonly type: string; readonly loop: string; readonly index?: number }): Error {
  const item = event.index === undefined ? "" : ` of ${itemKey(event.index)}`;
  return new Error(`${event.type}${item} cannot happen in the loop ${event.loop} now`);
}
