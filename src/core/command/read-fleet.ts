import { error, fail, ok } from "../model/issue.ts";
import type { Issue, Result } from "../model/issue.ts";
import { didYouMean } from "../model/values/nearest.ts";
import { readCount } from "./amounts.ts";
import { FLEET_ACTIONS, LIMIT_KINDS } from "./command.ts";
import type { Command } from "./command.ts";
import type { Options } from "./options.ts";
import type { CommandRow } from "./table.ts";
import { usageOf } from "./typed.ts";

const MOST = 1_000_000;

export function readOnFleet(row: CommandRow, rest: readonly string[], options: Options): Result<Command> {
  if (row.name === "fleet") return readFleet(row, rest, options);
  if (options.on === undefined) return fail(missingFleet(row));
  if (row.name === "worker") return readWorker(row, options);
  return ok({ kind: "take", ...(rest[0] === undefined ? {} : { castId: rest[0] }) });
}

function missingFleet(row: CommandRow): Issue {
  return error("missing_option", "--on", "which fleet?", usageOf(row));
}

function readWorker(row: CommandRow, { concurrency, queues, port }: Options): Result<Command> {
  if (concurrency === 0)
    return fail(error("bad_option", "--concurrency", "a worker drives at least one cast at a time"));
  const named = queues?.split(",").map((name) => name.trim());
  if (named?.includes("")) return fail(error("bad_option", "--queues", "a queue has no name", usageOf(row)));
  return ok({
    kind: "worker",
    concurrency: concurrency ?? 1,
    ...(named ? { queues: [...new Set(named)] } : {}),
    ...(port === undefined ? {} : { port }),
  });
}

function readFleet(row: CommandRow, [first, ...words]: readonly string[], options: Options): Result<Command> {
  const action = FLEET_ACTIONS.find((known) => known === first);
  if (!action) {
    const message = `fleet knows ${FLEET_ACTIONS.join(", ")}`;
    const hint = didYouMean(first ?? "", FLEET_ACTIONS) ?? usageOf(row);
    return fail(error("unknown_word", first ?? "fleet", message, hint));
  }
  const isLocal = action === "up" || action === "down";
  if (!isLocal && options.on === undefined) return fail(missingFleet(row));
  if (action === "limits") return readLimits(row, words);
  const [more] = words;
  if (more !== undefined)
    return fail(error("too_many_words", more, `fleet ${action} takes no words`, `usage: ${row.usage}`));
  const { workers } = options;
  return ok(
    action === "up"
      ? { kind: "fleet", action, ...(workers === undefined ? {} : { workers }) }
      : { kind: "fleet", action },
  );
}

/** `set project website 3`, `set all 10`, `unset provider anthropic`. */
function readLimits(row: CommandRow, [verb, what, ...words]: readonly string[]): Result<Command> {
  const usage = `usage: ${row.usage}`;
  if (verb === undefined) return ok({ kind: "fleet", action: "limits" });
  if (verb !== "set" && verb !== "unset")
    return fail(
      error("unknown_word", verb, "fleet limits knows set and unset", didYouMean(verb, ["set", "unset"]) ?? usage),
    );
  const kind = LIMIT_KINDS.find((known) => known === what);
  if (!kind)
    return fail(
      error(
        "unknown_word",
        what ?? verb,
        `a limit is for ${LIMIT_KINDS.join(", ")}`,
        didYouMean(what ?? "", LIMIT_KINDS) ?? usage,
      ),
    );
  const [name = "", ...numbers] = kind === "all" ? ["", ...words] : words;
  if (kind !== "all" && name === "") return fail(error("missing_word", kind, `which ${kind}?`, usage));
  if (verb === "unset" && numbers.length === 0) return ok({ kind: "fleet", action: "limits", change: { kind, name } });
  const most = verb === "set" && numbers.length === 1 ? readCount(numbers[0] ?? "") : undefined;
  if (most === undefined || most > MOST)
    return fail(
      error(
        "bad_number",
        numbers[0] ?? verb,
        verb === "set" ? "how many casts at once?" : "unset takes no number",
        usage,
      ),
    );
  return ok({ kind: "fleet", action: "limits", change: { kind, name, most } });
}
