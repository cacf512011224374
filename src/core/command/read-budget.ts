import { error, fail, ok } from "../model/issue.ts";
import type { Result } from "../model/issue.ts";
import { readCount } from "./amounts.ts";
import type { Command } from "./command.ts";
import type { CommandRow } from "./table.ts";

export function readBudget(row: CommandRow, rest: readonly string[]): Result<Command> {
  const words = [...rest];
  const last = words.at(-1);
  const tokens = last === undefined ? undefined : readCount(last);
  if (tokens !== undefined) words.pop();
  if (words.length > 1)
    return fail(error("bad_number", last ?? "", `"${last}" is not a number of tokens`, `usage: ${row.usage}`));
  const [castId] = words;
  return ok({
    kind: "budget",
    ...(castId === undefined ? {} : { castId }),
    ...(tokens === undefined ? {} : { tokens }),
  });
}
