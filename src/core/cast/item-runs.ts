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
import { truncate } from "../model/text.ts";
import type { EventOf } from "./state/event.ts";
import { noteForList } from "./item-lists.ts";
import { reworkReasonsFor } from "./state/rework-reasons.ts";
import type { CastStart, CastState, ListCounts, LoopPass } from "./state/state.ts";
import { getValue } from "./state/persistent-map.ts";
import { countsOfItem } from "./state/item-counts.ts";

export type RunningItem = Extract<ItemRun, { kind: "running" }>;
export type EndedItem = Extract<ItemRun, { kind: "ended" }>;

export function itemRunAt(fork: ParallelRun, index: number): ItemRun | undefined {
  return getValue(fork.runs, String(index));
}

/** An ordinary cast id: parent, parallel run, item, and the attempt if it is not the first. */
export function itemCastId(parent: CastId, { number }: ParallelRun, index: number, attempt: number): CastId {
  return `${parent}_${number}_${itemKey(index)}${attempt === 1 ? "" : `_${attempt}`}` as CastId; // of letters, digits, _ and -
}

/** [V28] The base of the loop, or the result of the last item in `after`. */
export function itemBaseOf(fork: ParallelRun, { items }: LoopPass, index: number): ItemBase {
  const last = Math.max(0, ...(items[index]?.after ?? []));
  return (last === 0 ? undefined : getValue(fork.bases, String(last - 1))) ?? fork.base;
}

/** The start of an item's cast: everything of its parent, limited to one item. */
export function itemCastStart(state: CastState, fork: ParallelRun, work: ItemRunFields): CastStart {
  const { pass, graph, request, limits, budget } = state;
  if (!pass) throw new Error("a fork is inside a pass");
  const { index, child, attempt, conflict, previous } = work;
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
    ...countsOfEarlierPass(state, pass.loop, index),
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
function countsOfEarlierPass({ walks }: CastState, loop: string, index: number): Pick<ItemCastInput, "counts"> {
  const walk = getValue(walks, loop);
  return walk ? itemTraversals(walk, index) : {};
}

export function itemTraversals(walk: ListCounts, index: number): Pick<ItemCastInput, "counts"> {
  const [taken, allowed] = [countsOfItem(walk.taken, index), countsOfItem(walk.allowed, index)];
  const isEmpty = Object.keys(taken).length + Object.keys(allowed).length === 0;
  return isEmpty ? {} : { counts: { taken: { ...taken }, allowed: { ...allowed } } };
}

/** [V29] The list of the loop, if an earlier item replaced it in state. */
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

/** A reason for this loop belongs to its first item. */
function reasonsOfFirstItem(
  state: CastState,
  { door, reworked }: ParallelRun,
  index: number,
): Pick<ItemCastInput, "reasons" | "isFirstVisit"> {
  const reasons = index === 0 ? reworkReasonsFor({ ...state, pass: null }, door) : [];
  return { reasons, ...(reasons.length > 0 && !reworked ? { isFirstVisit: true } : {}) };
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
  return lines.length === 0 ? [] : [`Merged items that changed the same files:\n${lines.slice(0, 10).join("\n")}`];
}

/** Why the work of an item could not be merged, as a handoff to the entry of the item. */
export function handoffOfConflict(
  { pass, graph }: CastState,
  { door }: ParallelRun,
  index: number,
  reason: string,
): PreviousHandoff {
  const { materia } = socketOf(graph, door);
  return { socket: door, materia, item: pass?.items[index]?.title ?? null, text: reason, reason, workItems: null };
}
