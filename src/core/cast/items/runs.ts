import { socketOf } from "../../compile/graph.ts";
import { itemKey } from "../../model/handoff.ts";
import type { CastId } from "../../model/ids.ts";
import type { Base, Fork, Handed, ItemRun, Window, ItemAtWork } from "../state/fork.ts";
import { valueAt } from "../../model/values/path.ts";
import { noteOf } from "../lists/notes.ts";
import { reasonsFor } from "../state/rework.ts";
import type { CastStart, CastState, Pass } from "../state/state.ts";
import { valueIn } from "../state/table.ts";

/** The items that are being worked on, and the one that is to be merged. */
export type Running = Extract<ItemRun, { kind: "running" }>;
export type Ended = Extract<ItemRun, { kind: "ended" }>;

export function runAt(fork: Fork, index: number): ItemRun | undefined {
  return valueIn(fork.runs, String(index));
}

/** An ordinary cast id: the parent's, the fork, the item, and the attempt where it is not the first. */
export function childId(parent: CastId, { number }: Fork, index: number, attempt: number): CastId {
  return `${parent}_${number}_${itemKey(index)}${attempt === 1 ? "" : `_${attempt}`}` as CastId; // of letters, digits, _ and -
}

/** [V5] The loop's base, or what the last item left that it names. */
export function baseOf(fork: Fork, { items }: Pass, index: number): Base {
  const last = Math.max(0, ...(items[index]?.after ?? []));
  return (last === 0 ? undefined : valueIn(fork.bases, String(last - 1))) ?? fork.base;
}

/** What the cast of an item starts with: all that its parent had, with a window on the item. */
export function itemStart(state: CastState, fork: Fork, work: ItemAtWork): CastStart {
  const { pass, graph, request, limits, budget } = state;
  if (!pass) throw new Error("a fork is inside a pass");
  const { index, child, attempt, conflict } = work;
  const isFirst = attempt === 1 || conflict === null;
  const from = isFirst
    ? baseOf(fork, pass, index)
    : { commit: conflict.onto, data: state.data, handed: state.handed, notes: state.notes };
  const window: Window = {
    parent: state.castId,
    loop: fork.loop,
    index,
    attempt,
    door: fork.door,
    from: fork.from,
    base: from.commit,
    notes: from.notes,
    ...listBeside(state, pass, from),
    ...(isFirst
      ? { handed: from.handed, reasons: firstReasons(state, fork, index), tree: null }
      : { ...againAfter(state, fork, conflict.reason, index), tree: conflict.tree }),
  };
  return { castId: child, request, graph, limits, budget, data: from.data, window };
}

/** [V6] The list that is walked, where an item before has put another one in its place. */
function listBeside({ graph }: CastState, { loop, items, note }: Pass, { data, notes }: Base): Pick<Window, "list"> {
  const path = graph.loops[loop]?.items ?? [];
  const stands: unknown = valueAt(data, path);
  const isSame = stands === items && noteOf(notes, path) === note;
  return isSame ? {} : { list: { items, note } };
}

/** Who sent the cast back to this loop meant where it begins: the first item. */
function firstReasons(state: CastState, { door, reworked }: Fork, index: number): Window["reasons"] {
  if (!reworked || index !== 0) return [];
  return reasonsFor({ ...state, pass: null }, door);
}

/** [V9] Nobody but git said it; it is told as the reason to do the item again. */
function againAfter(state: CastState, fork: Fork, reason: string, index: number): Pick<Window, "handed" | "reasons"> {
  const { socket, materia, item, ...handed } = handedOfConflict(state, fork, index, reason);
  return {
    handed: { socket, materia, item, ...handed },
    reasons: [{ socket, materia, item, text: reason }],
  };
}

/** Why the work of an item could not be merged, as if it had been handed on where the item begins. */
export function handedOfConflict({ pass, graph }: CastState, { door }: Fork, index: number, reason: string): Handed {
  const { materia } = socketOf(graph, door);
  return { socket: door, materia, item: pass?.items[index]?.title ?? null, text: reason, reason, workItems: null };
}
