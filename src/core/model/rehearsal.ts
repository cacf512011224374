import * as v from "valibot";
import { described, nonEmptyText, setting, wholeNumber } from "./schemas.ts";

const count = wholeNumber(0);

const ScriptedToolCall = v.strictObject({
  name: described(nonEmptyText, "The tool to run."),
  arguments: v.optional(described(v.record(v.string(), v.unknown()), "What the tool is given."), {}),
  fails: setting(v.literal(true), "It is meant to fail."),
});

/** [A13] The actions and the answer of an agent in one turn. */
export const ScriptedReply = v.pipe(
  v.strictObject({
    text: setting(v.string(), "The reply as it is, malformed or not."),
    json: setting(v.unknown(), "The reply, to be written as JSON."),
    error: setting(
      v.picklist(["provider", "timeout", "overflow", "overload", "limit", "quota"]),
      "How the provider fails instead.",
    ),
    resetMs: setting(count, "With the error limit: after how long the limit passes."),
    tools: v.optional(described(v.array(ScriptedToolCall), "Tools to run first, one after another."), []),
    delayMs: setting(count, "How long the model seems to think."),
    usage: v.optional(v.strictObject({ input: count, output: count })),
  }),
  v.check(
    (reply) => countAnswers(reply) === 1 || (countAnswers(reply) === 0 && reply.tools.length > 0),
    "needs exactly one of text, json and error",
  ),
  v.check((reply) => reply.resetMs === undefined || reply.error === "limit", 'has resetMs without the error "limit"'),
);
export type ScriptedReply = v.InferOutput<typeof ScriptedReply>;

/** [YP13] What a tool of a server answers. */
const PlayedTool = v.strictObject({
  result: described(v.unknown(), "What the tool answers: a text, or a value as JSON."),
  fails: setting(v.literal(true), "It fails, and the result says why."),
});

/** [A10] A cast without a model: replies by socket id or materia name, optionally for one item. */
export const Rehearsal = v.strictObject({
  $schema: v.optional(v.string()),
  replies: described(
    v.record(v.string(), v.array(ScriptedReply)),
    "Socket id or materia name, perhaps with an item (Build@WI-2) → replies in order.",
  ),
  tools: setting(
    v.record(v.string(), PlayedTool),
    "Tools of servers (mcp__db__query) and what they answer: a rehearsal starts no server.",
  ),
  onEmpty: v.optional(described(v.picklist(["fail", "repeat-last"]), "What happens when the replies run out."), "fail"),
  cast: setting(v.unknown(), "What a test casts; a rehearsal alone does not look at it."),
  config: setting(v.unknown(), "The configuration of a test, beside the file."),
  expect: setting(v.unknown(), "What a test expects: a rehearsal that has it is a test."),
});
export type Rehearsal = v.InferOutput<typeof Rehearsal>;

function countAnswers(reply: {
  readonly text?: string | undefined;
  readonly json?: unknown;
  readonly error?: unknown;
}): number {
  return [reply.text, reply.json, reply.error].filter((said) => said !== undefined).length;
}
