import { error, fail, failWith, ok, type Result } from "../model/issue.ts";
import { withoutUndefined } from "../model/json.ts";
import { didYouMean } from "../model/text.ts";
import type { CommandRow } from "./command-table.ts";
import { usageOf } from "./command-text.ts";
import { COMMON_OPTIONS, readCount, RUN_OPTIONS, type CommandArguments, type OptionName } from "./options.ts";

export const QUEUE_ACTIONS = ["add", "remove", "move", "run"] as const;

/** [YQ1] The requests that a project has queued. */
export type QueueCommand = { readonly kind: "queue" } & (
  | { readonly action: "list" }
  | ({ readonly action: "add"; readonly text: string; readonly literal?: true } & QueuedOptions)
  | { readonly action: "remove"; readonly at: number }
  | { readonly action: "move"; readonly at: number; readonly to: number }
  | { readonly action: "run"; readonly until?: string; readonly costUsd?: number; readonly atOnce: number }
);

/** What a queued request says besides its text. */
export interface QueuedOptions {
  readonly loadout?: string;
  readonly model?: string;
  readonly budget?: number;
  readonly key?: string;
}

const ALLOWED: Readonly<Record<QueueCommand["action"], readonly OptionName[]>> = {
  list: [],
  add: ["loadout", "model", "budget", "key"],
  remove: [],
  move: [],
  run: ["until", "cost", "at-once", ...RUN_OPTIONS],
};

export function readQueue(row: CommandRow, args: CommandArguments): Result<QueueCommand> {
  const { options, positional, afterDelimiter: behind } = args;
  const [verb, ...words] = positional;
  const action = verb === undefined ? "list" : QUEUE_ACTIONS.find((known) => known === verb);
  if (!action) {
    const hint = didYouMean(verb ?? "", QUEUE_ACTIONS) ?? usageOf(row);
    return failWith("unknown_word", verb ?? "", `queue takes ${QUEUE_ACTIONS.join(", ")}`, hint);
  }
  const allowed: readonly string[] = [...COMMON_OPTIONS, ...ALLOWED[action]];
  const others = Object.keys(options).filter((name) => !allowed.includes(name));
  if (others.length > 0)
    return fail(...others.map((name) => error("bad_option", `--${name}`, `queue ${action} takes no --${name}`)));
  if (action === "add") {
    const text = [...words, ...(behind ?? [])].join(" ");
    if (text.trim() === "") return failWith("missing_prompt", "add", "queue add needs a request", usageOf(row));
    const { loadout, model, budget, key } = options;
    const literal = behind !== undefined && words.length === 0 ? { literal: true as const } : {};
    return ok({ kind: "queue", action, text, ...literal, ...withoutUndefined({ loadout, model, budget, key }) });
  }
  const wanted = action === "remove" ? 1 : action === "move" ? 2 : 0;
  if (words.length !== wanted || behind !== undefined)
    return failWith(
      words.length < wanted ? "missing_word" : "too_many_words",
      words[wanted] ?? action,
      wanted === 0
        ? `queue ${action} takes no words`
        : `queue ${action} takes ${wanted === 1 ? "one number" : "two numbers"}`,
      usageOf(row),
    );
  if (action === "list") return ok({ kind: "queue", action });
  if (action === "run") return readRun(args);
  const [at, to] = words.map(readPosition);
  if (at === undefined || (action === "move" && to === undefined))
    return failWith(
      "bad_number",
      words.join(" "),
      `queue ${action} needs numbers of the list`,
      "materia queue shows it",
    );
  return action === "move" && to !== undefined
    ? ok({ kind: "queue", action, at, to })
    : ok({ kind: "queue", action: "remove", at });
}

function readPosition(word: string): number | undefined {
  const number = readCount(word);
  return number === 0 ? undefined : number;
}

function readRun({ options }: CommandArguments): Result<QueueCommand> {
  const { until, cost: costUsd, "at-once": atOnce = 1 } = options;
  if (until !== undefined && !CLOCK_TIME.test(until))
    return failWith("bad_option", "--until", `--until needs a time of the day, such as 07:00, not "${until}"`);
  if (atOnce < 1 || atOnce > 100) return failWith("bad_option", "--at-once", "--at-once needs a number from 1 to 100");
  return ok({ kind: "queue", action: "run", atOnce, ...withoutUndefined({ until, costUsd }) });
}

const CLOCK_TIME = /^(?:[01]?\d|2[0-3]):[0-5]\d$/;

/** [YQ4] The next such time on the clock of this machine, also over midnight and a change of summer time. */
export function nextClockTime(time: string, now: Date): Date {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const at = new Date(now);
  at.setHours(hours, minutes, 0, 0);
  if (at <= now) {
    at.setDate(at.getDate() + 1);
    at.setHours(hours, minutes, 0, 0);
  }
  return at;
}

const LIST_ENTRY = /^(?:[-*+]|\d{1,9}[.)])\s+(?:\[(?<mark>[ xX])\]\s+)?(?<text>.*)$/;
const HEADING = /^#{1,6}\s+(?<text>.*?)\s*#*$/;

/** [YQ2] The requests of a text: the entries of a Markdown list, else its headings with what follows them, else its lines. */
export function splitRequests(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.some((line) => LIST_ENTRY.test(line))) return splitAt(lines, LIST_ENTRY, /^\s+\S/);
  if (lines.some((line) => HEADING.test(line))) return splitAt(lines, HEADING, /^/);
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** Lines that continue an entry belong to it; a ticked entry is done. */
function splitAt(lines: readonly string[], begins: RegExp, continues: RegExp): readonly string[] {
  const entries: { readonly lines: string[]; readonly isDone: boolean }[] = [];
  let isOpen = false;
  for (const line of lines) {
    const found = begins.exec(line)?.groups;
    if (found) entries.push({ lines: [found["text"] ?? ""], isDone: /x/i.test(found["mark"] ?? "") });
    isOpen = found !== undefined || (isOpen && (line.trim() === "" || continues.test(line)));
    if (!found && isOpen) entries.at(-1)?.lines.push(line);
  }
  return entries
    .filter(({ isDone }) => !isDone)
    .map((entry) => entry.lines.join("\n").trim())
    .filter((entry) => entry !== "");
}
