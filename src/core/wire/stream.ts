import * as v from "valibot";
import type { FleetStatus } from "../view/progress/fleet-status.ts";
import { failWith, ok, type Result } from "../model/issue.ts";
import { CastEventSchema, CastSummarySchema } from "./casts.ts";
import { parseResponse } from "./response.ts";
import { wholeNumber } from "../model/schemas.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const place = { socket: v.string(), visit: count };

/** [N13] The current activity of an agent. It is not stored; the journal has the result. */
export const AgentProgress = v.variant("kind", [
  v.object({ kind: v.literal("asked"), ...place }),
  /** `from` characters of this turn came before, so that a listener can detect a gap. */
  v.object({ kind: v.picklist(["text", "thinking"]), ...place, from: count, delta: v.string() }),
  v.object({
    kind: v.literal("tool_started"),
    ...place,
    id: v.string(),
    name: v.string(),
    args: v.optional(v.unknown()),
  }),
  /** The end of the output of a running tool. */
  v.object({ kind: v.literal("tool_said"), ...place, id: v.string(), said: v.string() }),
  v.object({
    kind: v.literal("tool_ended"),
    ...place,
    id: v.string(),
    name: v.string(),
    failed: v.boolean(),
    said: v.optional(v.string(), ""),
  }),
  /** The usage of the turn so far. */
  v.object({
    kind: v.literal("used"),
    ...place,
    usage: v.object({ input: v.number(), output: v.number(), cost: v.number() }),
  }),
  v.object({
    kind: v.literal("retrying"),
    ...place,
    attempt: count,
    delayMs: v.number(),
    error: v.string(),
  }),
]);
export type AgentProgress = v.InferOutput<typeof AgentProgress>;

/** [N11, N12] The stream of one cast, by the name of the server-sent event; `message` is the default name. */
const CAST_STREAM = {
  message: CastEventSchema,
  progress: AgentProgress,
  live: v.object({ live: v.boolean() }),
  /** [V25] The cast of an item arrives at a socket. */
  item: v.object({ child: v.string(), socket: v.string() }),
  /** The journal was replaced: the page must load everything again. */
  reset: v.object({}),
  /** The journal is damaged after this line; the stream ends here. */
  damaged: v.object({ line: count }),
} as const;

/** [N10] The stream of all casts. */
const CASTS_STREAM = {
  cast: CastSummarySchema,
  gone: v.object({ castId: v.string() }),
  ready: v.object({}),
  /** A configuration file changed. */
  config: v.object({}),
} as const;

/** The part of a visit with a hit, by the name of its tab. */
export const SearchHitPlace = v.picklist(["output", "prompt", "tools", "handoff"]);
export type SearchHitPlace = v.InferOutput<typeof SearchHitPlace>;

/** [N43] One hit of a search. */
export const SearchHit = v.object({
  castId: v.string(),
  request: v.string(),
  socket: v.string(),
  visit: wholeNumber(1),
  materia: v.string(),
  in: SearchHitPlace,
  /** The hit and the text around it. */
  before: v.string(),
  match: v.string(),
  after: v.string(),
});
export type SearchHit = v.InferOutput<typeof SearchHit>;

/** How much was searched, and why the search ended. */
export const SearchEnd = v.object({ casts: wholeNumber(0), isCut: v.boolean() });
export type SearchEnd = v.InferOutput<typeof SearchEnd>;

/** [N43] The stream of a search. */
const SEARCH_STREAM = {
  found: SearchHit,
  over: SearchEnd,
} as const;

const listOf = <const T extends v.GenericSchema>(each: T) => v.pipe(v.array(each), v.readonly());

const WorkerSchema = v.object({
  worker: v.string(),
  host: v.string(),
  pid: v.number(),
  version: v.string(),
  state: v.picklist(["up", "draining", "gone"]),
  queues: listOf(v.string()),
  concurrency: count,
  casts: listOf(v.string()),
  leaves: v.nullable(v.string()),
  silentMs: v.number(),
});

const WaitReasonSchema = v.variant("kind", [
  v.object({ kind: v.literal("blocked"), why: v.string() }),
  v.object({
    kind: v.literal("limit"),
    limits: listOf(v.object({ kind: v.picklist(["all", "project", "provider"]), name: v.string(), most: count })),
  }),
  v.object({ kind: v.literal("nobody_up") }),
  v.object({ kind: v.literal("busy") }),
  v.object({ kind: v.literal("soon") }),
]);

const QueuedCastSchema = v.object({
  castId: v.string(),
  request: v.string(),
  loadout: v.string(),
  project: v.string(),
  person: v.string(),
  queue: v.string(),
  place: count,
  waitsMs: v.number(),
  why: WaitReasonSchema,
});

/** [B29] The status of a fleet on the wire. */
const FleetStatusSchema = v.object({
  workers: listOf(WorkerSchema),
  queued: count,
  queue: listOf(QueuedCastSchema),
}) satisfies v.GenericSchema<unknown, FleetStatus>;

/** [B29] The stream of a fleet. */
const FLEET_STREAM = {
  fleet: FleetStatusSchema,
} as const;

type StreamSchemas = Readonly<Record<string, v.GenericSchema>>;
type MessageOf<S extends StreamSchemas> = {
  [K in keyof S & string]: { readonly kind: K; readonly data: v.InferOutput<S[K]> };
}[keyof S & string];

export type CastMessage = MessageOf<typeof CAST_STREAM>;
export type CastListMessage = MessageOf<typeof CASTS_STREAM>;
export type SearchMessage = MessageOf<typeof SEARCH_STREAM>;
export type FleetMessage = MessageOf<typeof FLEET_STREAM>;
/** Every message of a stream. */
export type StreamMessage = CastMessage | CastListMessage | SearchMessage | FleetMessage;

export function readCastMessage(kind: string, text: string): Result<CastMessage> {
  return readMessage(CAST_STREAM, kind, text);
}

export function readCastListMessage(kind: string, text: string): Result<CastListMessage> {
  return readMessage(CASTS_STREAM, kind, text);
}

export function readSearchMessage(kind: string, text: string): Result<SearchMessage> {
  return readMessage(SEARCH_STREAM, kind, text);
}

export function readFleetMessage(kind: string, text: string): Result<FleetMessage> {
  return readMessage(FLEET_STREAM, kind, text);
}

function readMessage<const S extends StreamSchemas>(shapes: S, kind: string, text: string): Result<MessageOf<S>> {
  const shape = Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
  if (!shape) return failWith("unexpected_response", kind, "the server sent a message that this page does not know");
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return failWith("unexpected_response", kind, "the server sent a message that is not JSON");
  }
  const read = parseResponse(shape, raw, kind);
  return read.ok ? ok({ kind, data: read.value }) : read;
}

const EXCERPT_MARGIN = 80;

/** The first hit in a text, with the text around it; case does not matter. */
export function excerptAround(text: string, needle: string): Pick<SearchHit, "before" | "match" | "after"> | undefined {
  const lower = text.toLowerCase();
  // A letter that becomes two letters in lower case would shift all later positions.
  const at = lower.length === text.length ? lower.indexOf(needle.toLowerCase()) : text.indexOf(needle);
  if (at === -1) return undefined;
  const end = at + needle.length;
  const flat = (piece: string): string => piece.replaceAll(/\s+/g, " ");
  return {
    before: `${at > EXCERPT_MARGIN ? "…" : ""}${flat(text.slice(Math.max(0, at - EXCERPT_MARGIN), at))}`,
    match: text.slice(at, end),
    after: `${flat(text.slice(end, end + EXCERPT_MARGIN))}${end + EXCERPT_MARGIN < text.length ? "…" : ""}`,
  };
}
