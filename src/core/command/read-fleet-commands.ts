import { failWith, error, fail, ok, type Issue, type Result } from "../model/issue.ts";
import { didYouMean } from "../model/text.ts";
import { readCount, type OptionName, type Options, type CommandArguments } from "./options.ts";
import { FLEET_ACTIONS, FLEET_LIMIT_KINDS, SCHEDULE_ACTIONS, type Command, type ScheduleAction } from "./command.ts";
import { usageOf } from "./command-text.ts";
import type { CommandRow } from "./command-table.ts";
import { withoutUndefined } from "../model/json.ts";

const MAX_COUNT = 1_000_000;

/** Parses the command after the `--` that a schedule runs. */
type ParseNested = () => Result<{ readonly command: Command; readonly options: Options }>;

export function readFleetCommand(row: CommandRow, split: CommandArguments, inner: ParseNested): Result<Command> {
  const { positional: rest, options } = split;
  if (row.name === "fleet") return readFleetAction(row, split, inner);
  if (row.name === "take") return readTake(rest, options);
  return options.on === undefined ? fail(missingFleetIssue(row)) : readWorker(row, options);
}

function readTake([castId]: readonly string[], { merge, pr }: Options): Result<Command> {
  if (merge && pr) return failWith("bad_option", "--pr", "use either --merge or --pr");
  const how = merge ? { as: "merge" as const } : pr ? { as: "pr" as const } : {};
  return ok({ kind: "take", ...withoutUndefined({ castId }), ...how });
}

function missingFleetIssue(row: CommandRow): Issue {
  return error("missing_option", "--on", "the command needs the name of a fleet", usageOf(row));
}

function readWorker(row: CommandRow, { concurrency, queues, port, "tools-user": toolsUser }: Options): Result<Command> {
  if (concurrency === 0) return failWith("bad_option", "--concurrency", "a worker runs at least one cast at a time");
  const named = queues?.split(",").map((name) => name.trim());
  if (named?.includes("")) return failWith("bad_option", "--queues", "a queue has no name", usageOf(row));
  return ok({
    kind: "worker",
    concurrency: concurrency ?? 1,
    ...(named ? { queues: [...new Set(named)] } : {}),
    ...withoutUndefined({ port, toolsUser }),
  });
}

function readFleetAction(row: CommandRow, split: CommandArguments, inner: ParseNested): Result<Command> {
  const { positional: rest, options, afterDelimiter: behind } = split;
  const [first, ...words] = rest;
  const action = FLEET_ACTIONS.find((known) => known === first);
  if (!action) {
    const message = `fleet takes ${FLEET_ACTIONS.join(", ")}`;
    const hint = didYouMean(first ?? "", FLEET_ACTIONS) ?? usageOf(row);
    return failWith("unknown_word", first ?? "fleet", message, hint);
  }
  const isLocal = action === "up" || action === "down";
  if (!isLocal && options.on === undefined) return fail(missingFleetIssue(row));
  if (action === "schedule") return readSchedule(row, split, inner);
  const [more = behind ? "--" : undefined] = action === "limits" ? [] : words;
  if (more !== undefined)
    return failWith("too_many_words", more, `fleet ${action} takes no words`, `usage: ${row.usage}`);
  if (action === "limits") return readLimits(row, words);
  const { workers } = options;
  return ok(action === "up" ? { kind: "fleet", action, ...withoutUndefined({ workers }) } : { kind: "fleet", action });
}

/** `set project website 3`, `set all 10`, `unset provider anthropic`. */
function readLimits(row: CommandRow, [verb, what, ...words]: readonly string[]): Result<Command> {
  const usage = `usage: ${row.usage}`;
  if (verb === undefined) return ok({ kind: "fleet", action: "limits" });
  if (verb !== "set" && verb !== "unset") {
    const hint = didYouMean(verb, ["set", "unset"]) ?? usage;
    return failWith("unknown_word", verb, "fleet limits takes set or unset", hint);
  }
  const kind = FLEET_LIMIT_KINDS.find((known) => known === what);
  if (!kind)
    return failWith(
      "unknown_word",
      what ?? verb,
      `a limit is for ${FLEET_LIMIT_KINDS.join(", ")}`,
      didYouMean(what ?? "", FLEET_LIMIT_KINDS) ?? usage,
    );
  const isNamed = kind === "project" || kind === "provider";
  const [name = "", ...numbers] = isNamed ? words : ["", ...words];
  if (isNamed && name === "") return failWith("missing_word", kind, `which ${kind}?`, usage);
  if (verb === "unset" && numbers.length === 0) return ok({ kind: "fleet", action: "limits", change: { kind, name } });
  const most = verb === "set" && numbers.length === 1 ? readCount(numbers[0] ?? "") : undefined;
  if (most === undefined || most > (kind === "bytes" ? Number.MAX_SAFE_INTEGER : MAX_COUNT))
    return failWith(
      "bad_number",
      numbers[0] ?? verb,
      verb === "set" ? `set needs the number of ${kind === "bytes" ? "bytes" : "casts"}` : "unset takes no number",
      usage,
    );
  return ok({ kind: "fleet", action: "limits", change: { kind, name, most } });
}

/** The options that a scheduled cast may have. The others depend on the person at the terminal. */
const SCHEDULABLE_OPTIONS: ReadonlySet<OptionName> = new Set([
  "loadout",
  "budget",
  "cost",
  "model",
  "rehearse",
  "trust",
  "priority",
]);

/** `add "0 3 * * *" -- link …`, `list`, `remove 3`. */
function readSchedule(
  row: CommandRow,
  { positional: rest, options, afterDelimiter: behind }: CommandArguments,
  inner: ParseNested,
): Result<Command> {
  const usage = `usage: ${row.usage}`;
  const [, verb = "list", ...words] = rest;
  const kind = SCHEDULE_ACTIONS.find((known) => known === verb);
  if (!kind) {
    const hint = didYouMean(verb, SCHEDULE_ACTIONS) ?? usage;
    return failWith("unknown_word", verb, `fleet schedule takes ${SCHEDULE_ACTIONS.join(", ")}`, hint);
  }
  const [first, ...more] = words;
  const most = kind === "list" ? 0 : 1;
  if (words.length > most || (kind !== "add" && behind)) {
    const hint = kind === "add" ? `put the time in quotes: fleet schedule add "0 3 * * *" -- cast …` : usage;
    return failWith(
      "too_many_words",
      more.at(-1) ?? first ?? "--",
      `${kind} takes ${most === 0 ? "no words" : "one word"}`,
      hint,
    );
  }
  if (kind === "list") return ok({ kind: "fleet", action: "schedule", what: { kind } });
  if (kind === "remove") {
    const id = first === undefined ? undefined : readCount(first);
    return id === undefined || id > MAX_COUNT
      ? failWith(
          "bad_number",
          first ?? kind,
          "remove needs the number of a schedule; fleet schedule list shows them",
          usage,
        )
      : ok({ kind: "fleet", action: "schedule", what: { kind, id } });
  }
  if (first === undefined || !behind)
    return failWith("missing_word", kind, "a schedule needs a time, then -- and the command to submit", usage);
  const parsed = inner();
  if (!parsed.ok) return parsed;
  const submits = readScheduledCommand(parsed.value, usage);
  if (!submits.ok) return submits;
  const tree = options.here ? "as it is now" : "of the branch";
  const zone = options.zone === undefined ? {} : { zone: options.zone };
  return ok({ kind: "fleet", action: "schedule", what: { kind, cron: first, ...zone, tree, submits: submits.value } });
}

function readScheduledCommand(
  { command, options }: { readonly command: Command; readonly options: Options },
  usage: string,
): Result<Extract<ScheduleAction, { kind: "add" }>["submits"]> {
  if (command.kind !== "cast" && command.kind !== "link")
    return failWith("unknown_word", command.kind, "a schedule can submit only cast or link", usage);
  const others = Object.keys(options).filter((name) => !SCHEDULABLE_OPTIONS.has(name as OptionName)); // the names that were read
  const hint = "put options of the schedule before the first --";
  return others.length === 0
    ? ok({ command, options })
    : fail(...others.map((name) => error("bad_option", `--${name}`, `--${name} has no effect in a schedule`, hint)));
}
