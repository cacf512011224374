import * as v from "valibot";
import { CastCommand, TYPED_COMMANDS } from "../command/command.ts";
import { isJsonObject } from "../model/json.ts";
import { Rehearsal } from "../model/rehearsal.ts";
import { failWith, ok, type Issue, type Result } from "../model/issue.ts";

const name = v.pipe(v.string(), v.minLength(1, "is empty"));
const trust = v.optional(v.boolean(), false);

/** [N37] An unsaved draft of the page: a part of a configuration. */
export const ConfigDraft = v.strictObject({
  materia: v.optional(v.record(v.string(), v.unknown())),
  loadouts: v.optional(v.record(v.string(), v.unknown())),
});
export type ConfigDraft = v.InferInput<typeof ConfigDraft>;

const draft = v.optional(ConfigDraft);

/** [N49] A command as JSON. */
export const TypedCommand = v.variant("kind", TYPED_COMMANDS);
export type TypedCommand = Readonly<v.InferOutput<typeof TypedCommand>>;

/** [N49] The run options of a typed command. */
const TypedCommandOptions = v.strictObject({
  model: v.exactOptional(name),
  /** Milliseconds. */
  wait: v.exactOptional(v.pipe(v.number(), v.minValue(0, "must not be negative"))),
  rehearse: v.exactOptional(name),
  anyway: v.exactOptional(v.literal(true)),
  worktree: v.exactOptional(v.literal(true)),
  "with-changes": v.exactOptional(v.literal(true)),
  detach: v.exactOptional(v.literal(true)),
});
export type TypedCommandOptions = Readonly<v.InferOutput<typeof TypedCommandOptions>>;

/** [N15] The same text as after `/materia`. */
const TextCommandRequest = v.strictObject({ command: v.string(), trust, draft });
const TypedCommandRequest = v.strictObject({
  command: TypedCommand,
  options: v.optional(TypedCommandOptions, {}),
  trust,
  draft,
});
export interface TypedCommandRequest extends Omit<v.InferInput<typeof TypedCommandRequest>, "command"> {
  readonly command: TypedCommand;
}

/** Text or typed, by the type of `command`: a union of both would report the issues of neither. */
export const CommandRequest = v.lazy((body: unknown) =>
  isJsonObject(body) && isJsonObject(body["command"]) ? TypedCommandRequest : TextCommandRequest,
);

/** [N17] A rehearsal of a loadout or a chain, with given or generated replies. */
export const RehearsalRequest = v.strictObject({
  loadout: v.optional(name),
  targets: v.optional(v.pipe(v.array(name), v.minLength(1, "is empty"))),
  prompt: CastCommand.entries.prompt,
  replies: Rehearsal.entries.replies,
  onEmpty: Rehearsal.entries.onEmpty,
  trust,
  draft,
});
export type RehearsalRequest = v.InferInput<typeof RehearsalRequest>;

/** [N15] The immediate response to a command that starts or resumes a cast. */
const StartedCast = v.object({ castId: v.string(), notes: v.array(v.string()) });
/** [N16] The output of any other command. */
const PrintedOutput = v.object({ code: v.number(), text: v.string(), data: v.unknown() });

export const CommandResponse = v.union([StartedCast, PrintedOutput]);
export type CommandResponse = v.InferOutput<typeof CommandResponse>;

const Problem = v.looseObject({
  severity: v.picklist(["error", "warning", "info"]),
  code: v.string(),
  message: v.string(),
  hint: v.optional(v.string()),
});

/** An issue on the wire. Fields of a newer server pass. */
export const IssueSchema = v.custom<Issue>((value) => v.is(Problem, value), "is no problem");

/** [N8] The response to every refused request. */
export const ErrorResponse = v.object({ issues: v.array(IssueSchema) });
export type ErrorResponse = v.InferOutput<typeof ErrorResponse>;

/** The parsed response, or a message for a person whose only remedy is to reload the page. */
export function parseResponse<const T extends v.GenericSchema>(
  schema: T,
  value: unknown,
  what: string,
): Result<v.InferOutput<T>> {
  const read = v.safeParse(schema, value);
  if (read.success) return ok(read.output);
  const [first] = read.issues;
  const place = v.getDotPath(first);
  const where = place === null ? "" : ` at "${place}"`;
  const hint = "page and server may be of different versions: reload the page";
  return failWith("unexpected_response", what, `the response of the server is invalid${where}: ${first.message}`, hint);
}

/** [N39] The key that a browser receives once, with the token, to log in again later. */
export const LoginKey = v.object({ key: v.string() });
export type LoginKey = v.InferOutput<typeof LoginKey>;

/** Changes with every start of the server. */
export const LoginChallenge = v.object({ challenge: v.string() });
export type LoginChallenge = v.InferOutput<typeof LoginChallenge>;

export const LoginProof = v.strictObject({ proof: v.pipe(v.string(), v.maxLength(100)) });

export const LoginToken = v.object({ token: v.string() });
export type LoginToken = v.InferOutput<typeof LoginToken>;

/** The signed text. It has the address, not a name: a name may resolve to another server on this machine. */
export function loginMessage(port: number, challenge: string): string {
  return `pi-materia ui\n127.0.0.1:${port}\n${challenge}`;
}
