import * as v from "valibot";
import type { ReworkDecision } from "../../command/command.ts";
import { CastId, SocketId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import { readonlyObject, wholeNumber } from "../../model/schemas.ts";
import { isWorkItem, type WorkItem } from "../../model/handoff.ts";
import type { EventOf } from "./event.ts";
import type { PersistentMap } from "./persistent-map.ts";

export const GeneratorNote = readonlyObject({ socket: SocketId, materia: v.string(), text: v.string() });
export type GeneratorNote = v.InferOutput<typeof GeneratorNote>;

const itemTitle = v.nullable(v.string());
const workItems = v.custom<readonly WorkItem[]>((value) => Array.isArray(value) && value.every(isWorkItem));

export const ReworkReason = readonlyObject({
  socket: SocketId,
  materia: v.string(),
  /** The title of the item that it is about; the way may lead out of its loop. */
  item: itemTitle,
  text: v.string(),
});
export type ReworkReason = v.InferOutput<typeof ReworkReason>;

export const PreviousHandoff = readonlyObject({
  socket: SocketId,
  materia: v.string(),
  item: itemTitle,
  text: v.string(),
  /** The reason, if not satisfied: its own text, or the start of its output. */
  reason: v.string(),
  workItems: v.nullable(workItems),
});
export type PreviousHandoff = v.InferOutput<typeof PreviousHandoff>;

/** [V48] Traversals of an item, and allowances beyond their limits, by way. */
export const ItemTraversals = readonlyObject({
  taken: v.record(v.string(), wholeNumber(0)),
  allowed: v.record(v.string(), wholeNumber(0)),
});
export type ItemTraversals = v.InferOutput<typeof ItemTraversals>;

export const OpenPoint = readonlyObject({ socket: SocketId, materia: v.string(), item: itemTitle, text: v.string() });
export type OpenPoint = v.InferOutput<typeof OpenPoint>;

/** [V29] What makes the cast of one item: the whole list, limited to its item. */
export const ItemCastInput = readonlyObject({
  parent: CastId,
  loop: v.string(),
  index: wholeNumber(0),
  attempt: wholeNumber(1),
  /** The member where every item starts, and the socket before it. */
  door: SocketId,
  from: v.nullable(SocketId),
  handed: v.nullable(PreviousHandoff),
  notes: v.record(v.string(), GeneratorNote),
  /** The list of the loop, if state has another one at its path by now. */
  list: v.exactOptional(readonlyObject({ items: workItems, note: v.nullable(GeneratorNote) })),
  /** Why it is repeated, newest first; usually empty. */
  reasons: v.pipe(v.array(ReworkReason), v.readonly()),
  /** [R5] Set if the door has not run: the reasons are kept, and the first visit repeats nothing. */
  isFirstVisit: v.exactOptional(v.literal(true)),
  /** What an earlier pass over the same list counted for it. */
  counts: v.exactOptional(ItemTraversals),
  /** [I3, P19] The cast of the attempt before: conversations of so many visits continue, and its points are open still. */
  previous: v.exactOptional(
    readonlyObject({
      castId: CastId,
      visits: v.record(v.string(), wholeNumber(0)),
      open: v.exactOptional(v.pipe(v.array(OpenPoint), v.readonly())),
    }),
  ),
  base: v.string(),
  /** The files as a merge left them, with conflict markers; null for the files of the base. */
  tree: v.nullable(v.string()),
  /** [V52] Set after a conflict: whether the work that conflicts was accepted. */
  merging: v.exactOptional(readonlyObject({ accepted: v.boolean() })),
});
export type ItemCastInput = v.InferOutput<typeof ItemCastInput>;

/** The base of an item. It depends on its index, never on the order of completion. */
export interface ItemBase {
  readonly commit: string;
  readonly data: JsonObject;
  readonly handed: PreviousHandoff | null;
  readonly notes: Readonly<Record<string, GeneratorNote>>;
}

export interface ParallelRun {
  readonly loop: string;
  readonly number: number;
  readonly lanes: number;
  readonly door: SocketId;
  readonly from: SocketId | null;
  readonly reworked: boolean;
  /** The base of items without `after`. */
  readonly base: ItemBase;
  /** The branch that the items land on; null for a detached HEAD, undefined in older journals. */
  readonly branch?: string | null | undefined;
  /** The base of items that name the item at this index. */
  readonly bases: PersistentMap<ItemBase>;
  readonly runs: PersistentMap<ItemRun>;
  readonly running: readonly number[];
  readonly failed: readonly number[];
  /** All items before this index are merged; and the first index that has not started. */
  readonly merged: number;
  readonly begun: number;
  readonly tip: string;
  /** The first item that ended the cast instead of advancing: later items do not count. */
  readonly ender: number | null;
  /** How often a person allowed the limit of the failed items, for their resume. */
  readonly allow: number;
  /** [R8] A person's decision about items that were sent back too often. */
  readonly decision: ReworkDecision | null;
}

/** One item; without a run it has not started. */
export type ItemRun = ItemRunFields &
  (
    | { readonly kind: "running"; readonly resume: ItemResume | null; readonly before: EventOf<"item_ended"> | null }
    /** Its cast is finished and waits to be merged. `isGivenUp`: the journal records that it was given up. */
    | { readonly kind: "ended"; readonly end: EventOf<"item_ended">; readonly isGivenUp: boolean }
    /** A stuck one could not be merged and may not be retried. */
    | { readonly kind: "failed" | "stuck"; readonly end: EventOf<"item_ended"> }
    | { readonly kind: "merged"; readonly end: EventOf<"item_ended">; readonly dropped: boolean }
  );

export interface ItemRunFields {
  readonly index: number;
  readonly child: CastId;
  readonly attempt: number;
  readonly base: string;
  readonly previous?: NonNullable<ItemCastInput["previous"]>;
  readonly conflict: EventOf<"item_conflicted"> | null;
}

/** A failed item resumes, once for each resume of its cast. */
export interface ItemResume {
  readonly seq: number;
  readonly allow: number;
  readonly decision: ReworkDecision | null;
}
