import * as v from "valibot";
import { Rehearsal } from "../model/rehearsal.ts";

const trust = v.optional(v.boolean(), false);

/** [N37] What the page has in hand and no file has yet: a piece of a configuration. */
export const ConfigDraft = v.strictObject({
  materia: v.optional(v.record(v.string(), v.unknown())),
  loadouts: v.optional(v.record(v.string(), v.unknown())),
});
export type ConfigDraft = v.InferInput<typeof ConfigDraft>;

const draft = v.optional(ConfigDraft);

/** [N15] The same text as after `/materia`. */
export const CommandRequest = v.strictObject({ command: v.string(), trust, draft });
export type CommandRequest = v.InferInput<typeof CommandRequest>;

/** [N17] A cast of a loadout or a chain with replies that were typed or made up. */
export const RehearsalRequest = v.strictObject({
  loadout: v.optional(v.string()),
  targets: v.optional(v.pipe(v.array(v.string()), v.minLength(1, "is empty"))),
  prompt: v.string(),
  replies: Rehearsal.entries.replies,
  onEmpty: Rehearsal.entries.onEmpty,
  trust,
  draft,
});
export type RehearsalRequest = v.InferInput<typeof RehearsalRequest>;

/** [N15] A cast that was started or goes on, at once. */
const StartedCast = v.object({ castId: v.string(), notes: v.array(v.string()) });
/** [N16] What any other command would print. */
const PrintedOutput = v.object({ code: v.number(), text: v.string(), data: v.unknown() });

export const CommandResponse = v.union([StartedCast, PrintedOutput]);
export type CommandResponse = v.InferOutput<typeof CommandResponse>;
