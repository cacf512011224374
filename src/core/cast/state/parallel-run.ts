import * as v from "valibot";
import type { ReworkDecision } from "../../command/command.ts";
import { CastId, SocketId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import { wholeNumber } from "../../model/schemas.ts";
import { isWorkItem, type WorkItem } from "../../model/handoff.ts";
import type { EventOf } from "./event.ts";
import type { PersistentMap } from "./persistent-map.ts";

/** What a generator said beside its list, for everybody who works on an item of it. */
export const GeneratorNote = v.pipe(
  v.object({ socket: SocketId, materia: v.string(), text: v.string() }),
  v.readonly(),
);
export type GeneratorNote = v.InferOutput<typeof GeneratorNote>;

const itemTitle = v.nullable(v.string());
const workItems = v.custom<readonly WorkItem[]>((value) => Array.isArray(value) && value.every(isWorkItem));

/** Why something is to be done again, and who said so. */
export const ReworkReason = v.pipe(
  v.object({
    socket: SocketId,
    materia: v.string(),
    /** The title of the item that it was said about; it may lead out of its loop. */
    item: itemTitle,
    text: v.string(),
  }),
  v.readonly(),
);
export type ReworkReason = v.InferOutput<typeof ReworkReason>;

/** What the socket before passes to the next prompt. */
export const PreviousHandoff = v.pipe(
  v.object({
    socket: SocketId,
    materia: v.string(),
    item: itemTitle,
    text: v.string(),
    /** Why it was not satisfied, where it said so: its own words, or the beginning of its output. */
    reason: v.string(),
    workItems: v.nullable(workItems),
  }),
  v.readonly(),
);
export type PreviousHandoff = v.InferOutput<typeof PreviousHandoff>;

/** [V29] What the cast of one item is besides a cast: the whole list, with a window on its item. */
export const ItemCastInput = v.pipe(
  v.object({
    parent: CastId,
    loop: v.string(),
    index: wholeNumber(0),
    attempt: wholeNumber(1),
    /** The member where every item begins, and the socket that led there. */
    door: SocketId,
    from: v.nullable(SocketId),
    handed: v.nullable(PreviousHandoff),
    notes: v.record(v.string(), GeneratorNote),
    /** The list that is walked, where another one stands in its place in state by now. */
    list: v.exactOptional(v.pipe(v.object({ items: workItems, note: v.nullable(GeneratorNote) }), v.readonly())),
    /** Why it is done again, newest first; none for most. */
    reasons: v.pipe(v.array(ReworkReason), v.readonly()),
    /** The commit that its files begin from. */
    base: v.string(),
    /** The files as a merge left them, with its marks; null where they are those of the base. */
    tree: v.nullable(v.string()),
  }),
  v.readonly(),
);
export type ItemCastInput = v.InferOutput<typeof ItemCastInput>;

/** What an item begins from. It depends on its place in the list, never on who was quicker. */
export interface ItemBase {
  readonly commit: string;
  readonly data: JsonObject;
  readonly handed: PreviousHandoff | null;
  readonly notes: Readonly<Record<string, GeneratorNote>>;
}

/** The items of a parallel loop, each of which is a cast of its own. */
export interface ParallelRun {
  readonly loop: string;
  /** Which fork of the cast it is, from 1. */
  readonly number: number;
  readonly lanes: number;
  readonly door: SocketId;
  readonly from: SocketId | null;
  /** Whether the way here brought a reason to do it again. */
  readonly reworked: boolean;
  /** What items begin from that name no other. */
  readonly base: ItemBase;
  /** What those begin from that name the item at this place. */
  readonly bases: PersistentMap<ItemBase>;
  readonly runs: PersistentMap<ItemRun>;
  /** Places of items, in their order: being worked on, and stopped by a failure. */
  readonly running: readonly number[];
  readonly failed: readonly number[];
  /** All items before this place are merged; the first of them that has not begun. */
  readonly merged: number;
  readonly begun: number;
  /** The commit that all merged items lead to. */
  readonly tip: string;
  /** The first item that ended the cast instead of advancing: none behind it counts. */
  readonly ender: number | null;
  /** How often a person allowed what stopped the failed items, for when they go on. */
  readonly allow: number;
  /** [R8] What a person decided about those that were sent back too often. */
  readonly decision: ReworkDecision | null;
}

/** One item; what has no run has not begun. */
export type ItemRun =
  /** `before` is what its cast had told when it failed, where it goes on. */
  | ({
      readonly kind: "running";
      readonly resume: ItemResume | null;
      readonly before: EventOf<"item_ended"> | null;
    } & ItemRunFields)
  /** Its cast is over; it waits for its turn to be merged. `told`: that it was given up stands in the journal. */
  | ({ readonly kind: "ended"; readonly end: EventOf<"item_ended">; readonly told: boolean } & ItemRunFields)
  | ({ readonly kind: "failed"; readonly end: EventOf<"item_ended"> } & ItemRunFields)
  /** Its work could not be merged, and may not be tried again. */
  | ({ readonly kind: "stuck"; readonly end: EventOf<"item_ended"> } & ItemRunFields)
  | ({ readonly kind: "merged"; readonly end: EventOf<"item_ended">; readonly dropped: boolean } & ItemRunFields);

export interface ItemRunFields {
  readonly index: number;
  readonly child: CastId;
  readonly attempt: number;
  readonly base: string;
  /** The last merge that failed, where one did. */
  readonly conflict: EventOf<"item_conflicted"> | null;
}

/** An item that failed goes on: once for each time that its cast was resumed. */
export interface ItemResume {
  readonly seq: number;
  readonly allow: number;
  readonly decision: ReworkDecision | null;
}
