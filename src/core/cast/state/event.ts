import * as v from "valibot";
import { CastId, Destination, SocketId } from "../../model/ids.ts";
import { Condition } from "../../model/loadout.ts";
import { PreviousHandoff, GeneratorNote } from "./parallel-run.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { wholeNumber, compileCheck } from "../../model/schemas.ts";
import {
  ChangeCounts,
  Checkpoint,
  InitialCheckpoint,
  OutsideChanges,
  MissingCheckpoint,
} from "../../model/checkpoint.ts";
import { Totals, Usage } from "./usage.ts";

const count = wholeNumber(0);
const object = v.custom<JsonObject>(isJsonObject);
const json = v.custom<Json>((value) => value !== undefined);
const usage = Usage;
/** A person was content with what had been said: no further turn was had for it. */
const approved = v.optional(v.literal(true));
const place = { socket: SocketId, visit: count };
const worker = v.exactOptional(v.string()); // [B28] of a fleet, which drives the cast from here on, or has ended the item

export const LIMIT_NAMES = [
  "maxTokens",
  "maxCostUsd",
  "maxTurnTokens",
  "maxTurnMinutes",
  "maxTraversals",
  "maxNoAdvanceCycles",
  "maxRepairs",
  "maxConflicts",
] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];
const WAY_KINDS = ["edge", "exit", "none"] as const;

export const CastOutcome = v.picklist(["completed", "not_satisfied", "failed", "aborted"]);
export type CastOutcome = v.InferOutput<typeof CastOutcome>;

const limitFields = {
  limit: v.picklist(LIMIT_NAMES),
  value: v.number(),
  where: v.object({
    socket: SocketId,
    /** The way that was refused: where it leads, and which one it is. */
    to: v.optional(Destination),
    via: v.optional(v.picklist(WAY_KINDS)),
    index: v.optional(v.nullable(count)),
    when: v.optional(Condition),
    /** How often it had been taken. */
    taken: v.optional(count),
    /** The sockets of the way round, as they were visited. */
    cycle: v.optional(v.array(SocketId)),
    /** The current item. */
    item: v.optional(v.object({ title: v.string(), index: count })),
  }),
};

/** Everything that can happen to a cast, by type. A line of the journal is one of these with its `seq` and `pointAt`. */
export const EVENT_SCHEMAS = {
  cast_started: v.object({
    type: v.literal("cast_started"),
    castId: CastId,
    request: v.string(),
    loadout: v.string(),
    /** Absent where checkpoints are turned off. */
    files: v.exactOptional(InitialCheckpoint),
    /** [T37] The cast whose past this one shares, up to that visit, and since when (absent in casts of earlier versions). */
    forkedFrom: v.exactOptional(v.object({ castId: CastId, visit: v.string(), at: v.exactOptional(v.string()) })),
    rehearsed: v.exactOptional(v.literal(true)), // [C36] absent in casts of earlier versions too
    worker,
  }),
  visit_started: v.object({
    type: v.literal("visit_started"),
    ...place,
    materia: v.string(),
    item: v.nullable(v.object({ index: count, key: v.string(), title: v.string() })),
  }),
  handoff_accepted: v.object({
    type: v.literal("handoff_accepted"),
    ...place,
    handoff: object,
    found: v.picklist(["exact", "fenced", "embedded"]),
    dropped: v.array(v.string()),
    hints: v.optional(v.array(v.string())),
    /** The beginning of the reply, where it must serve as the reason of a rework. */
    excerpt: v.optional(v.string()),
    approved,
    usage,
  }),
  output_accepted: v.object({
    type: v.literal("output_accepted"),
    ...place,
    text: v.string(),
    chars: count,
    approved,
    usage,
  }),
  handoff_rejected: v.object({
    type: v.literal("handoff_rejected"),
    ...place,
    attempt: count,
    issues: v.array(v.string()),
    usage,
  }),
  turn_retried: v.object({
    type: v.literal("turn_retried"),
    ...place,
    attempt: count,
    error: v.string(),
    delayMs: v.number(),
  }),
  turn_failed: v.object({ type: v.literal("turn_failed"), ...place, reason: v.string(), message: v.string(), usage }),
  /** A turn that used up what it may, stopped at the end of a reply; what it did so far stands in its transcript. */
  turn_stopped: v.object({ type: v.literal("turn_stopped"), ...place, usage, ms: v.number() }),
  turn_answered: v.object({ type: v.literal("turn_answered"), ...place, text: v.string(), usage }),
  /** In the middle of a turn, behind a tool that wrote; counted from where its visit began. */
  checkpoint_taken: v.object({ type: v.literal("checkpoint_taken"), ...place, files: Checkpoint }),
  visit_completed: v.object({
    type: v.literal("visit_completed"),
    ...place,
    usage,
    totals: Totals,
    /** Absent where it changed no file, or cannot. */
    files: v.exactOptional(v.union([Checkpoint, MissingCheckpoint])),
  }),
  loop_entered: v.object({ type: v.literal("loop_entered"), loop: v.string(), size: count }),
  cursor_advanced: v.object({ type: v.literal("cursor_advanced"), loop: v.string(), index: count, size: count }),
  loop_exhausted: v.object({
    type: v.literal("loop_exhausted"),
    loop: v.string(),
    by: v.picklist(["advance", "empty"]),
  }),
  item_given_up: v.object({
    type: v.literal("item_given_up"),
    loop: v.string(),
    index: count,
    /** Why its last result was not accepted. */
    reason: v.string(),
  }),
  edge_taken: v.object({
    type: v.literal("edge_taken"),
    from: SocketId,
    to: Destination,
    when: v.nullable(Condition),
    via: v.picklist(WAY_KINDS),
    /** Which edge of the socket, or which exit of its loop; null where nobody wrote this way. */
    index: v.nullable(count),
    traversal: count,
    /** The exit's id, where it was one. */
    exit: v.optional(v.string()),
    /** Its traversals were used up: `to` is where its `then` leads. */
    then: v.optional(v.literal(true)),
  }),
  limit_reached: v.object({ type: v.literal("limit_reached"), ...limitFields }),
  /** A parallel loop begins: from which commit, or null and why its items are worked on one by one. */
  loop_forked: v.object({
    type: v.literal("loop_forked"),
    loop: v.string(),
    lanes: wholeNumber(1),
    base: v.nullable(v.string()),
    reason: v.exactOptional(v.string()),
  }),
  /** An item is worked on by a cast of its own. */
  item_started: v.object({
    type: v.literal("item_started"),
    loop: v.string(),
    index: count,
    title: v.string(),
    child: CastId,
    attempt: wholeNumber(1),
    base: v.string(),
  }),
  item_ended: v.object({
    type: v.literal("item_ended"),
    loop: v.string(),
    index: count,
    child: CastId,
    outcome: CastOutcome,
    reason: v.string(),
    /** Its work, kept as a commit; null where it has none. */
    commit: v.nullable(v.string()),
    /** What lies between that and where it began. */
    files: v.exactOptional(ChangeCounts),
    /** The member whose visit moved on behind the item; null where the item ended the cast. */
    advanced: v.nullable(SocketId),
    /** Why it was given up, where it was. */
    gaveUp: v.exactOptional(v.string()),
    satisfied: v.exactOptional(v.boolean()),
    handed: v.nullable(PreviousHandoff),
    notes: v.exactOptional(v.record(v.string(), GeneratorNote)),
    /** What it put into state, in the order in which it did. */
    wrote: v.array(v.tuple([v.array(v.string()), json])),
    /** How often it came by each socket. */
    visits: v.record(v.string(), count),
    usage,
    worker,
    totals: Totals,
    limit: v.exactOptional(v.object(limitFields)),
  }),
  item_merged: v.object({
    type: v.literal("item_merged"),
    loop: v.string(),
    index: count,
    commit: v.string(),
    totals: Totals,
  }),
  item_conflicted: v.object({
    type: v.literal("item_conflicted"),
    loop: v.string(),
    index: count,
    round: wholeNumber(1),
    /** The commit that it could not be merged onto, and the files as git left them. */
    onto: v.string(),
    tree: v.string(),
    files: v.array(v.string()),
    reason: v.string(),
    /** Without what its own cast gave up: it is worked on again. Older journals have none. */
    totals: v.exactOptional(Totals),
  }),
  loop_joined: v.object({
    type: v.literal("loop_joined"),
    loop: v.string(),
    commit: v.string(),
    /** The files as they are then: no visit behind it is credited with what items did. */
    files: v.exactOptional(v.union([Checkpoint, MissingCheckpoint])),
  }),
  /** What others have used of a budget that this cast shares. */
  spent_elsewhere: v.object({ type: v.literal("spent_elsewhere"), usage }),
  cast_warned: v.object({
    type: v.literal("cast_warned"),
    limit: v.picklist(["maxTokens", "maxCostUsd"]),
    used: v.number(),
    of: v.number(),
  }),
  /** Of a person's own socket it says what they are asked. */
  cast_waiting: v.object({ type: v.literal("cast_waiting"), ...place, question: v.optional(v.string()) }),
  person_answered: v.object({ type: v.literal("person_answered"), ...place, text: v.string() }),
  person_finished: v.object({
    type: v.literal("person_finished"),
    ...place,
    /** What the person made of the reply, where they changed it. */
    reply: v.exactOptional(v.string()),
  }),
  person_judged: v.object({
    type: v.literal("person_judged"),
    ...place,
    satisfied: v.boolean(),
    text: v.string(),
  }),
  limits_raised: v.object({
    type: v.literal("limits_raised"),
    maxTokens: v.optional(v.number()),
    maxCostUsd: v.optional(v.number()),
    allow: v.optional(count),
    hint: v.exactOptional(v.string()),
    /** What becomes of items of a parallel loop that were sent back too often. */
    items: v.exactOptional(v.picklist(["accept", "next"])),
  }),
  cast_resumed: v.object({
    type: v.literal("cast_resumed"),
    by: v.string(),
    /** What the visit in flight had used when it was cut off, as far as it had not been counted. */
    usage: v.optional(usage),
    files: v.exactOptional(OutsideChanges), // absent where nothing had changed meanwhile
    worker,
  }),
  cast_ended: v.object({ type: v.literal("cast_ended"), outcome: CastOutcome, reason: v.string(), totals: Totals }),
} as const;

type EventSchemas = typeof EVENT_SCHEMAS;
export type EventType = keyof EventSchemas;
export type EventBody = { [K in EventType]: v.InferOutput<EventSchemas[K]> }[EventType];
export type EventOf<K extends EventType> = v.InferOutput<EventSchemas[K]>;

/** One line of the journal. */
export type CastEvent = EventBody & { readonly seq: number; readonly at: string };

const stampFields = { seq: wholeNumber(1), at: v.string() };
/** Stamp and body in one, so that a long journal is looked at once. */
const LINE_SCHEMAS = new Map(
  Object.entries(EVENT_SCHEMAS).map(([type, body]) => {
    const schema: v.GenericSchema = v.object({ ...stampFields, ...body.entries });
    return [type, { schema, isSound: compileCheck(schema) }];
  }),
);

/** The event, or a sentence on what is wrong with it. */
export function parseEvent(value: unknown): CastEvent | string {
  if (!isJsonObject(value) || typeof value["type"] !== "string") return NOT_AN_EVENT;
  const { type } = value;
  const line = LINE_SCHEMAS.get(type);
  if (!line) return `its type "${type}" is unknown here; a newer version may have written it`;
  if (line.isSound(value)) return value as unknown as CastEvent; // every field of its type has just been checked
  const [issue] = v.safeParse(line.schema, value).issues ?? [];
  const path = (issue && v.getDotPath(issue)) ?? type;
  return path === "seq" || path === "at" ? NOT_AN_EVENT : `its "${path}" is wrong`;
}

const NOT_AN_EVENT = "it is no event (seq, at or type is missing or wrong)";
