import { failWith, error, fail, ok, type Issue, type Result, assertNever } from "../model/issue.ts";
import { nearestName, oneLine } from "../model/text.ts";
import { parseTarget, type Command } from "./command.ts";
import { usageOf } from "./command-text.ts";
import {
  COMMON_OPTIONS,
  expectsValue,
  REVIEW_FORMATS,
  splitOptions,
  type Options,
  type CommandArguments,
} from "./options.ts";
import {
  budgetOptions,
  readBudget,
  readDiff,
  readDoctor,
  readExport,
  readInbox,
  readRecast,
  readRestore,
  readCasts,
  readCompletion,
  readGrid,
  readOpen,
  readShow,
  readCompare,
  readFork,
  readFuzz,
  readRecord,
  readReplay,
  readTest,
} from "./read-commands.ts";
import { readQueue } from "./read-queue.ts";
import { readFleetCommand } from "./read-fleet-commands.ts";
import { COMMANDS, commandRow, type CommandRow } from "./command-table.ts";
import { wordsFromArgv, splitWords, type CommandWord, type CommandWords } from "./split-words.ts";
import { withoutUndefined } from "../model/json.ts";

/** A command with the options that say where and how it runs. */
export interface ParsedCommand {
  readonly command: Command;
  readonly options: Options;
}

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
  const typed = wordsFromArgv(argv);
  const ordered = moveCommandFirst(typed);
  if (ordered) return parseWords(ordered);
  const split = splitOptions(typed.words, [...COMMON_OPTIONS, "version"]);
  return split.ok
    ? ok({ command: { kind: "help" }, options: split.value.options })
    : parseWords({ words: [HELP_WORD, ...typed.words] });
}

/** The same words with the command before all options; undefined without a command. */
function moveCommandFirst({ words, ...rest }: CommandWords): CommandWords | undefined {
  const head = commandIndex(words);
  const command = words[head];
  return command && { ...rest, words: [command, ...words.slice(0, head), ...words.slice(head + 1)] };
}

const HELP_WORD: CommandWord = { text: "help", quoted: false };

/** Options may be before or after the command. */
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

function unknownCommand(word: string): Result<never> {
  const names = COMMANDS.map((known) => known.name);
  const meant = nearestName(word, names);
  const hint = meant === undefined ? '"materia help" lists the commands' : `did you mean "materia ${meant}"?`;
  return failWith("unknown_command", oneLine(word, 60), `there is no command "${oneLine(word, 60)}"`, hint);
}

interface CommandInput {
  readonly args: CommandArguments;
  readonly positional: readonly string[];
  /** The prompt: raw text if it was typed, words joined with one space if a shell split it. */
  readonly text: string;
  /** [B23] The command after the `--`, in words or in one text. */
  readonly parseNested: () => Result<ParsedCommand>;
}

function readCommand(row: CommandRow, words: CommandWords, split: CommandArguments): Result<Command> {
  const { positional: rest, afterDelimiter: behind } = split;
  if (typeof row.takes === "number" && (rest.length > row.takes || behind !== undefined)) {
    const message = `${row.name} takes ${row.takes === 0 ? "no words" : `at most ${row.takes}`}`;
    return failWith("too_many_words", rest.at(row.takes) ?? "--", message, usageOf(row));
  }
  return readByName(row, {
    args: split,
    positional: rest,
    parseNested: () => {
      const [only = "", ...more] = words.tail === undefined ? (behind ?? []) : [words.tail];
      return more.length === 0 ? parseText(only) : parseArgv([only, ...more]);
    },
    text: words.tail ?? [...(row.takes === "prompt" ? rest : []), ...(behind ?? [])].join(" "),
  });
}

function readByName(row: CommandRow, reading: CommandInput): Result<Command> {
  const { options } = reading.args;
  const [first] = reading.positional;
  const castId = withoutUndefined({ castId: first });
  switch (row.name) {
    case "help":
      if (first !== undefined && !commandRow(first)) return unknownCommand(first);
      return ok({ kind: "help", ...withoutUndefined({ topic: first }) });
    case "cast":
      return readCast(row, reading);
    case "link":
      return readLink(row, reading);
    case "casts":
      return readCasts(reading.positional, reading.args);
    case "status":
    case "watch":
      return ok({ kind: row.name, ...castId });
    case "show":
      return ok(readShow(reading.positional, options));
    case "diff":
      return readDiff(row, reading.positional, options);
    case "open":
      return ok(readOpen(reading.positional, options));
    case "export":
      return ok(readExport(reading.positional, options));
    case "restore":
      return readRestore(row, reading.positional, options);
    case "doctor":
      return readDoctor(row, reading.positional, options);
    case "continue":
      return ok({ kind: "continue", text: reading.text, reject: options.reject === true, ...literalFlag(reading) });
    case "abort":
      return ok({ kind: "abort", ...castId, ...withoutUndefined({ trust: options.trust }) });
    case "recast":
      return readRecast(row, reading.positional, options);
    case "loadout":
    case "materia":
      return ok({ kind: row.name, ...withoutUndefined({ name: first }) });
    case "grid":
      return readGrid(row, reading.positional, reading.args);
    case "check":
      return ok({
        kind: "check",
        strict: options.strict === true,
        ...withoutUndefined({ file: first, bill: options.bill, loadout: options.loadout }),
      });
    case "budget":
      return readBudget(row, reading.positional);
    case "ui":
      return ok({ kind: "ui", open: options.open === true, ...withoutUndefined({ port: options.port }) });
    case "test":
      return ok(readTest(reading.positional, options));
    case "mcp":
    case "stats":
      return ok({ kind: row.name });
    case "compare":
      return readCompare(row, reading.positional);
    case "forecast":
      return ok({
        kind: "forecast",
        ...withoutUndefined({ loadout: first, items: options.items, model: options.model }),
      });
    case "record":
      return ok(readRecord(reading.positional, options));
    case "fork":
      return ok(readFork(reading.positional, options));
    case "fuzz":
      return readFuzz(reading.positional, options);
    case "replay":
      return readReplay(reading.positional, options);
    case "worker":
    case "fleet":
    case "take":
      return readFleetCommand(row, reading.args, reading.parseNested);
    case "draft":
      return readDraft(row, reading);
    case "inbox":
      return readInbox(row, reading.positional, options);
    case "queue":
      return readQueue(row, reading.args);
    case "init":
      return ok({ kind: "init", ...withoutUndefined({ from: options.from }) });
    case "completion":
      return readCompletion(row, reading.positional, reading.args);
    case "demo":
      return ok({ kind: "demo", which: options.parallel ? "parallel" : "plain" });
    default:
      return assertNever(row.name);
  }
}

function readCast(row: CommandRow, reading: CommandInput): Result<Command> {
  if (reading.text.trim() === "") return failWith("missing_prompt", "cast", "a cast needs a prompt", usageOf(row));
  const { options } = reading.args;
  return ok({
    kind: "cast",
    prompt: reading.text,
    ...literalFlag(reading),
    ...budgetOptions(options),
    ...withoutUndefined({ loadout: options.loadout }),
  });
}

function readDraft(row: CommandRow, reading: CommandInput): Result<Command> {
  if (reading.text.trim() === "")
    return failWith("missing_prompt", "draft", "a draft needs a description", usageOf(row));
  const { save, cast, from } = reading.args.options;
  return ok({ kind: "draft", words: reading.text, ...literalFlag(reading), ...withoutUndefined({ save, cast, from }) });
}

/** After a `--` without a word before it there is only text. */
function literalFlag({ positional: rest, args: split }: CommandInput): { readonly literal?: true } {
  return split.afterDelimiter !== undefined && rest.length === 0 ? { literal: true } : {};
}

function readLink(row: CommandRow, { args: split, positional: rest, text }: CommandInput): Result<Command> {
  const usage = usageOf(row);
  const issues: Issue[] = [];
  if (rest.length === 0)
    issues.push(error("missing_target", "link", "a link needs at least one materia or loadout", usage));
  if (split.afterDelimiter === undefined)
    issues.push(error("missing_delimiter", "--", `"--" is missing: it separates the targets from the prompt`, usage));
  else if (text.trim() === "") issues.push(error("missing_prompt", "--", `there is no prompt after "--"`, usage));
  if (issues.length > 0) return fail(...issues);
  const { from, ...options } = split.options;
  const targets = rest.map(parseTarget);
  return ok({ kind: "link", targets, prompt: text, ...budgetOptions(options), ...withoutUndefined({ from }) });
}
