import { readCount, type Options, type CommandArguments } from "./options.ts";
import { error, fail, failWith, ok, type Issue, type Result, suggest, typed } from "../model/issue.ts";
import { didYouMean } from "../model/text.ts";
import { parseTarget, type BudgetOptions, type Command, type ReworkDecision } from "./command.ts";
import { usageOf } from "./command-text.ts";
import type { CommandRow } from "./command-table.ts";
import { withoutUndefined } from "../model/json.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** The report of a cast, or one visit of it (`Socket-4#2`). */
export interface ShowCommand {
  readonly kind: "show";
  readonly castId?: string;
  readonly visit?: string;
  /** Every text in full. */
  readonly full?: true;
  readonly markdown?: true;
  /** [C53] What the agent of the visit was sent, in its parts. */
  readonly prompt?: true;
  /** Of a long cast, from 1; the last one if unset. */
  readonly page?: number;
}

/** The files that a cast, a visit (`Socket-4#2`) or an item (`WI-2`) changed. */
export interface DiffCommand {
  readonly kind: "diff";
  readonly castId?: string;
  readonly place?: string;
  readonly as: "patch" | "stat" | "names";
}

/** The files as they were at the end of a cast or of a visit. */
export interface RestoreCommand {
  readonly kind: "restore";
  readonly castId: string;
  readonly visit?: string;
  readonly to?: string;
  readonly here: boolean;
}

/** [TM1] The spans of a cast, to look at or to send. */
export interface ExportCommand {
  readonly kind: "export";
  readonly castId?: string;
  readonly sends?: true;
  /** The collector; the configured one if unset. */
  readonly url?: string;
}

/** Opens the conversation of a visit (`Socket-4#2`, or its number in the cast) in Pi. */
export interface OpenCommand {
  readonly kind: "open";
  readonly castId?: string;
  readonly visit?: string;
  readonly trust?: true;
}

/** [YI1] Casts of all projects that a person has to look at, or one of them that was looked at. */
export interface InboxCommand {
  readonly kind: "inbox";
  /** The cast that leaves the inbox; every cast with `all`. */
  readonly done?: string | true;
  readonly all?: true;
}

export interface CompletionCommand {
  readonly kind: "completion";
  /** The script for a shell, or completions of the last word. */
  readonly wants: { readonly shell: Shell } | { readonly words: readonly string[] };
}

/** The completion scripts call `words -- …`. */
export function readCompletion(
  row: CommandRow,
  [first, ...more]: readonly string[],
  split: CommandArguments,
): Result<Command> {
  const shell = SHELLS.find((known) => known === first);
  if (first === "words" && more.length === 0)
    return ok({ kind: "completion", wants: { words: split.afterDelimiter ?? [] } });
  if (shell && more.length === 0 && split.afterDelimiter === undefined)
    return ok({ kind: "completion", wants: { shell } });
  const message = `completion supports ${SHELLS.join(", ")}`;
  return failWith("unknown_word", first ?? "completion", message, didYouMean(first ?? "", SHELLS) ?? usageOf(row));
}

export function readCasts(rest: readonly string[], { options }: CommandArguments): Result<Command> {
  if (rest[0] === undefined) return ok({ kind: "casts" });
  if (rest[0] !== "prune")
    return failWith("unknown_word", rest[0], `casts takes only "prune"`, suggest`${typed`status`} shows one cast`);
  if (options.keep === undefined && options["older-than"] === undefined) {
    const hint = suggest`${typed`casts prune --older-than 30`} or ${typed`casts prune --keep 50`}`;
    return failWith("missing_option", "prune", "prune needs --older-than or --keep", hint);
  }
  const { yes, keep, "older-than": olderThanDays } = options;
  return ok({ kind: "prune", yes: yes === true, ...withoutUndefined({ keep, olderThanDays }) });
}

export function readGrid(row: CommandRow, rest: readonly string[], split: CommandArguments): Result<Command> {
  const { mermaid, explain } = split.options;
  const as = mermaid ? "mermaid" : explain ? "sentences" : "text";
  if (split.options.link) {
    if (rest.length === 0)
      return failWith("missing_target", "grid", "grid --link needs at least one materia or loadout", usageOf(row));
    return ok({ kind: "grid", as, link: rest.map(parseTarget) });
  }
  const hint = "quote a name with spaces, or use --link for a chain";
  if (rest.length > 1) return failWith("too_many_words", rest[1] ?? "", "grid takes one name", hint);
  return ok({ kind: "grid", as, ...withoutUndefined({ name: rest[0] }) });
}

/** One word may name a cast, or a place in the newest cast: no cast id looks like a place. */
function castAndPlace([first, second]: readonly string[], isPlace: RegExp) {
  if (second === undefined && first !== undefined && isPlace.test(first)) return { place: first };
  return withoutUndefined({ castId: first, place: second });
}

/** `Socket-4#2`, `Socket-4`, or the number of a visit. */
const VISIT_PATTERN = /#|^Socket-\d+$|^\d{1,6}$/;

export function readOpen(words: readonly string[], { trust }: Options): Command {
  const { castId, place: visit } = castAndPlace(words, VISIT_PATTERN);
  return { kind: "open", ...withoutUndefined({ castId, visit, trust }) };
}

/** `last Socket-4#2`, `last@Socket-4#2`, or one word for a visit of the newest cast. */
export function readShow(words: readonly string[], { full, markdown, prompt, page }: Options): Command {
  const [only = "", ...more] = words;
  const { castId, place: visit } = castAndPlace(more.length === 0 ? only.split("@", 2) : words, VISIT_PATTERN);
  // [C6] An empty word is no id; nothing before an "@" stands for the newest cast.
  const named = castId !== "" || words[0] === "" ? castId : undefined;
  return { kind: "show", ...withoutUndefined({ castId: named, visit, page, full, markdown, prompt }) };
}

export function readBudget(row: CommandRow, rest: readonly string[]): Result<Command> {
  const words = [...rest];
  const last = words.at(-1);
  const tokens = last === undefined ? undefined : readCount(last);
  if (tokens !== undefined) words.pop();
  if (words.length > 1) return failWith("bad_number", last ?? "", `"${last}" is not a number of tokens`, usageOf(row));
  return ok({ kind: "budget", ...withoutUndefined({ castId: words[0], tokens }) });
}

export function readTest(paths: readonly string[], options: Options): Command {
  const { watch, update, junit, trust, "min-coverage": minCoverage } = options;
  return { kind: "test", paths, ...withoutUndefined({ watch, update, trust, junit, minCoverage }) };
}

export function readReplay([castId]: readonly string[], { all, loadout }: Options): Result<Command> {
  if (all && castId !== undefined)
    return failWith("too_many_words", castId, "replay takes one cast or --all", "leave one of them out");
  return ok({ kind: "replay", ...withoutUndefined({ castId, all, loadout }) });
}

export function readFuzz([loadout]: readonly string[], { casts, items, seed, out }: Options): Result<Command> {
  const number = seed === undefined ? undefined : readCount(seed);
  if (seed !== undefined && number === undefined)
    return failWith("bad_number", "--seed", `--seed needs a whole number, not "${seed}"`);
  const settings = withoutUndefined({ casts, items, seed: number });
  return ok({ kind: "fuzz", settings, ...withoutUndefined({ loadout, out }) });
}

export function readRecord([castId, file]: readonly string[], { seed, "no-tools": noTools }: Options): Command {
  return { kind: "record", ...withoutUndefined({ castId, file, seed, noTools }) };
}

export function readFork([named = ""]: readonly string[], options: Options): Command {
  const { loadout, request, handoff, here } = options;
  const { castId, visit } = splitVisit(named);
  return {
    kind: options.plan ? "fork_plan" : "fork",
    ...withoutUndefined({ castId: castId || undefined, visit, loadout, request, handoff, here }),
  };
}

/** `last@Socket-4#2` */
function splitVisit(text: string): { readonly castId: string; readonly visit: string | undefined } {
  const at = text.indexOf("@");
  return at === -1 ? { castId: text, visit: undefined } : { castId: text.slice(0, at), visit: text.slice(at + 1) };
}

export function readCompare(row: CommandRow, [first, second]: readonly string[]): Result<Command> {
  if (first === undefined || second === undefined)
    return failWith("missing_cast_id", "compare", "compare needs two casts", usageOf(row));
  return ok({ kind: "compare", first, second });
}

export function readRecast(row: CommandRow, [castId]: readonly string[], options: Options): Result<Command> {
  const { allow, edited, hint, accept, next } = options;
  const decisions: readonly ReworkDecision[] = [
    ...(hint === undefined ? [] : [{ kind: "hint" as const, text: hint }]),
    ...(accept ? [{ kind: "accept" as const }] : []),
    ...(next ? [{ kind: "next" as const }] : []),
  ];
  const [decision, another] = decisions;
  if (another)
    return failWith("bad_option", `--${another.kind}`, "use only one of --hint, --accept and --next", usageOf(row));
  return ok({ kind: "recast", ...budgetOptions(options), ...withoutUndefined({ castId, allow, decision, edited }) });
}

export function readDoctor(row: CommandRow, [castId]: readonly string[], { salvage }: Options): Result<Command> {
  if (castId === undefined && salvage)
    return failWith("missing_cast_id", "--salvage", "--salvage needs a cast id", usageOf(row));
  return ok({ kind: "doctor", ...withoutUndefined({ castId, salvage }) });
}

/** `Socket-4#2`, `Socket-4`, `WI-2`, `loop/WI-2`. */
const VISIT_OR_ITEM_PATTERN = /#|\/|^(Socket|WI)-\d+$/;

export function readDiff(row: CommandRow, rest: readonly string[], options: Options): Result<Command> {
  if (options.stat && options["name-only"])
    return failWith("bad_option", "--name-only", "use either --stat or --name-only", usageOf(row));
  const as = options.stat ? "stat" : options["name-only"] ? "names" : "patch";
  return ok({ kind: "diff", as, ...castAndPlace(rest, VISIT_OR_ITEM_PATTERN) });
}

export function readExport([castId]: readonly string[], { otlp }: Options): Command {
  const url = otlp === "" ? undefined : otlp;
  return { kind: "export", ...withoutUndefined({ castId, url }), ...(otlp === undefined ? {} : { sends: true }) };
}

export function readInbox(row: CommandRow, [verb, castId]: readonly string[], { all }: Options): Result<InboxCommand> {
  if (verb === undefined) return ok({ kind: "inbox", ...withoutUndefined({ all }) });
  if (verb !== "done") return failWith("unknown_word", verb, 'inbox takes "done <castId>"', usageOf(row));
  if (castId === undefined && !all)
    return failWith("missing_cast_id", "done", "inbox done needs a cast id", usageOf(row));
  if (castId !== undefined && all) return failWith("bad_option", "--all", "name a cast or use --all", usageOf(row));
  return ok({ kind: "inbox", done: castId ?? true });
}

export function readRestore(row: CommandRow, [named = ""]: readonly string[], options: Options): Result<Command> {
  const usage = usageOf(row);
  const { to, here } = options;
  const issues: Issue[] = [];
  const { castId, visit } = splitVisit(named);
  if (castId === "") issues.push(error("missing_cast_id", "restore", "restore needs a cast id", usage));
  if (to !== undefined && here) issues.push(error("bad_option", "--here", "use either --to or --here", usage));
  if (issues.length > 0) return fail(...issues);
  return ok({ kind: "restore", castId, here: here === true, ...withoutUndefined({ visit, to }) });
}

export function budgetOptions({ budget, cost }: Options): BudgetOptions {
  return withoutUndefined({ budget, costUsd: cost });
}
