import * as v from "valibot";
import { Loadout } from "./loadout.ts";
import { AgentMateria, Materia, ModelList, PersonMateria, UtilityMateria } from "./materia.ts";
import { described, exactSetting, nonEmptyText, setting, wholeNumber } from "./schemas.ts";
import { readDuration } from "./text.ts";

/** Where a value can come from; later ones win. */
export const LAYER_NAMES = ["bundled", "user", "project", "environment", "explicit"] as const;

const nonNegative = v.pipe(v.number(), v.minValue(0, "must not be negative"), v.finite("must be finite"));
const count = wholeNumber(0);
const countSetting = (description: string) => setting(count, description);
const program = v.pipe(v.array(v.string()), v.minLength(1, "names no program"));

/** `30m`, `8h`, or a number of milliseconds; read as milliseconds. */
const duration = (description: string) =>
  v.pipe(
    v.union([v.string(), nonNegative], "must be a duration such as 30m or 8h"),
    v.check((value) => durationMs(value) !== undefined, "must be a duration such as 30m or 8h"),
    v.description(description),
    v.transform((value) => durationMs(value) ?? 0),
  );

function durationMs(value: string | number): number | undefined {
  return typeof value === "number" ? value : readDuration(value);
}

export const Budget = v.object({
  maxTokens: setting(count, "Tokens after which no further request to a model is made."),
  maxCostUsd: setting(nonNegative, "Dollars after which no further request to a model is made."),
  warnAtPercent: setting(v.pipe(nonNegative, v.maxValue(100, "must be at most 100")), "When to warn."),
});
export type Budget = v.InferOutput<typeof Budget>;

export const Limits = v.object({
  maxNoAdvanceCycles: countSetting("Returns to a socket without progress before the cast fails."),
  maxRepairs: countSetting("Turns that ask for a valid handoff before the cast fails."),
  maxUnchanged: countSetting(
    "Visits in a row that were sent back and changed no file before the cast stops; 2 if unset.",
  ),
  maxConflicts: countSetting(
    "How often an item of a parallel loop is done again because its work could not be merged.",
  ),
  maxConversationTokens: countSetting(
    "Tokens above which a conversation is not continued (`conversation`); 60000 if unset.",
  ),
  agentSilenceMs: countSetting("Milliseconds without a sign of life after which an agent is ended; 0 waits for ever."),
  maxRetries: countSetting("How often a failed request to the model is sent again."),
  retryBaseMs: countSetting("Milliseconds before the first retry; each further one waits twice as long."),
  maxRetryAfter: v.optional(
    duration("The longest wait that a provider names and that is an ordinary retry; 5m if unset."),
  ),
  waitForProvider: v.optional(
    duration("How long a cast may sleep in all until limits of a provider have passed; --wait wins over it."),
  ),
  maxRepeatedCalls: countSetting(
    "The same tool call with the same result so often in a row ends the turn; 8 if unset, 0 for never.",
  ),
});
export type Limits = v.InferOutput<typeof Limits>;

type RequiredLimits<K extends keyof Limits> = { readonly [P in K]-?: NonNullable<Limits[P]> };

export type CastLimits = RequiredLimits<"maxNoAdvanceCycles" | "maxRepairs"> &
  Pick<Limits, "maxConflicts" | "maxConversationTokens" | "maxUnchanged" | "maxRetries"> &
  Pick<Limits, "maxRetryAfter" | "waitForProvider" | "maxRepeatedCalls">;

/** [Z2, Z15] The defaults also apply to casts that were written without these limits. */
export const LIMIT_DEFAULTS = {
  maxUnchanged: 2,
  maxConflicts: 2,
  maxConversationTokens: 60_000,
  maxRetryAfter: 5 * 60_000,
  maxRepeatedCalls: 8,
} as const;

export function limitOf(limits: Partial<Limits>, name: keyof typeof LIMIT_DEFAULTS): number {
  return limits[name] ?? LIMIT_DEFAULTS[name];
}

/** What a working tree of a parallel item needs besides the files of the repository. */
export const WorktreeConfig = v.object({
  copy: setting(
    v.array(nonEmptyText),
    "Files and folders that git ignores and an item needs, such as .env; copied, never linked.",
  ),
  setup: setting(program, "A program and its arguments, run once in each new tree, such as npm ci."),
});
export type WorktreeConfig = v.InferOutput<typeof WorktreeConfig>;

/** [B3] The database of a fleet, and the settings of its workers. */
export const FleetProfile = v.object({
  url: described(
    nonEmptyText,
    "The database: postgres://user@host/name. $NAME stands for a variable of the environment.",
  ),
  ca: exactSetting(v.string(), "A file with the certificate that signs the server's, where it is a private one."),
  project: exactSetting(
    nonEmptyText,
    "The project that casts belong to; the name of the project's folder if unset, so that a folder of another name is another project.",
  ),
  queue: exactSetting(nonEmptyText, 'The queue that casts wait in; "casts" if unset.'),
  setup: exactSetting(
    program,
    "A program and its arguments that a worker runs once in each tree that it makes, such as npm ci.",
  ),
  deliver: exactSetting(
    v.picklist(["push"]),
    "push: a worker pushes the result of each cast that it completes as the branch materia/<castId>, unless something in it looks like a secret.",
  ),
  remotes: exactSetting(
    v.array(nonEmptyText),
    "Addresses of repositories, or what they begin with: a worker fetches and pushes only there. If unset, everywhere over https and ssh, and in no folder of the worker's machine.",
  ),
  maxCheckpointBytes: exactSetting(count, "How large the files of one checkpoint may be, packed; 200 MB if unset."),
});
export type FleetProfile = v.InferOutput<typeof FleetProfile>;

export const FleetConfig = v.object({
  profiles: described(v.record(v.string(), FleetProfile), "Fleets by the name that --on takes."),
});
export type FleetConfig = v.InferOutput<typeof FleetConfig>;

/** [TM5] Where the spans of casts are sent. */
export const TelemetryConfig = v.object({
  otlp: described(
    v.pipe(
      v.string(),
      v.check((text) => /^https?:\/\/[^\s/]/.test(text), "must be an address that begins with http:// or https://"),
    ),
    "A collector of OpenTelemetry that takes OTLP/JSON over HTTP, such as http://127.0.0.1:4318.",
  ),
  headers: exactSetting(
    v.record(v.string(), v.string()),
    "Headers of each request. $NAME stands for a variable of the environment.",
  ),
  contents: exactSetting(v.boolean(), "Whether requests, replies and tool arguments are sent too; false if unset."),
});
export type TelemetryConfig = v.InferOutput<typeof TelemetryConfig>;

/** [YN1] What receivers hear of. */
export const NOTICE_KINDS = ["waiting", "failed", "ended", "sleeping", "queue"] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** [YN1] A receiver of notices. */
export const NoticeTarget = v.strictObject({
  url: described(nonEmptyText, "Where the notices are posted. $NAME stands for a variable of the environment."),
  on: exactSetting(v.array(v.picklist(NOTICE_KINDS)), "What it hears of; everything if unset."),
  format: exactSetting(v.picklist(["webhook", "slack", "ntfy"]), "webhook if unset."),
  secret: exactSetting(v.string(), "Signs each notice as Standard Webhooks do. $NAME as in url."),
  contents: exactSetting(v.boolean(), "Whether requests, questions and reasons are sent too."),
});
export type NoticeTarget = Readonly<v.InferOutput<typeof NoticeTarget>>;

/** [YP8] A word in braces is one that is filled in. */
const SandboxWord = v.pipe(
  nonEmptyText,
  v.regex(
    /^(?:(?!\{\{.*?\}\})[\s\S]|\{\{(?:cwd|home|gitDir)\}\})*$/,
    "may have the words {{cwd}}, {{home}} and {{gitDir}}, and no others",
  ),
);

/** [YP8] How the programs of an agent are started. */
export const SandboxProfile = v.object({
  command: described(
    v.pipe(v.array(SandboxWord, "must be a list of words, as no shell reads it"), v.minLength(1, "names no program")),
    "A program and its arguments that each program of the agent is started through. {{cwd}}, {{home}} and {{gitDir}} are filled in.",
  ),
});
export type SandboxProfile = v.InferOutput<typeof SandboxProfile>;

export const settingsSchemaEntries = {
  $schema: v.optional(v.string()),
  artifactDir: setting(nonEmptyText, "Where casts are kept."),
  activeLoadout: setting(v.string(), "The loadout that `cast` runs."),
  model: setting(
    ModelList,
    "The model, or models in order, of agents whose materia names none; Pi's own default if unset. `--model` wins over both.",
  ),
  budget: v.optional(Budget),
  limits: v.optional(Limits),
  notify: setting(
    v.union([v.boolean(), v.array(NoticeTarget)], "must be true, false, or in your own file a list of receivers"),
    "In your own file: receivers of notices, { url, on, format, secret }. Else whether a cast in Pi rings the bell, tells the desktop where the terminal can, and names itself in the window's title when it waits, fails or ends. Default true.",
  ),
  checkpoints: setting(v.boolean(), "Whether the files are kept after every visit that changed them; true if unset."),
  worktree: setting(WorktreeConfig, "What the working trees of parallel items are given."),
  fleet: setting(FleetConfig, "Fleets of machines that drive casts; read from the user's own file alone."),
  sandboxes: setting(
    v.record(nonEmptyText, SandboxProfile),
    "Sandboxes by the name that `sandbox` of a materia takes; read from the user's own file alone.",
  ),
  telemetry: setting(TelemetryConfig, "Where spans of casts are sent; read from the user's own file alone."),
};

/** A materia that lists only its differences. The rest comes from the materia that it extends. */
const ExtendingMateria = v.object({
  ...v.partial(PersonMateria).entries,
  ...v.partial(UtilityMateria).entries,
  ...v.partial(AgentMateria).entries,
  type: v.optional(v.picklist(["agent", "utility", "person"])),
  extends: v.string(),
});

/** A whole file, as editors see it. It is read part by part, so that one invalid loadout blocks no other. */
export const Config = v.object({
  ...settingsSchemaEntries,
  materia: setting(
    v.record(v.string(), v.nullable(v.union([Materia, ExtendingMateria]))),
    "Reusable behaviours by name.",
  ),
  loadouts: setting(v.record(v.string(), v.nullable(Loadout)), "Graphs by name."),
});
