import * as v from "valibot";
import { CastId, Destination, SocketId } from "../../model/ids.ts";
import { Condition } from "../../model/loadout.ts";
import { ItemTraversals, OpenPoint, PreviousHandoff, GeneratorNote } from "./parallel-run.ts";
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
import { INTERRUPTED_TURN_EVENTS, event } from "./provider-events.ts";

const count = wholeNumber(0);
const object = v.custom<JsonObject>(isJsonObject);
const json = v.custom<Json>((value) => value !== undefined);
/** A person accepted the last reply, so there was no further turn. */
const approved = v.optional(v.literal(true));
const place = { socket: SocketId, visit: count };
const model = v.exactOptional(v.string()); // that answered, as `provider/id`
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
  "maxRepeatedCalls",
  "maxUnchanged",
] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];
const freshReason = v.picklist(["length", "model", "missing"]);
export type FreshReason = v.InferOutput<typeof freshReason>;
const WAY_KINDS = ["edge", "exit", "none"] as const;

export const CastOutcome = v.picklist(["completed", "not_satisfied", "failed", "aborted"]);
export type CastOutcome = v.InferOutput<typeof CastOutcome>;

const limitFields = {
  limit: v.picklist(LIMIT_NAMES),
  value: v.number(),
  where: v.object({
    socket: SocketId,
    to: v.optional(Destination),
    via: v.optional(v.picklist(WAY_KINDS)),
    index: v.optional(v.nullable(count)),
    when: v.optional(Condition),
    taken: v.optional(count),
    cycle: v.optional(v.array(SocketId)),
    item: v.optional(v.object({ title: v.string(), index: count })),
  }),
};

/** Every event of a cast, by type. A journal line is one of these with `seq` and `at`. */
export const EVENT_SCHEMAS = {
  ...INTERRUPTED_TURN_EVENTS,
  cast_started: event("cast_started", {
    castId: CastId,
    request: v.string(),
    loadout: v.string(),
    files: v.exactOptional(InitialCheckpoint), // absent if checkpoints are off
    /** [T37] The cast whose events this one shares, up to that visit, and the time of the fork. */
    forkedFrom: v.exactOptional(v.object({ castId: CastId, visit: v.string(), at: v.exactOptional(v.string()) })),
    branch: v.exactOptional(v.string()), // [YT1] present if the cast has a separate working tree
    rehearsed: v.exactOptional(v.literal(true)), // [C36] absent in casts of earlier versions too
    worker,
  }),
  visit_started: event("visit_started", {
    ...place,
    materia: v.string(),
    item: v.nullable(v.object({ index: count, key: v.string(), title: v.string() })),
    continues: v.exactOptional(count), // [I1] the visit of this socket whose conversation goes on
    continuesFrom: v.exactOptional(CastId), // [I3] its cast, if that is an earlier attempt at the item
    fresh: v.exactOptional(freshReason), // [I4] why it did not continue one
  }),
  handoff_accepted: event("handoff_accepted", {
    ...place,
    handoff: object,
    found: v.picklist(["exact", "fenced", "embedded", "tool"]),
    dropped: v.array(v.string()),
    hints: v.optional(v.array(v.string())),
    excerpt: v.optional(v.string()), // the start of the reply, if it serves as the reason of a rework
    approved,
    model,
    usage: Usage,
  }),
  output_accepted: event("output_accepted", {
    ...place,
    text: v.string(),
    chars: count,
    approved,
    model,
    usage: Usage,
  }),
  handoff_rejected: event("handoff_rejected", {
    ...place,
    attempt: count,
    issues: v.array(v.string()),
    byTool: v.optional(v.literal(true)), // [H25] it was a call of `hand_over`
    usage: Usage,
  }),
  turn_failed: event("turn_failed", { ...place, reason: v.string(), message: v.string(), usage: Usage }),
  turn_answered: event("turn_answered", { ...place, text: v.string(), model, usage: Usage }),
  /** A checkpoint inside a turn, after a tool that wrote. Counted from the start of its visit. */
  checkpoint_taken: event("checkpoint_taken", { ...place, files: Checkpoint }),
  visit_completed: event("visit_completed", {
    ...place,
    model,
    usage: Usage,
    totals: Totals,
    /** Absent if it changed no file, or cannot. */
    files: v.exactOptional(v.union([Checkpoint, MissingCheckpoint])),
  }),
  visit_skipped: event("visit_skipped", { skips: SocketId, materia: v.string() }), // [V51]
  loop_entered: event("loop_entered", { loop: v.string(), size: count }),
  cursor_advanced: event("cursor_advanced", { loop: v.string(), index: count, size: count }),
  loop_exhausted: event("loop_exhausted", { loop: v.string(), by: v.picklist(["advance", "empty"]) }),
  item_given_up: event("item_given_up", {
    loop: v.string(),
    index: count,
    reason: v.string(),
  }),
  edge_taken: event("edge_taken", {
    from: SocketId,
    to: Destination,
    when: v.nullable(Condition),
    via: v.picklist(WAY_KINDS),
    /** The index of the edge, or of the exit of its loop; null for an implicit way. */
    index: v.nullable(count),
    traversal: count,
    exit: v.optional(v.string()),
    /** The traversals were used up: `to` is the target of `then`. */
    then: v.optional(v.literal(true)),
  }),
  limit_reached: event("limit_reached", { ...limitFields }),
  /** A parallel loop starts: from a commit, or null with the reason why its items run one by one. */
  loop_forked: event("loop_forked", {
    loop: v.string(),
    lanes: wholeNumber(1),
    base: v.nullable(v.string()),
    /** The checked out branch, `refs/heads/…`; null for a detached HEAD. */
    branch: v.exactOptional(v.nullable(v.string())),
    reason: v.exactOptional(v.string()),
  }),
  item_started: event("item_started", {
    loop: v.string(),
    index: count,
    title: v.string(),
    child: CastId,
    attempt: wholeNumber(1),
    base: v.string(),
  }),
  item_ended: event("item_ended", {
    loop: v.string(),
    index: count,
    child: CastId,
    outcome: CastOutcome,
    reason: v.string(),
    commit: v.nullable(v.string()),
    files: v.exactOptional(ChangeCounts),
    /** The member that advanced the item; null if the item ended the cast. */
    advanced: v.nullable(SocketId),
    gaveUp: v.exactOptional(v.string()),
    satisfied: v.exactOptional(v.boolean()),
    handed: v.nullable(PreviousHandoff),
    notes: v.exactOptional(v.record(v.string(), GeneratorNote)),
    open: v.exactOptional(v.array(OpenPoint)), // [P14] what its visits left open
    wrote: v.array(v.tuple([v.array(v.string()), json])),
    newLists: v.exactOptional(v.array(v.string())), // [G26] paths of lists that its agents made
    visits: v.record(v.string(), count),
    /** Its traversals, for a later pass over the same list. */
    counts: v.exactOptional(ItemTraversals),
    usage: Usage,
    worker,
    totals: Totals,
    limit: v.exactOptional(v.object(limitFields)),
  }),
  item_merged: event("item_merged", { loop: v.string(), index: count, commit: v.string(), totals: Totals }),
  item_conflicted: event("item_conflicted", {
    loop: v.string(),
    index: count,
    round: wholeNumber(1),
    /** The commit that it could not be merged onto, and the files as git left them. */
    onto: v.string(),
    tree: v.string(),
    files: v.array(v.string()),
    reason: v.string(),
    accepted: v.exactOptional(v.boolean()), // [V52] only merging is left
    /** Set if its own cast had given it up: it runs again. */
    totals: v.exactOptional(Totals),
  }),
  loop_joined: event("loop_joined", {
    loop: v.string(),
    commit: v.string(),
    /** The files at that time, so that no later visit is credited with the work of items. */
    files: v.exactOptional(v.union([Checkpoint, MissingCheckpoint])),
  }),
  spent_elsewhere: event("spent_elsewhere", { usage: Usage }), // of others, with a shared budget
  cast_warned: event("cast_warned", {
    limit: v.picklist(["maxTokens", "maxCostUsd"]),
    used: v.number(),
    of: v.number(),
  }),
  cast_waiting: event("cast_waiting", { ...place, question: v.optional(v.string()) }),
  person_answered: event("person_answered", { ...place, text: v.string() }),
  person_finished: event("person_finished", {
    ...place,
    reply: v.exactOptional(v.string()),
  }),
  person_judged: event("person_judged", { ...place, satisfied: v.boolean(), text: v.string() }),
  limits_raised: event("limits_raised", {
    maxTokens: v.optional(v.number()),
    maxCostUsd: v.optional(v.number()),
    allow: v.optional(count),
    /** [Z6] How long the cast may sleep from now on, in milliseconds. */
    waitForProvider: v.exactOptional(v.number()),
    hint: v.exactOptional(v.string()),
    /** The decision about parallel items that were sent back too often. */
    items: v.exactOptional(v.picklist(["accept", "next"])),
  }),
  cast_resumed: event("cast_resumed", {
    by: v.string(),
    /** Usage of the interrupted visit that was not counted yet. */
    usage: v.optional(Usage),
    files: v.exactOptional(OutsideChanges), // absent if nothing had changed while the cast was stopped
    worker,
  }),
  cast_ended: event("cast_ended", { outcome: CastOutcome, reason: v.string(), totals: Totals }),
} as const;

type EventSchemas = typeof EVENT_SCHEMAS;
export type EventType = keyof EventSchemas;
export type EventBody = { [K in EventType]: v.InferOutput<EventSchemas[K]> }[EventType];
export type EventOf<K extends EventType> = v.InferOutput<EventSchemas[K]>;

export type CastEvent = EventBody & { readonly seq: number; readonly at: string };

const stampFields = { seq: wholeNumber(1), at: v.string() };

/** Stamp and body in one schema, so that each line is checked once. */
const LINE_SCHEMAS = new Map(
  Object.entries(EVENT_SCHEMAS).map(([type, body]) => {
    const schema: v.GenericSchema = v.object({ ...stampFields, ...body.entries });
    return [type, { schema, isSound: compileCheck(schema) }];
  }),
);

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
