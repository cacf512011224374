import * as v from "valibot";
import { CastCommand, TYPED_COMMANDS } from "../command/command.ts";
import { isJsonObject } from "../model/json.ts";
import { Rehearsal } from "../model/rehearsal.ts";

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
