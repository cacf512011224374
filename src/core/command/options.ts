import * as v from "valibot";
import { error, fail, ok, type Issue, type Result } from "../model/issue.ts";
import { ModelList, THINKING_LEVELS, ThinkingLevel } from "../model/materia.ts";
import { withoutUndefined } from "../model/json.ts";
import { nearestName, readDuration } from "../model/text.ts";
import type { CommandWord } from "./split-words.ts";

/** [C56] What `--format` takes. */
export const REVIEW_FORMATS = ["github", "gitlab", "sarif"] as const;
export type ReviewFormat = (typeof REVIEW_FORMATS)[number];

type OptionRow = readonly [kind: "flag" | keyof typeof VALUE_DESCRIPTIONS, value: string, does: string];

const OPTIONS = {
  cwd: ["text", "DIR", "work in this folder"],
  config: ["text", "FILE", "a configuration above all others; trusted because you named it"],
  artifacts: ["text", "DIR", "keep casts here"],
  json: ["flag", "", "for programs: listings as JSON, casts as one event per line"],
  quiet: ["flag", "", "print only the result"],
  "no-color": ["flag", "", "plain text"],
  help: ["flag", "", "this text"],
  version: ["flag", "", "the version"],
  model: ["text", "PROVIDER/ID", "the model of every materia; of a,b the second takes over when the first is refused"],
  wait: ["duration", "DURATION", "sleep through limits of the provider, at most this long in all (30m, 8h)"],
  thinking: ["text", "LEVEL", "off, minimal, low, medium, high, xhigh or max, for materia that set no thinking level"],
  rehearse: ["text", "FILE", "take the agents' replies from a file; no model or key needed"],
  trust: ["flag", "", "trust this project's configuration as it is now, and remember it"],
  durability: ["text", "sync", "flush every step to the disk (fdatasync)"],
  anyway: ["flag", "", "start even if another cast works on the same files"],
  loadout: ["text", "NAME", "run this loadout once; the active one stays"],
  from: ["text", "CAST", "give the results of this earlier cast to the chain"],
  save: ["text", "NAME", "save the draft under this name in the project's file"],
  cast: ["text", "REQUEST", "cast the draft with this request, after a yes"],
  link: ["flag", "", "draw the chain of these targets; run nothing"],
  explain: ["flag", "", "what it does, in five sentences"],
  mermaid: ["flag", "", "as a mermaid flowchart"],
  bill: ["flag", "", "what a cast may take and do: shape, worst case, forecast, programs, models, budget"],
  strict: ["flag", "", "a warning counts as an error"],
  budget: ["tokens", "TOKENS", "token budget of a cast (200000, 200k, 2.5M)"],
  cost: ["number", "USD", "cost budget of a cast in dollars"],
  allow: ["count", "N", "N more traversals, returns or repairs where it stopped"],
  hint: ["text", "TEXT", "at a rework limit: try once more with this hint"],
  accept: ["flag", "", "at a rework limit: accept the result and continue"],
  next: ["flag", "", "at a rework limit: give up the item and continue with the next"],
  reject: ["flag", "", "say no to a person's gate; the message is the reason"],
  port: ["count", "N", "listen on this port"],
  open: ["flag", "", "open it in a browser"],
  keep: ["count", "N", "keep the newest N"],
  "older-than": ["number", "DAYS", "casts that ended more than N days ago"],
  yes: ["flag", "", "do not ask"],
  "max-forecast": ["number", "USD", "do not start if the p90 of the forecast costs more"],
  "no-tools": ["flag", "", "without the tool calls"],
  plan: ["flag", "", "show what would be reused and what would run again; start nothing"],
  request: ["text", "TEXT", "use this request from there on"],
  handoff: ["text", "TEXT", "use this handoff instead of running the visit"],
  edited: ["flag", "", "continue as a new cast from the first visit that an edit affects"],
  all: ["flag", "", "every cast"],
  casts: ["count", "N", "how many casts"],
  items: ["count", "N", "at most this many work items"],
  seed: ["text", "N", "random seed; the same seed gives the same casts"],
  out: ["text", "DIR", "write the smallest case of each finding as a test into this folder"],
  watch: ["flag", "", "run again whenever a file changes"],
  update: ["flag", "", "update the tests with the observed results"],
  junit: ["text", "FILE", "write the results for CI as JUnit XML"],
  "min-coverage": ["number", "PERCENT", "fail if coverage is lower"],
  stat: ["flag", "", "a table of files with lines added and removed"],
  full: ["flag", "", "every text in full, each tool call with its outcome"],
  prompt: ["flag", "", "what the agent of a visit was sent: each part, its size, and what a cache can reuse"],
  markdown: ["flag", "", "as Markdown"],
  page: ["count", "N", "these 500 visits of a long cast; the last ones if not given"],
  "name-only": ["flag", "", "the names of the files"],
  to: ["text", "DIR", "into this folder, which must be empty or missing"],
  here: ["flag", "", "into the working tree itself, if nothing would be lost"],
  parallel: ["flag", "", "the demo of several items at once, with a conflict and its repair"],
  on: ["text", "FLEET", "on this fleet of your configuration"],
  detach: ["flag", "", "return at once; the cast runs in the background"],
  worktree: ["flag", "", "work in a separate working tree, on the branch materia/<castId>; take brings it home"],
  "with-changes": ["flag", "", "with --worktree: start from the files as they are, not from HEAD"],
  merge: ["flag", "", "merge it into the current branch, if nothing would be lost"],
  pr: ["flag", "", "push the branch and open a pull request into the current one, with gh or az"],
  priority: ["count", "N", "lower goes first; 0 if unset"],
  key: ["text", "TEXT", "idempotency key: a second cast with this key returns the first one"],
  until: ["text", "TIME", "begin no queued request after this time of the day (07:00)"],
  "at-once": ["count", "N", "how many queued requests run at once; 1 if unset"],
  zone: ["text", "NAME", "the time zone of a schedule; that of this machine if unset"],
  "tools-user": ["text", "NAME", "run tools and utilities of casts as this user; for a worker started by root"],
  concurrency: ["count", "N", "how many casts it runs at once"],
  queues: ["text", "A,B", "the queues that it pulls from"],
  workers: ["count", "N", "how many workers; 2 if unset"],
  format: ["text", "github|gitlab|sarif", "problems for a review tool: annotations, a code quality report, or SARIF"],
  otlp: ["address", "[URL]", "send it to this collector, or to the configured one"],
  salvage: ["flag", "", "salvage the sound part of a damaged cast as a new cast"],
} as const satisfies Readonly<Record<string, OptionRow>>;

export type OptionName = keyof typeof OPTIONS;
export type Options = {
  readonly [K in OptionName]?: (typeof OPTIONS)[K][0] extends "flag"
    ? true
    : (typeof OPTIONS)[K][0] extends "text" | "address"
      ? string
      : number;
};

/** Options that one command uses in another sense: the value, and what they do there. */
export type OptionMeanings = { readonly [K in OptionName]?: readonly [value: string, does: string] };

/** `--cwd DIR`, and its effect: all options in the order of the help, or those named. */
export function optionHelp(
  names = Object.keys(OPTIONS) as readonly OptionName[], // its own keys
  meanings: OptionMeanings = {},
): readonly (readonly [usage: string, does: string])[] {
  return names.map((name) => {
    const [value, does] = meanings[name] ?? [OPTIONS[name][1], OPTIONS[name][2]];
    return [`--${name} ${value}`.trimEnd(), does];
  });
}

type OptionNames = readonly OptionName[];
export const COMMON_OPTIONS: OptionNames = ["cwd", "config", "artifacts", "json", "quiet", "no-color", "help"];
export const RUN_OPTIONS: OptionNames = ["model", "wait", "thinking", "rehearse", "trust", "durability", "anyway"];
export const REWORK_OPTIONS: OptionNames = ["allow", "hint", "accept", "next"];
export const APART_OPTIONS: OptionNames = ["worktree", "with-changes", "detach"];

export interface CommandArguments {
  readonly options: Options;
  readonly positional: readonly string[];
  /** The words after the `--`, if there is one. */
  readonly afterDelimiter?: readonly string[];
}

/** Options may be anywhere before a `--`. */
export function splitOptions(words: readonly CommandWord[], allowed: readonly OptionName[]): Result<CommandArguments> {
  const options: Record<string, string | number | true> = {};
  const positional: string[] = [];
  const issues: Issue[] = [];
  const delimiter = words.findIndex(({ text, quoted }) => text === "--" && !quoted);
  const before = delimiter === -1 ? words : words.slice(0, delimiter);
  const afterDelimiter = delimiter === -1 ? undefined : words.slice(delimiter + 1).map(({ text }) => text);
  for (let at = 0; at < before.length; at += 1) {
    const { text = "", quoted } = before[at] ?? {};
    if (quoted || !text.startsWith("--")) {
      positional.push(text);
      continue;
    }
    const [name, inline] = splitAtEquals(text.slice(2));
    const kind = isAllowed(name, allowed) ? OPTIONS[name][0] : undefined;
    const next = before[at + 1];
    if (kind === undefined) issues.push(unknownOptionIssue(text, name, allowed));
    else if (kind === "flag" && inline !== undefined)
      issues.push(error("bad_option", text, `--${name} takes no value`));
    else if (kind === "flag") options[name] = true;
    else if (kind === "address" && inline === undefined && !isAddress(next)) options[name] = "";
    else {
      const value = inline ?? (next && (next.quoted || !next.text.startsWith("--")) ? next.text : undefined);
      if (inline === undefined && value !== undefined) at += 1;
      const read = value === undefined ? undefined : readValue(value, kind);
      const found = value === undefined ? "" : `, not "${value}"`;
      if (read === undefined)
        issues.push(error("bad_option", text, `--${name} needs ${VALUE_DESCRIPTIONS[kind]}${found}`));
      else if (Object.hasOwn(options, name))
        issues.push(error("repeated_option", text, `--${name} is given twice`, "keep one of them"));
      else options[name] = read;
    }
  }
  return issues.length > 0 ? fail(...issues) : ok({ options, positional, ...withoutUndefined({ afterDelimiter }) });
}

function unknownOptionIssue(word: string, name: string, allowed: readonly OptionName[]): Issue {
  const near = nearestName(name, allowed);
  const general = `put "--" before words that begin with dashes; --help lists the options`;
  const hint = near === undefined ? general : `did you mean "--${near}"?`;
  return error("unknown_option", word, `--${name} is not an option here`, hint);
}

export function runOptionIssues({ durability, thinking, on, model }: Options): readonly Issue[] {
  const issues: Issue[] = [];
  if (model !== undefined && !v.is(ModelList, model))
    issues.push(
      error(
        "bad_option",
        "--model",
        `--model must be model names with commas between, none empty or twice, not "${String(model)}"`,
      ),
    );
  if (durability !== undefined && durability !== "sync" && durability !== "write")
    issues.push(error("bad_option", "--durability", `--durability is "write" or "sync", not "${durability}"`));
  const levels = THINKING_LEVELS.join(", ");
  if (thinking !== undefined && !v.is(ThinkingLevel, thinking))
    issues.push(error("bad_option", "--thinking", `--thinking is one of ${levels}, not "${thinking}"`));
  if (thinking !== undefined && on !== undefined) {
    const message = "--thinking has no effect on a fleet: each worker uses its own setting";
    issues.push(error("unsupported_on_fleet", "--thinking", message, `set "thinking" in the materia`));
  }
  return issues;
}

export function worktreeOptionIssues({ worktree, "with-changes": changes, on }: Options): readonly Issue[] {
  if (changes && !worktree)
    return [error("missing_option", "--with-changes", "--with-changes needs --worktree", "add --worktree")];
  if (!worktree || on === undefined) return [];
  const message = "casts of a fleet never work in your working tree";
  return [error("unsupported_on_fleet", "--worktree", message, "leave out --worktree")];
}

/** [A27] The thinking level of agents whose materia sets none. */
export function thinkingLevelOption({ thinking }: Options): ThinkingLevel | undefined {
  return v.is(ThinkingLevel, thinking) ? thinking : undefined;
}

export function expectsValue(word: CommandWord): boolean {
  const name = word.text.slice(2);
  if (word.quoted || !word.text.startsWith("--") || !Object.hasOwn(OPTIONS, name)) return false;
  const [kind] = OPTIONS[name as OptionName]; // it has this key
  return kind !== "flag" && kind !== "address";
}

/** An address can be left out, so that the next word may be something else. */
function isAddress(word: CommandWord | undefined): boolean {
  return word !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(word.text);
}

function isAllowed(name: string, allowed: readonly OptionName[]): name is OptionName {
  return allowed.some((option) => option === name);
}

function splitAtEquals(text: string): readonly [string, string?] {
  const equals = text.indexOf("=");
  return equals === -1 ? [text] : [text.slice(0, equals), text.slice(equals + 1)];
}

const VALUE_DESCRIPTIONS = {
  text: "a value",
  address: "an address, such as http://127.0.0.1:4318",
  number: "a number",
  count: "a whole number",
  tokens: "a number of tokens, such as 200000, 200k or 2.5M",
  duration: "a duration, such as 30m or 8h",
} as const;

function readValue(value: string, kind: keyof typeof VALUE_DESCRIPTIONS): string | number | undefined {
  if (kind === "duration") return readDuration(value);
  if (kind === "text" || kind === "address") return value === "" ? undefined : value;
  return kind === "number" ? readAmount(value) : readCount(value);
}

const MULTIPLIERS: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };

/** A number as people type it: `200000`, `200_000`, `200k`, `2.5M`. */
function readAmount(text: string): number | undefined {
  const [, digits = "", power = ""] = /^([0-9][0-9_]*(?:\.[0-9]+)?)([km]?)$/i.exec(text) ?? [];
  if (digits === "") return undefined;
  // Round to a millionth: 2.3 × 1000 is not exactly 2300 in floating point.
  const amount = Math.round(Number(digits.replaceAll("_", "")) * (MULTIPLIERS[power.toLowerCase()] ?? 1) * 1e6) / 1e6;
  return Number.isFinite(amount) ? amount : undefined;
}

export function readCount(text: string): number | undefined {
  const amount = readAmount(text);
  return amount !== undefined && Number.isSafeInteger(amount) ? amount : undefined;
}
