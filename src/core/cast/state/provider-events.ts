import * as v from "valibot";
import { SocketId } from "../../model/ids.ts";
import { wholeNumber } from "../../model/schemas.ts";
import { Usage } from "./usage.ts";

const count = wholeNumber(0);
const place = { socket: SocketId, visit: count };
export function event<const K extends string, const E extends v.ObjectEntries>(type: K, entries: E) {
  return v.object({ type: v.literal(type), ...entries });
}

/** Usage and time of a turn up to the refusal of the provider; absent where Pi itself sends the request again. */
const refusedFields = { usage: v.exactOptional(Usage), ms: v.exactOptional(v.number()) };

export const INTERRUPTED_TURN_EVENTS = {
  turn_retried: event("turn_retried", {
    ...place,
    attempt: count,
    error: v.string(),
    delayMs: v.number(),
    ...refusedFields,
  }),
  /** A turn that reached its limit and stopped at the end of a reply. Its transcript holds the work so far. */
  turn_stopped: event("turn_stopped", {
    ...place,
    usage: Usage,
    ms: v.number(),
    /** [Z15] How often the agent repeated one tool call, if that ended the turn. */
    repeated: v.exactOptional(count),
  }),
  /** [Z9] Pi has summarised the conversation because it was long. */
  turn_compacted: event("turn_compacted", { ...place, reason: v.string(), tokensBefore: v.number() }),
  /** [YP20] A dialog of an extension, and how it ended after `ms`. */
  extension_asked: event("extension_asked", {
    ...place,
    extension: v.string(),
    question: v.string(),
    outcome: v.picklist(["yes", "no", "chosen", "typed", "dismissed", "nobody"]),
    choice: v.exactOptional(v.string()),
    ms: count,
  }),
  /** [Z8] Another model continues the turn. */
  model_switched: event("model_switched", {
    ...place,
    from: v.string(),
    to: v.string(),
    reason: v.string(),
    /** Until when the first model is not asked; null for the rest of the cast. */
    until: v.exactOptional(v.nullable(v.string())),
    ...refusedFields,
  }),
  /** [Z3] Nobody is asked before `until`. Visit 0: all running items of a parallel loop sleep. */
  cast_sleeping: event("cast_sleeping", {
    ...place,
    until: v.string(),
    provider: v.string(),
    model: v.string(),
    reason: v.string(),
    /** [Z4] Set if no process waits: a person continues the cast. */
    paused: v.exactOptional(v.literal(true)),
    ...refusedFields,
  }),
  cast_woken: event("cast_woken", {}),
} as const;
