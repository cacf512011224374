import type { Result } from "../model/issue.ts";
import type { CommandRow } from "./command-table.ts";
import type { Command } from "./command.ts";
import type { CommandArguments, Options } from "./options.ts";

/** A command with the options that say where and how it runs. */
export interface ParsedCommand {
  readonly command: Command;
  readonly options: Options;
}

/** What was typed for a command of this row. */
export interface CommandInput extends CommandArguments {
  readonly row: CommandRow;
  /** The prompt: raw text if it was typed, words joined with one space if a shell split it. */
  readonly text: string;
  /** [B23] The command after the `--`, in words or in one text. */
  readonly parseNested: () => Result<ParsedCommand>;
}

export function usageOf({ usage }: CommandRow): string {
  return `usage: materia ${usage}`;
}
