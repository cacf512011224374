import { socketOf } from "../compile/graph.ts";
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
import { noteForList } from "./item-lists.ts";
import { reworkReasonsFor } from "./state/rework-reasons.ts";
import type { CastStart, CastState, LoopPass } from "./state/state.ts";
import { getValue } from "./state/persistent-map.ts";

/** The items that are being worked on, and the one that is to be merged. */
export type RunningItem = Extract<ItemRun, { kind: "running" }>;
export type EndedItem = Extract<ItemRun, { kind: "ended" }>;

export function itemRunAt(fork: ParallelRun, index: number): ItemRun | undefined {
  return getValue(fork.runs, String(index));
}

/** An ordinary cast id: the parent's, the fork, the item, and the attempt where it is not the first. */
export function itemCastId(parent: CastId, { number }: ParallelRun, index: number, attempt: number): CastId {
  return `${parent}_${number}_${itemKey(index)}${attempt === 1 ? "" : `_${attempt}`}` as CastId; // of letters, digits, _ and -
}

/** [V28] The loop's base, or what the last item left that it names. */
export function itemBaseOf(fork: ParallelRun, { items }: LoopPass, index: number): ItemBase {
  const last = Math.max(0, ...(items[index]?.after ?? []));
  return (last === 0 ? undefined : getValue(fork.bases, String(last - 1))) ?? fork.base;
}

/** What the cast of an item starts with: all that its parent had, with a window on the item. */
export function itemCastStart(state: CastState, fork: ParallelRun, work: ItemRunFields): CastStart {
  const { pass, graph, request, limits, budget } = state;
  if (!pass) throw new Error("a fork is inside a pass");
  const { index, child, attempt, conflict } = work;
  const isFirst = attempt === 1 || conflict === null;
  const from = isFirst
    ? itemBaseOf(fork, pass, index)
    : { commit: conflict.onto, data: state.data, handed: state.handed, notes: state.notes };
  const window: ItemCastInput = {
    parent: state.castId,
    loop: fork.loop,
    index,
    attempt,
    door: fork.door,
    from: fork.from,
    base: from.commit,
    notes: from.notes,
    ...replacedList(state, pass, from),
    ...(isFirst
      ? { handed: from.handed, reasons: reasonsOfFirstItem(state, fork, index), tree: null }
      : { ...retryAfterConflict(state, fork, conflict.reason, index), tree: conflict.tree }),
  };
  return { castId: child, request, graph, limits, budget, data: from.data, window };
}

/** [V29] The list that is walked, where an item before has put another one in its place. */
function replacedList(
  { graph }: CastState,
  { loop, items, note }: LoopPass,
  { data, notes }: ItemBase,
): Pick<ItemCastInput, "list"> {
  const path = graph.loops[loop]?.items ?? [];
  const stands: unknown = valueAt(data, path);
  const isSame = stands === items && noteForList(notes, path) === note;
  return isSame ? {} : { list: { items, note } };
}

/** Who sent the cast back to this loop meant where it begins: the first item. */
function reasonsOfFirstItem(
  state: CastState,
  { door, reworked }: ParallelRun,
  index: number,
): ItemCastInput["reasons"] {
  if (!reworked || index !== 0) return [];
  return reworkReasonsFor({ ...state, pass: null }, door);
}

/** [V36] Nobody but git said it; it is told as the reason to do the item again. */
function retryAfterConflict(
  state: CastState,
  fork: ParallelRun,
  reason: string,
  index: number,
): Pick<ItemCastInput, "handed" | "reasons"> {
  const { socket, materia, item, ...handed } = handoffOfConflict(state, fork, index, reason);
  return {
    handed: { socket, materia, item, ...handed },
    reasons: [{ socket, materia, item, text: reason }],
  };
}

/** Why the work of an item could not be merged, as if it had been handed on where the item begins. */
export function handoffOfConflict(
  { pass, graph }: CastState,
  { door }: ParallelRun,
  index: number,
  reason: string,
): PreviousHandoff {
  const { materia } = socketOf(graph, door);
  return { socket: door, materia, item: pass?.items[index]?.title ?? null, text: reason, reason, workItems: null };
}
