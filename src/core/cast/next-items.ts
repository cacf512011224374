import { givesUpItems, materiaOf, socketOf, type GraphLoop, type GraphSocket } from "../compile/graph.ts";
import { itemKey } from "../model/handoff.ts";
import { budgetWarning, allowedConflicts, conflictLimitEvent, checkTurnLimit } from "./limits.ts";
import type { EventBody } from "./state/event.ts";
import type { ParallelRun, ItemRun } from "./state/parallel-run.ts";
import type { CastState } from "./state/state.ts";
import { NO_USAGE } from "./state/usage.ts";
import { itemBaseOf, itemCastId, itemRunAt, type EndedItem, type RunningItem } from "./item-runs.ts";

export type ParallelEffect =
  /** Find the commit where items start, if they can run in parallel. */
  | { readonly kind: "fork"; readonly loop: GraphLoop }
  /** Run these items and merge this one, all at once. */
  | {
      readonly kind: "items";
      readonly fork: ParallelRun;
      readonly running: readonly RunningItem[];
      readonly merge: EndedItem | null;
    }
  /** All items are merged: update the person's branch and files. */
  | { readonly kind: "join"; readonly fork: ParallelRun };

type ParallelDecision = ParallelEffect | { readonly kind: "record"; readonly events: readonly EventBody[] };

/** [V5] Depends only on the journal: the lowest item that may start, running items, merges, the end. */
export function nextForParallelRun(state: CastState, fork: ParallelRun): ParallelDecision {
  const loop = state.graph.loops[fork.loop];
  if (!loop) throw new Error(`the graph has no loop ${fork.loop}`);
  const warning = budgetWarning(state);
  if (warning) return recordEvent(warning);
  const first = isEverythingMerged(state, fork) ? undefined : itemRunAt(fork, fork.merged);
  const given = givenUpEvent(state, loop, fork, first);
  if (given) return recordEvent(given);
  const due = nextItemToStart(state, fork, first);
  if (due !== undefined) return recordEvent(itemStartedEvent(state, fork, due));
  const running = fork.running.flatMap((index) => runningItemAt(fork, index));
  const merge = first?.kind === "ended" ? first : null;
  if (running.length > 0 || merge) return { kind: "items", fork, running, merge };
  // [V11] Failures after an item that ended the cast do not count: one by one they would never have started.
  return isEverythingMerged(state, fork) ? { kind: "join", fork } : failureEffect(state, fork, first);
}

/** [V51] Accepted work whose conflicts were settled, and nothing else changed: its agents have nothing new to say. */
export function isSkipped({ item, satisfied, graph }: CastState, socket: GraphSocket, reworked: boolean): boolean {
  if (!item?.isResolved || item.window.merging?.accepted !== true || reworked || satisfied === false) return false;
  // An agent that writes state is asked: its writes are not part of the merged state.
  const isAgent = materiaOf(graph, socket).type === "agent";
  return isAgent && socket.assign.length === 0 && !item.skipped.includes(socket.id);
}

function recordEvent(event: EventBody): ParallelDecision {
  return { kind: "record", events: [event] };
}

function runningItemAt(fork: ParallelRun, index: number): readonly RunningItem[] {
  const run = itemRunAt(fork, index);
  return run?.kind === "running" ? [run] : [];
}

/** [V10, V38] An item that its own cast gave up, or that may not be retried in a loop that gives items up. */
function givenUpEvent(
  state: CastState,
  loop: GraphLoop,
  fork: ParallelRun,
  first: ItemRun | undefined,
): EventBody | undefined {
  const base = { type: "item_given_up", loop: fork.loop, index: fork.merged } as const;
  if (first?.kind === "ended" && first.end.gaveUp !== undefined && !first.told)
    return { ...base, reason: first.end.gaveUp };
  if (first?.kind === "stuck" && hasConflictedTooOften(state, fork, first) && givesUpItems(state.graph, loop))
    return { ...base, reason: first.conflict?.reason ?? "" };
  return undefined;
}

function hasConflictedTooOften(state: CastState, fork: ParallelRun, { index, conflict }: ItemRun): boolean {
  return (conflict?.round ?? 0) > allowedConflicts(state, fork.number, index);
}

function nextItemToStart(state: CastState, fork: ParallelRun, first: ItemRun | undefined): number | undefined {
  const { pass } = state;
  if (!pass || fork.running.length >= fork.lanes || isEverythingMerged(state, fork)) return undefined;
  if (checkFirstTurnLimit(state, fork)) return undefined;
  if (first?.kind === "stuck") return hasConflictedTooOften(state, fork, first) ? undefined : fork.merged;
  // [V11] Items before the one that ends or fails the cast still decide: one by one they would have come first.
  const end = Math.min(fork.ender ?? pass.items.length, fork.failed[0] ?? Infinity);
  for (let index = fork.begun; index < end; index += 1)
    if (!itemRunAt(fork, index) && (pass.items[index]?.after ?? []).every((number) => number <= fork.merged))
      return index;
  return undefined;
}

/** [V13] The budget stops an item only if the item starts with a turn. */
function checkFirstTurnLimit(state: CastState, { door }: ParallelRun): EventBody | undefined {
  const { type } = materiaOf(state.graph, socketOf(state.graph, door));
  return type === "agent" ? checkTurnLimit(state, door) : undefined;
}

/** Whether nothing is left to merge: the list is done, or the item that ended the cast is merged. */
function isEverythingMerged({ pass }: CastState, fork: ParallelRun): boolean {
  return fork.merged >= Math.min(pass?.items.length ?? 0, (fork.ender ?? Infinity) + 1);
}

function itemStartedEvent(state: CastState, fork: ParallelRun, index: number): EventBody {
  const { pass } = state;
  if (!pass) throw new Error("a fork is inside a pass");
  const before = itemRunAt(fork, index);
  const attempt = (before?.attempt ?? 0) + 1;
  return {
    type: "item_started",
    loop: fork.loop,
    index,
    title: pass.items[index]?.title ?? "",
    child: itemCastId(state.castId, fork, index, attempt),
    attempt,
    base: before?.conflict?.onto ?? itemBaseOf(fork, pass, index).commit,
  };
}

/** [V11] Only when no item runs: the lowest item that is not merged has failed, or a limit forbids its start. */
function failureEffect(state: CastState, fork: ParallelRun, first: ItemRun | undefined): ParallelDecision {
  // An item that may be retried has not failed. Its reason is the limit that forbids the retry.
  if (first?.kind === "stuck" && hasConflictedTooOften(state, fork, first))
    return recordEvent(conflictLimitEvent(state, fork.number, first.index));
  if (first?.kind !== "failed") {
    const limit = checkFirstTurnLimit(state, fork);
    if (!limit) throw new Error(`the loop ${fork.loop} has items left, and none can begin`);
    return recordEvent(limit);
  }
  const { limit, reason } = first.end;
  if (limit) return recordEvent({ type: "limit_reached", ...limit });
  const title = state.pass?.items[first.index]?.title ?? "";
  const message = `${itemKey(first.index)} "${title}" failed: ${reason}`;
  return recordEvent({ type: "turn_failed", socket: fork.door, visit: 0, reason: "item", message, usage: NO_USAGE });
}
