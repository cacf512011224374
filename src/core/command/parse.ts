import { failWith, ok, type Result } from "../model/issue.ts";
import type { Command } from "./command.ts";
import { usageOf, type ParsedCommand } from "./command-input.ts";
import { COMMON_OPTIONS, expectsValue, REVIEW_FORMATS, splitOptions, type CommandArguments } from "./options.ts";
import { COMMAND_READERS, unknownCommand } from "./read-commands.ts";
import { commandRow, type CommandRow } from "./command-table.ts";
import { splitWords, type CommandWord, type CommandWords } from "./split-words.ts";

/** Text as typed after `/materia`. */
export function parseText(text: string): Result<ParsedCommand> {
  const words = splitWords(text, (before, rest) => {
    const head = before[commandIndex(before)];
    const last = before.at(-1);
    if (!head || !last || commandRow(head.text)?.takes !== "prompt") return false;
    return !rest.startsWith("--") && !expectsValue(last);
  });
  return words.ok ? parseWords(moveCommandFirst(words.value) ?? words.value) : words;
}

/** Words as a shell has split them. */
export function parseArgv(argv: readonly string[]): Result<ParsedCommand> {
  const typed: CommandWords = { words: argv.map((text) => ({ text, quoted: false })) };
  const ordered = moveCommandFirst(typed);
  if (ordered) return parseWords(ordered);
  const split = splitOptions(typed.words, [...COMMON_OPTIONS, "version"]);
  return split.ok
    ? ok({ command: { kind: "help" }, options: split.value.options })
    : parseWords({ words: [{ text: "help", quoted: false }, ...typed.words] });
}

function moveCommandFirst({ words, ...rest }: CommandWords): CommandWords | undefined {
  const head = commandIndex(words);
  const command = words[head];
  return command && { ...rest, words: [command, ...words.slice(0, head), ...words.slice(head + 1)] };
}

function commandIndex(words: readonly CommandWord[]): number {
  let at = 0;
  for (let word = words[at]; word?.text.startsWith("--") && word.text !== "--"; word = words[at])
    at += expectsValue(word) ? 2 : 1;
  return at;
}

function parseWords(words: CommandWords): Result<ParsedCommand> {
  const [head] = words.words;
  if (!head) return ok({ command: { kind: "help" }, options: {} });
  const row = commandRow(head.text);
  if (!row) return unknownCommand(head.text);
  const split = splitOptions(words.words.slice(1), [...COMMON_OPTIONS, ...row.options]);
  if (!split.ok) return split;
  const { options } = split.value;
  if (options.help) return ok({ command: { kind: "help", topic: row.name }, options });
  const { format = "github" } = options;
  if (!REVIEW_FORMATS.some((each) => each === format))
    return failWith("bad_option", "--format", `--format is one of ${REVIEW_FORMATS.join(", ")}, not "${format}"`);
  const command = readCommand(row, words, split.value);
  return command.ok ? ok({ command: command.value, options }) : command;
}

function readCommand(row: CommandRow, words: CommandWords, split: CommandArguments): Result<Command> {
  const { positional: rest, afterDelimiter: behind } = split;
  if (typeof row.takes === "number" && (rest.length > row.takes || behind !== undefined)) {
    const message = `${row.name} takes ${row.takes === 0 ? "no words" : `at most ${row.takes}`}`;
    return failWith("too_many_words", rest.at(row.takes) ?? "--", message, usageOf(row));
  }
  return COMMAND_READERS[row.name]({
    ...split,
    row,
    parseNested: () => {
      const [only = "", ...more] = words.tail === undefined ? (behind ?? []) : [words.tail];
      return more.length === 0 ? parseText(only) : parseArgv([only, ...more]);
    },
    text: words.tail ?? [...(row.takes === "prompt" ? rest : []), ...(behind ?? [])].join(" "),
  });
}
