import { error, fail, failWith, suggest, typed, type Result } from "../model/issue.ts";
import { didYouMean } from "../model/text.ts";
import { given, usageOf, type CommandInput } from "./command-input.ts";
import { COMMON_OPTIONS, readCount, RUN_OPTIONS, type OptionName } from "./options.ts";
import { CLOCK_TIME, type QueueCommand } from "./queue-command.ts";

export const QUEUE_ACTIONS = ["add", "remove", "move", "run"] as const;

const ALLOWED: Readonly<Record<QueueCommand["action"], readonly OptionName[]>> = {
  list: [],
  add: ["loadout", "model", "budget", "key"],
  remove: [],
  move: [],
  run: ["until", "cost", "at-once", "on", "detach", ...RUN_OPTIONS],
};

export function readQueue(input: CommandInput): Result<QueueCommand> {
  const { row, options, positional, afterDelimiter: behind } = input;
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
    const literal = behind !== undefined && words.length === 0 ? true : undefined;
    return given("queue", { action, text, literal, loadout, model, budget, key });
  }
  const wanted = action === "remove" ? 1 : action === "move" ? 2 : 0;
  if (words.length !== wanted || behind !== undefined) {
    const code = words.length < wanted ? "missing_word" : "too_many_words";
    const message = `queue ${action} takes ${["no words", "one number", "two numbers"][wanted] ?? ""}`;
    return failWith(code, words[wanted] ?? action, message, usageOf(row));
  }
  if (action === "list") return given("queue", { action });
  if (action === "run") return readRun(input);
  const [at, to] = words.map((word) => readCount(word) || undefined);
  if (at === undefined || (action === "move" && to === undefined)) {
    const hint = suggest`${typed`queue`} shows the numbers`;
    return failWith("bad_number", words.join(" "), `queue ${action} needs numbers of the list`, hint);
  }
  return action === "move" && to !== undefined
    ? given("queue", { action, at, to })
    : given("queue", { action: "remove", at });
}

function readRun({ options }: CommandInput): Result<QueueCommand> {
  const { until, cost: costUsd, "at-once": atOnce = 1 } = options;
  if (until !== undefined && !CLOCK_TIME.test(until))
    return failWith("bad_option", "--until", `--until needs a time of the day, such as 07:00, not "${until}"`);
  if (atOnce < 1 || atOnce > 100) return failWith("bad_option", "--at-once", "--at-once needs a number from 1 to 100");
  return given("queue", { action: "run", atOnce, until, costUsd });
}
