import * as v from "valibot";
import { wholeNumber } from "./schemas.ts";

const count = wholeNumber(0);

const ScriptedToolCall = v.strictObject({
  name: v.pipe(v.string(), v.minLength(1, "is empty"), v.description("The tool to run.")),
  arguments: v.optional(v.pipe(v.record(v.string(), v.unknown()), v.description("What the tool is given.")), {}),
  fails: v.optional(v.pipe(v.literal(true), v.description("It is meant to fail."))),
});

/** [A13] The actions and the answer of an agent in one turn. */
export const ScriptedReply = v.pipe(
  v.strictObject({
    text: v.optional(v.pipe(v.string(), v.description("The reply as it is, malformed or not."))),
    json: v.optional(v.pipe(v.unknown(), v.description("The reply, to be written as JSON."))),
    error: v.optional(
      v.pipe(
        v.picklist(["provider", "timeout", "overflow", "overload", "limit", "quota"]),
        v.description("How the provider fails instead."),
      ),
    ),
    resetMs: v.optional(v.pipe(count, v.description("With the error limit: after how long the limit passes."))),
    tools: v.optional(v.pipe(v.array(ScriptedToolCall), v.description("Tools to run first, one after another.")), []),
    delayMs: v.optional(v.pipe(count, v.description("How long the model seems to think."))),
    usage: v.optional(v.strictObject({ input: count, output: count })),
  }),
  v.check(
    (reply) => countAnswers(reply) === 1 || (countAnswers(reply) === 0 && reply.tools.length > 0),
    "needs exactly one of text, json and error",
  ),
  v.check((reply) => reply.resetMs === undefined || reply.error === "limit", 'has resetMs without the error "limit"'),
);
export type ScriptedReply = v.InferOutput<typeof ScriptedReply>;

/** [A10] A cast without a model: replies by socket id or materia name, optionally for one item. */
export const Rehearsal = v.strictObject({
  $schema: v.optional(v.string()),
  replies: v.pipe(
    v.record(v.string(), v.array(ScriptedReply)),
    v.description("Socket id or materia name, perhaps with an item (Build@WI-2) → replies in order."),
  ),
  onEmpty: v.optional(
    v.pipe(v.picklist(["fail", "repeat-last"]), v.description("What happens when the replies run out.")),
    "fail",
  ),
  cast: v.optional(v.pipe(v.unknown(), v.description("What a test casts; a rehearsal alone does not look at it."))),
  config: v.optional(v.pipe(v.unknown(), v.description("The configuration of a test, beside the file."))),
  expect: v.optional(v.pipe(v.unknown(), v.description("What a test expects: a rehearsal that has it is a test."))),
});
export type Rehearsal = v.InferOutput<typeof Rehearsal>;

function countAnswers(reply: {
  readonly text?: string | undefined;
  readonly json?: unknown;
  readonly error?: unknown;
}): number {
  return [reply.text, reply.json, reply.error].filter((said) => said !== undefined).length;
}
