import { readCount } from "./options.ts";
import { error, fail, failWith, type Issue, type Result, suggest, typed } from "../model/issue.ts";
import { didYouMean, nearestName, oneLine } from "../model/text.ts";
import { parseTarget, SHELLS, type Command, type ReworkDecision } from "./command.ts";
import { given, isTextLiteral, usageOf, type CommandInput } from "./command-input.ts";
import { COMMANDS, commandRow, type CommandName } from "./command-table.ts";
import { withoutUndefined } from "../model/json.ts";
import { readQueue } from "./read-queue.ts";
import { readFleet, readTake, readWorker } from "./read-fleet-commands.ts";

export const COMMAND_READERS: Readonly<Record<CommandName, (input: CommandInput) => Result<Command>>> = {
  cast: readCast,
  link: readLink,
  casts: readCasts,
  status: ({ positional: [castId] }) => given("status", { castId }),
  doctor: readDoctor,
  show: readShow,
  diff: readDiff,
  restore: readRestore,
  export: ({ positional: [castId], options: { otlp } }) =>
    given("export", { castId, url: otlp || undefined, sends: otlp === undefined ? undefined : true }),
  watch: ({ positional: [castId] }) => given("watch", { castId }),
  open: ({ positional, options: { trust } }) => {
    const { castId, place: visit } = castAndPlace(positional, VISIT_PATTERN);
    return given("open", { castId, visit, trust });
  },
  continue: (input) =>
    given("continue", { text: input.text, reject: input.options.reject === true, literal: isTextLiteral(input) }),
  recast: readRecast,
  abort: ({ positional: [castId], options: { trust } }) => given("abort", { castId, trust }),
  loadout: ({ positional: [name] }) => given("loadout", { name }),
  draft: readDraft,
  materia: ({ positional: [name] }) => given("materia", { name }),
  grid: readGrid,
  check: ({ positional: [file], options: { strict, bill, loadout } }) =>
    given("check", { strict: strict === true, file, bill, loadout }),
  test: ({ positional: paths, options: { watch, update, junit, trust, "min-coverage": minCoverage } }) =>
    given("test", { paths, watch, update, trust, junit, minCoverage }),
  replay: readReplay,
  fuzz: readFuzz,
  forecast: ({ positional: [loadout], options: { items, model } }) => given("forecast", { loadout, items, model }),
  stats: () => given("stats"),
  compare: readCompare,
  record: ({ positional: [castId, file], options: { seed, "no-tools": noTools } }) =>
    given("record", { castId, file, seed, noTools }),
  fork: ({ positional: [named = ""], options: { loadout, request, handoff, here, plan } }) =>
    given(plan ? "fork_plan" : "fork", { ...splitVisit(named), loadout, request, handoff, here }),
  budget: readBudget,
  inbox: readInbox,
  ui: ({ options: { open, port } }) => given("ui", { open: open === true, port }),
  worker: readWorker,
  fleet: readFleet,
  take: readTake,
  queue: readQueue,
  mcp: () => given("mcp"),
  init: ({ options: { from } }) => given("init", { from }),
  completion: readCompletion,
  demo: ({ options: { parallel } }) => given("demo", { which: parallel ? "parallel" : "plain" }),
  help: ({ positional: [topic] }) =>
    topic === undefined || commandRow(topic) ? given("help", { topic }) : unknownCommand(topic),
};

export function unknownCommand(word: string): Result<never> {
  const names = COMMANDS.map((known) => known.name);
  const meant = nearestName(word, names);
  const hint = meant === undefined ? '"materia help" lists the commands' : `did you mean "materia ${meant}"?`;
  return failWith("unknown_command", oneLine(word, 60), `there is no command "${oneLine(word, 60)}"`, hint);
}

function readCast(input: CommandInput): Result<Command> {
  const { row, text: prompt, options } = input;
  if (prompt.trim() === "") return failWith("missing_prompt", "cast", "a cast needs a prompt", usageOf(row));
  const { loadout, budget, cost: costUsd } = options;
  return given("cast", { prompt, literal: isTextLiteral(input), budget, costUsd, loadout });
}

function readDraft(input: CommandInput): Result<Command> {
  const { row, text: words, options } = input;
  if (words.trim() === "") return failWith("missing_prompt", "draft", "a draft needs a description", usageOf(row));
  const { save, cast, from } = options;
  return given("draft", { words, literal: isTextLiteral(input), save, cast, from });
}

function readLink({ row, positional: rest, afterDelimiter: behind, text, options }: CommandInput): Result<Command> {
  const usage = usageOf(row);
  const issues: Issue[] = [];
  if (rest.length === 0)
    issues.push(error("missing_target", "link", "a link needs at least one materia or loadout", usage));
  if (behind === undefined)
    issues.push(error("missing_delimiter", "--", `"--" is missing: it separates the targets from the prompt`, usage));
  else if (text.trim() === "") issues.push(error("missing_prompt", "--", `there is no prompt after "--"`, usage));
  if (issues.length > 0) return fail(...issues);
  const { from, budget, cost: costUsd } = options;
  return given("link", { targets: rest.map(parseTarget), prompt: text, budget, costUsd, from });
}

/** The completion scripts call `words -- …`. */
function readCompletion({ row, positional: [first, ...more], afterDelimiter: behind }: CommandInput): Result<Command> {
  const shell = SHELLS.find((known) => known === first);
  if (first === "words" && more.length === 0) return given("completion", { wants: { words: behind ?? [] } });
  if (shell && more.length === 0 && behind === undefined) return given("completion", { wants: { shell } });
  const message = `completion supports ${SHELLS.join(", ")}`;
  return failWith("unknown_word", first ?? "completion", message, didYouMean(first ?? "", SHELLS) ?? usageOf(row));
}

function readCasts({ positional: rest, options }: CommandInput): Result<Command> {
  if (rest[0] === undefined) return given("casts");
  if (rest[0] !== "prune")
    return failWith("unknown_word", rest[0], `casts takes only "prune"`, suggest`${typed`status`} shows one cast`);
  if (options.keep === undefined && options["older-than"] === undefined) {
    const hint = suggest`${typed`casts prune --older-than 30`} or ${typed`casts prune --keep 50`}`;
    return failWith("missing_option", "prune", "prune needs --older-than or --keep", hint);
  }
  const { yes, keep, "older-than": olderThanDays } = options;
  return given("prune", { yes: yes === true, keep, olderThanDays });
}

function readGrid({ row, positional: rest, options: { mermaid, explain, link } }: CommandInput): Result<Command> {
  const as = mermaid ? "mermaid" : explain ? "sentences" : "text";
  if (link) {
    if (rest.length === 0)
      return failWith("missing_target", "grid", "grid --link needs at least one materia or loadout", usageOf(row));
    return given("grid", { as, link: rest.map(parseTarget) });
  }
  const hint = "quote a name with spaces, or use --link for a chain";
  if (rest.length > 1) return failWith("too_many_words", rest[1] ?? "", "grid takes one name", hint);
  return given("grid", { as, name: rest[0] });
}

/** One word may name a cast, or a place in the newest cast: no cast id looks like a place. */
function castAndPlace([first, second]: readonly string[], isPlace: RegExp) {
  const isOnlyPlace = second === undefined && first !== undefined && isPlace.test(first);
  return isOnlyPlace ? { castId: undefined, place: first } : { castId: first, place: second };
}

/** `Socket-4#2`, `Socket-4`, or the number of a visit. */
const VISIT_PATTERN = /#|^Socket-\d+$|^\d{1,6}$/;

/** `last Socket-4#2`, `last@Socket-4#2`, or one word for a visit of the newest cast. */
function readShow({ positional: words, options: { full, markdown, prompt, page } }: CommandInput): Result<Command> {
  const [only = "", ...more] = words;
  const { castId, place: visit } = castAndPlace(more.length === 0 ? only.split("@", 2) : words, VISIT_PATTERN);
  // [C6] An empty word is no id; nothing before an "@" stands for the newest cast.
  const named = castId !== "" || words[0] === "" ? castId : undefined;
  return given("show", { castId: named, visit, page, full, markdown, prompt });
}

function readBudget({ row, positional: rest }: CommandInput): Result<Command> {
  const words = [...rest];
  const last = words.at(-1);
  const tokens = last === undefined ? undefined : readCount(last);
  if (tokens !== undefined) words.pop();
  if (words.length > 1) return failWith("bad_number", last ?? "", `"${last}" is not a number of tokens`, usageOf(row));
  return given("budget", { castId: words[0], tokens });
}

function readReplay({ positional: [castId], options: { all, loadout } }: CommandInput): Result<Command> {
  if (all && castId !== undefined)
    return failWith("too_many_words", castId, "replay takes one cast or --all", "leave one of them out");
  return given("replay", { castId, all, loadout });
}

function readFuzz({ positional: [loadout], options: { casts, items, seed, out } }: CommandInput): Result<Command> {
  const number = seed === undefined ? undefined : readCount(seed);
  if (seed !== undefined && number === undefined)
    return failWith("bad_number", "--seed", `--seed needs a whole number, not "${seed}"`);
  return given("fuzz", { settings: withoutUndefined({ casts, items, seed: number }), loadout, out });
}

/** `last@Socket-4#2` */
function splitVisit(text: string): { readonly castId: string | undefined; readonly visit: string | undefined } {
  const [castId, ...rest] = text.split("@");
  return { castId: castId || undefined, visit: rest.length === 0 ? undefined : rest.join("@") };
}

function readCompare({ row, positional: [first, second] }: CommandInput): Result<Command> {
  if (first === undefined || second === undefined)
    return failWith("missing_cast_id", "compare", "compare needs two casts", usageOf(row));
  return given("compare", { first, second });
}

function readRecast({ row, positional: [castId], options }: CommandInput): Result<Command> {
  const { allow, edited, hint, accept, next, budget, cost: costUsd } = options;
  const decisions: readonly ReworkDecision[] = [
    ...(hint === undefined ? [] : [{ kind: "hint" as const, text: hint }]),
    ...(accept ? [{ kind: "accept" as const }] : []),
    ...(next ? [{ kind: "next" as const }] : []),
  ];
  const [decision, another] = decisions;
  if (another)
    return failWith("bad_option", `--${another.kind}`, "use only one of --hint, --accept and --next", usageOf(row));
  return given("recast", { budget, costUsd, castId, allow, decision, edited });
}

function readDoctor({ row, positional: [castId], options: { salvage } }: CommandInput): Result<Command> {
  if (castId === undefined && salvage)
    return failWith("missing_cast_id", "--salvage", "--salvage needs a cast id", usageOf(row));
  return given("doctor", { castId, salvage });
}

/** `Socket-4#2`, `Socket-4`, `WI-2`, `loop/WI-2`. */
const VISIT_OR_ITEM_PATTERN = /#|\/|^(Socket|WI)-\d+$/;

function readDiff({ row, positional, options }: CommandInput): Result<Command> {
  if (options.stat && options["name-only"])
    return failWith("bad_option", "--name-only", "use either --stat or --name-only", usageOf(row));
  const as = options.stat ? "stat" : options["name-only"] ? "names" : "patch";
  return given("diff", { as, ...castAndPlace(positional, VISIT_OR_ITEM_PATTERN) });
}

function readInbox({ row, positional: [verb, castId], options: { all } }: CommandInput): Result<Command> {
  if (verb === undefined) return given("inbox", { all });
  if (verb !== "done") return failWith("unknown_word", verb, 'inbox takes "done <castId>"', usageOf(row));
  if (castId === undefined && !all)
    return failWith("missing_cast_id", "done", "inbox done needs a cast id", usageOf(row));
  if (castId !== undefined && all) return failWith("bad_option", "--all", "name a cast or use --all", usageOf(row));
  return given("inbox", { done: castId ?? true });
}

function readRestore({ row, positional: [named = ""], options: { to, here } }: CommandInput): Result<Command> {
  const usage = usageOf(row);
  const issues: Issue[] = [];
  const { castId, visit } = splitVisit(named);
  if (castId === undefined) issues.push(error("missing_cast_id", "restore", "restore needs a cast id", usage));
  if (to !== undefined && here) issues.push(error("bad_option", "--here", "use either --to or --here", usage));
  if (castId === undefined || issues.length > 0) return fail(...issues);
  return given("restore", { castId, here: here === true, visit, to });
}
