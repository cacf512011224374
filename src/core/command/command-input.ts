import { ok, type Result } from "../model/issue.ts";
import { withoutUndefined } from "../model/json.ts";
import type { CommandRow } from "./command-table.ts";
import type { Command } from "./command.ts";
import type { CommandArguments, Options } from "./options.ts";

export interface ParsedCommand {
  readonly command: Command;
  readonly options: Options;
}

export interface CommandInput extends CommandArguments {
  readonly row: CommandRow;
  /** The prompt: raw text if it was typed, words joined with one space if a shell split it. */
  readonly text: string;
  /** [B23] The command after the `--`, in words or in one text. */
  readonly parseNested: () => Result<ParsedCommand>;
}

export function given<const K extends Command["kind"], const T extends object>(kind: K, fields?: T) {
  return ok({ kind, ...withoutUndefined(fields ?? ({} as T)) }); // without fields it has none
}

/** After a `--` without a word before it there is only text. */
export function isTextLiteral({ positional, afterDelimiter }: CommandInput): true | undefined {
  return afterDelimiter !== undefined && positional.length === 0 ? true : undefined;
}

export function usageOf({ usage }: CommandRow): string {
  return `usage: materia ${usage}`;
}
