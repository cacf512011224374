import { failWith, error, fail, ok, type Issue, type Result } from "../model/issue.ts";
import { didYouMean } from "../model/text.ts";
import { readCount, type Options } from "./options.ts";
import type { CastCommand, Command, LinkCommand } from "./command.ts";
import { given, usageOf, type CommandInput, type ParsedCommand } from "./command-input.ts";
import type { CommandRow } from "./command-table.ts";
import { withoutUndefined } from "../model/json.ts";

export const FLEET_ACTIONS = ["up", "down", "migrate", "workers", "limits", "schedule"] as const;

export type FleetCommand = { readonly kind: "fleet" } & (
  | { readonly action: "up"; readonly workers?: number }
  | { readonly action: "down" | "migrate" | "workers" }
  | { readonly action: "limits"; readonly change?: FleetLimitChange }
  | { readonly action: "schedule"; readonly what: ScheduleAction }
);

/** [B23] Actions on the schedules of a fleet. */
export const SCHEDULE_ACTIONS = ["add", "list", "remove"] as const;
export type ScheduleAction =
  | { readonly kind: "list" }
  | { readonly kind: "remove"; readonly id: number }
  | {
      readonly kind: "add";
      readonly cron: string;
      readonly zone?: string;
      readonly tree: "as it is now" | "of the branch";
      readonly submits: { readonly command: CastCommand | LinkCommand; readonly options: Options };
    };

/** [B22] Limits on the casts that run at once. [B82] `waiting` and `bytes` limit what one member submits. */
export const FLEET_LIMIT_KINDS = ["all", "project", "provider", "waiting", "bytes"] as const;
export type FleetLimitKind = (typeof FLEET_LIMIT_KINDS)[number];

export interface FleetLimit {
  readonly kind: FleetLimitKind;
  /** The project or provider; empty for the other kinds. */
  readonly name: string;
}

/** Without a number the limit is removed. */
export interface FleetLimitChange extends FleetLimit {
  readonly most?: number;
}

const MAX_COUNT = 1_000_000;

export function readTake({ positional: [castId], options: { merge, pr } }: CommandInput): Result<Command> {
  if (merge && pr) return failWith("bad_option", "--pr", "use either --merge or --pr");
  return given("take", { castId, as: merge ? "merge" : pr ? "pr" : undefined });
}

function missingFleetIssue(row: CommandRow): Issue {
  return error("missing_option", "--on", "the command needs the name of a fleet", usageOf(row));
}

export function readWorker({ row, options }: CommandInput): Result<Command> {
  if (options.on === undefined) return fail(missingFleetIssue(row));
  const { concurrency, queues, port, "tools-user": toolsUser } = options;
  if (concurrency === 0) return failWith("bad_option", "--concurrency", "a worker runs at least one cast at a time");
  const named = queues?.split(",").map((name) => name.trim());
  if (named?.includes("")) return failWith("bad_option", "--queues", "a queue has no name", usageOf(row));
  return given("worker", { concurrency: concurrency ?? 1, queues: named && [...new Set(named)], port, toolsUser });
}

export function readFleet(input: CommandInput): Result<Command> {
  const { row, positional, options, afterDelimiter: behind } = input;
  const [first, ...words] = positional;
  const action = FLEET_ACTIONS.find((known) => known === first);
  if (!action) {
    const message = `fleet takes ${FLEET_ACTIONS.join(", ")}`;
    const hint = didYouMean(first ?? "", FLEET_ACTIONS) ?? usageOf(row);
    return failWith("unknown_word", first ?? "fleet", message, hint);
  }
  const isLocal = action === "up" || action === "down";
  if (!isLocal && options.on === undefined) return fail(missingFleetIssue(row));
  if (action === "schedule") return readSchedule(input);
  const [more = behind ? "--" : undefined] = action === "limits" ? [] : words;
  if (more !== undefined)
    return failWith("too_many_words", more, `fleet ${action} takes no words`, `usage: ${row.usage}`);
  if (action === "limits") return readLimits(row, words);
  return action === "up" ? given("fleet", { action, workers: options.workers }) : given("fleet", { action });
}

/** `set project website 3`, `set all 10`, `unset provider anthropic`. */
function readLimits(row: CommandRow, [verb, what, ...words]: readonly string[]): Result<Command> {
  const usage = `usage: ${row.usage}`;
  if (verb === undefined) return given("fleet", { action: "limits" });
  if (verb !== "set" && verb !== "unset") {
    const hint = didYouMean(verb, ["set", "unset"]) ?? usage;
    return failWith("unknown_word", verb, "fleet limits takes set or unset", hint);
  }
  const kind = FLEET_LIMIT_KINDS.find((known) => known === what);
  if (!kind) {
    const hint = didYouMean(what ?? "", FLEET_LIMIT_KINDS) ?? usage;
    return failWith("unknown_word", what ?? verb, `a limit is for ${FLEET_LIMIT_KINDS.join(", ")}`, hint);
  }
  const isNamed = kind === "project" || kind === "provider";
  const [name = "", ...numbers] = isNamed ? words : ["", ...words];
  if (isNamed && name === "") return failWith("missing_word", kind, `which ${kind}?`, usage);
  if (verb === "unset" && numbers.length === 0) return given("fleet", { action: "limits", change: { kind, name } });
  const most = verb === "set" && numbers.length === 1 ? readCount(numbers[0] ?? "") : undefined;
  const [things, largest] = kind === "bytes" ? ["bytes", Number.MAX_SAFE_INTEGER] : ["casts", MAX_COUNT];
  if (most === undefined || most > largest) {
    const message = verb === "set" ? `set needs the number of ${things}` : "unset takes no number";
    return failWith("bad_number", numbers[0] ?? verb, message, usage);
  }
  return given("fleet", { action: "limits", change: { kind, name, most } });
}

/** The options that a scheduled cast may have. The others depend on the person at the terminal. */
const SCHEDULABLE_OPTIONS = ["loadout", "budget", "cost", "model", "rehearse", "trust", "priority"];

/** `add "0 3 * * *" -- link …`, `list`, `remove 3`. */
function readSchedule(input: CommandInput): Result<Command> {
  const { row, positional, options, afterDelimiter: behind, parseNested } = input;
  const usage = `usage: ${row.usage}`;
  const [, verb = "list", ...words] = positional;
  const kind = SCHEDULE_ACTIONS.find((known) => known === verb);
  if (!kind) {
    const hint = didYouMean(verb, SCHEDULE_ACTIONS) ?? usage;
    return failWith("unknown_word", verb, `fleet schedule takes ${SCHEDULE_ACTIONS.join(", ")}`, hint);
  }
  const [first, ...more] = words;
  const most = kind === "list" ? 0 : 1;
  if (words.length > most || (kind !== "add" && behind)) {
    const hint = kind === "add" ? `put the time in quotes: fleet schedule add "0 3 * * *" -- cast …` : usage;
    const message = `${kind} takes ${most === 0 ? "no words" : "one word"}`;
    return failWith("too_many_words", more.at(-1) ?? first ?? "--", message, hint);
  }
  if (kind === "list") return given("fleet", { action: "schedule", what: { kind } });
  if (kind === "remove") {
    const id = readCount(first ?? "") ?? Infinity;
    const message = "remove needs the number of a schedule; fleet schedule list shows them";
    if (id > MAX_COUNT) return failWith("bad_number", first ?? kind, message, usage);
    return given("fleet", { action: "schedule", what: { kind, id } });
  }
  if (first === undefined || !behind)
    return failWith("missing_word", kind, "a schedule needs a time, then -- and the command to submit", usage);
  const parsed = parseNested();
  if (!parsed.ok) return parsed;
  const submits = readScheduledCommand(parsed.value, usage);
  if (!submits.ok) return submits;
  const tree = options.here ? "as it is now" : "of the branch";
  const zone = withoutUndefined({ zone: options.zone });
  return given("fleet", { action: "schedule", what: { kind, cron: first, ...zone, tree, submits: submits.value } });
}

function readScheduledCommand(
  { command, options }: ParsedCommand,
  usage: string,
): Result<Extract<ScheduleAction, { kind: "add" }>["submits"]> {
  if (command.kind !== "cast" && command.kind !== "link")
    return failWith("unknown_word", command.kind, "a schedule can submit only cast or link", usage);
  const others = Object.keys(options).filter((name) => !SCHEDULABLE_OPTIONS.includes(name));
  const hint = "put options of the schedule before the first --";
  return others.length === 0
    ? ok({ command, options })
    : fail(...others.map((name) => error("bad_option", `--${name}`, `--${name} has no effect in a schedule`, hint)));
}
