import { givesUpItems, materiaOf, socketOf, type GraphLoop, type GraphSocket } from "../compile/graph.ts";
import { itemKey } from "../model/handoff.ts";
import type { CastId } from "../model/ids.ts";
import type {
  ItemBase,
  ParallelRun,
  PreviousHandoff,
  ItemRun,
  ItemCastInput,
  ItemRunFields,
} from "./state/parallel-run.ts";
import { valueAt } from "../model/json.ts";
import { truncate } from "../model/text.ts";
import { budgetWarning, allowedConflicts, conflictLimitEvent, checkTurnLimit } from "./limits.ts";
import type { EventBody, EventOf } from "./state/event.ts";
import { noteForList } from "./item-lists.ts";
import { reworkReasonsFor } from "./state/rework-reasons.ts";
import type { CastStart, CastState, LoopPass } from "./state/state.ts";
import { getValue } from "./state/persistent-map.ts";
import { countsOfItem } from "./state/item-counts.ts";
import { NO_USAGE } from "./state/usage.ts";

export type RunningItem = Extract<ItemRun, { kind: "running" }>;
export type EndedItem = Extract<ItemRun, { kind: "ended" }>;

export function itemRunAt(fork: ParallelRun, index: number): ItemRun | undefined {
  return getValue(fork.runs, String(index));
}

function itemCastId(parent: CastId, { number }: ParallelRun, index: number, attempt: number): CastId {
  return `${parent}_${number}_${itemKey(index)}${attempt === 1 ? "" : `_${attempt}`}` as CastId; // of letters, digits, _ and -
}

/** [V28] The base of the loop, or the result of the last item in `after`. */
function itemBaseOf(fork: ParallelRun, { items }: LoopPass, index: number): ItemBase {
  const last = Math.max(0, ...(items[index]?.after ?? []));
  return (last === 0 ? undefined : getValue(fork.bases, String(last - 1))) ?? fork.base;
}

/** [V9] After a conflict an item starts from what is merged by then. */
export function attemptBaseOf(
  state: CastState,
  fork: ParallelRun,
  { index, attempt, conflict }: ItemRunFields,
): ItemBase {
  const { pass, data, handed, notes } = state;
  if (!pass) throw new Error("a fork is inside a pass");
  return attempt === 1 || !conflict ? itemBaseOf(fork, pass, index) : { commit: conflict.onto, data, handed, notes };
}

export function itemCastStart(state: CastState, fork: ParallelRun, work: ItemRunFields): CastStart {
  const { pass, graph, request, limits, budget } = state;
  if (!pass) throw new Error("a fork is inside a pass");
  const { index, child, attempt, conflict, previous } = work;
  const isFirst = attempt === 1 || conflict === null;
  const from = attemptBaseOf(state, fork, work);
  const window: ItemCastInput = {
    parent: state.castId,
    loop: fork.loop,
    index,
    attempt,
    door: fork.door,
    from: fork.from,
    base: from.commit,
    notes: from.notes,
    ...itemTraversals(state, pass.loop, index),
    ...replacedList(state, pass, from),
    ...(isFirst
      ? { handed: from.handed, ...reasonsOfFirstItem(state, fork, index), tree: null }
      : {
          ...retryAfterConflict(state, fork, conflict),
          tree: conflict.tree,
          ...(previous && { previous }),
        }),
  };
  return { castId: child, request, graph, limits, budget, data: from.data, window };
}

/** [V48] Counts belong to an item of a list: a second pass over the same list continues with them. */
export function itemTraversals({ walks }: CastState, loop: string, index: number): Pick<ItemCastInput, "counts"> {
  const walk = getValue(walks, loop);
  if (!walk) return {};
  const [taken, allowed] = [countsOfItem(walk.taken, index), countsOfItem(walk.allowed, index)];
  const isEmpty = Object.keys({ ...taken, ...allowed }).length === 0;
  return isEmpty ? {} : { counts: { taken: { ...taken }, allowed: { ...allowed } } };
}

/** [V29] The list of the loop, if an earlier item replaced it in state. */
function replacedList({ graph }: CastState, { loop, items, note }: LoopPass, { data, notes }: ItemBase) {
  const path = graph.loops[loop]?.items ?? [];
  const stands: unknown = valueAt(data, path);
  const isSame = stands === items && noteForList(notes, path) === note;
  return isSame ? {} : { list: { items, note } };
}

/** A reason for this loop belongs to its first item. */
function reasonsOfFirstItem(state: CastState, { door, reworked }: ParallelRun, index: number) {
  const reasons = index === 0 ? reworkReasonsFor({ ...state, pass: null }, door) : [];
  return { reasons, ...(reasons.length > 0 && !reworked ? { isFirstVisit: true as const } : {}) };
}

/** [V36, V52] Git reported it; the agent receives it as what is left to do. */
function retryAfterConflict(
  state: CastState,
  fork: ParallelRun,
  { index, reason, files, accepted = false }: EventOf<"item_conflicted">,
): Pick<ItemCastInput, "handed" | "reasons" | "merging"> {
  const handed = handoffOfConflict(state, fork, index, reason);
  const { socket, materia, item } = handed;
  const work = accepted
    ? "The work on this item was accepted. Only merging is left: settle the conflicts and change nothing else."
    : "The work on this item is in the files. First settle the conflicts with the work of others.";
  const text = [work, ...otherItemsText(state, fork, index, files), reason].join("\n\n");
  return { handed: { ...handed, text }, reasons: [{ socket, materia, item, text: reason }], merging: { accepted } };
}

/** [V52] The merged items that changed the same files. */
function otherItemsText(
  { pass }: CastState,
  fork: ParallelRun,
  index: number,
  files: readonly string[],
): readonly string[] {
  const lines = Array.from({ length: index }, (_, at) => itemRunAt(fork, at)).flatMap((run) => {
    if (run?.kind !== "merged" || run.dropped) return [];
    const both = (run.end.files?.names ?? []).filter((name) => files.includes(name));
    const title = truncate(pass?.items[run.index]?.title ?? "", 200);
    return both.length === 0 ? [] : [`- ${itemKey(run.index)} "${title}": ${both.slice(0, 5).join(", ")}`];
  });
  return lines.length === 0 ? [] : [`Merged items that changed files in conflict:\n${lines.slice(0, 10).join("\n")}`];
}

export function handoffOfConflict(
  { pass, graph }: CastState,
  { door }: ParallelRun,
  index: number,
  reason: string,
): PreviousHandoff {
  const { materia } = socketOf(graph, door);
  return { socket: door, materia, item: pass?.items[index]?.title ?? null, text: reason, reason, workItems: null };
}

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
  const running = fork.running.map((index) => itemRunAt(fork, index)).filter((run) => run?.kind === "running");
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

/** [V10, V38] An item that its own cast gave up, or that may not be retried in a loop that gives items up. */
function givenUpEvent(
  state: CastState,
  loop: GraphLoop,
  fork: ParallelRun,
  first: ItemRun | undefined,
): EventBody | undefined {
  let reason: string | undefined;
  if (first?.kind === "ended" && !first.isGivenUp) reason = first.end.gaveUp;
  if (first?.kind === "stuck" && hasConflictedTooOften(state, fork, first) && givesUpItems(state.graph, loop))
    reason = first.conflict?.reason ?? "";
  return reason === undefined ? undefined : { type: "item_given_up", loop: fork.loop, index: fork.merged, reason };
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
