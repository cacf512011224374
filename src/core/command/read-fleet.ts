import { error, fail, ok } from "../model/issue.ts";
import type { Issue, Result } from "../model/issue.ts";
import { didYouMean } from "../model/values/nearest.ts";
import { FLEET_ACTIONS } from "./command.ts";
import type { Command } from "./command.ts";
import type { Options } from "./options.ts";
import type { CommandRow } from "./table.ts";

export function readOnFleet(row: CommandRow, rest: readonly string[], options: Options): Result<Command> {
  if (row.name === "fleet") return readFleet(row, rest, options);
  if (options.on === undefined) return fail(missingFleet(row));
  if (row.name === "worker") return readWorker(row, options);
  return ok({ kind: "take", ...(rest[0] === undefined ? {} : { castId: rest[0] }) });
}

function missingFleet(row: CommandRow): Issue {
  return error("missing_option", "--on", "which fleet?", `usage: ${row.usage}`);
}

function readWorker(row: CommandRow, { concurrency, queues, port }: Options): Result<Command> {
  if (concurrency === 0)
    return fail(error("bad_option", "--concurrency", "a worker drives at least one cast at a time"));
  const named = queues?.split(",").map((name) => name.trim());
  if (named?.includes("")) return fail(error("bad_option", "--queues", "a queue has no name", `usage: ${row.usage}`));
  return ok({
    kind: "worker",
    concurrency: concurrency ?? 1,
    ...(named ? { queues: [...new Set(named)] } : {}),
    ...(port === undefined ? {} : { port }),
  });
}

function readFleet(row: CommandRow, [first]: readonly string[], options: Options): Result<Command> {
  const action = FLEET_ACTIONS.find((known) => known === first);
  if (!action) {
    const message = `fleet knows ${FLEET_ACTIONS.join(", ")}`;
    const hint = didYouMean(first ?? "", FLEET_ACTIONS) ?? `usage: ${row.usage}`;
    return fail(error("unknown_word", first ?? "fleet", message, hint));
  }
  if ((action === "migrate" || action === "workers") && options.on === undefined) return fail(missingFleet(row));
  return ok({ kind: "fleet", action, ...(options.workers === undefined ? {} : { workers: options.workers }) });
}
