import * as v from "valibot";
import { error, fail, ok, type Issue, type Result } from "../model/issue.ts";
import { ModelList, THINKING_LEVELS, ThinkingLevel } from "../model/materia.ts";
import { nearestName, readDuration } from "../model/text.ts";
import type { CommandWord } from "./split-words.ts";

/** The value of each option. Every app has the same options. */
const OPTIONS = {
  cwd: "text",
  config: "text",
  artifacts: "text",
  json: "flag",
  "no-color": "flag",
  quiet: "flag",
  help: "flag",
  version: "flag",
  model: "text",
  thinking: "text",
  wait: "duration",
  rehearse: "text",
  trust: "flag",
  durability: "text",
  anyway: "flag",
  loadout: "text",
  from: "text",
  link: "flag",
  mermaid: "flag",
  strict: "flag",
  budget: "tokens",
  cost: "number",
  allow: "count",
  hint: "text",
  accept: "flag",
  next: "flag",
  reject: "flag",
  port: "count",
  open: "flag",
  keep: "count",
  "older-than": "number",
  yes: "flag",
  salvage: "flag",
  all: "flag",
  "no-tools": "flag",
  "max-forecast": "number",
  plan: "flag",
  request: "text",
  handoff: "text",
  edited: "flag",
  casts: "count",
  items: "count",
  seed: "text",
  out: "text",
  watch: "flag",
  update: "flag",
  junit: "text",
  "min-coverage": "number",
  stat: "flag",
  "name-only": "flag",
  full: "flag",
  page: "count",
  markdown: "flag",
  to: "text",
  here: "flag",
  parallel: "flag",
  on: "text",
  detach: "flag",
  priority: "count",
  key: "text",
  zone: "text",
  "tools-user": "text",
  concurrency: "count",
  queues: "text",
  workers: "count",
} as const;

export type OptionName = keyof typeof OPTIONS;
export type Options = {
  readonly [K in OptionName]?: (typeof OPTIONS)[K] extends "flag"
    ? true
    : (typeof OPTIONS)[K] extends "number" | "count" | "tokens" | "duration"
      ? number
      : string;
};

/** Options of every command, and further options of commands that run something. */
export const COMMON_OPTIONS: readonly OptionName[] = [
  "cwd",
  "config",
  "artifacts",
  "json",
  "no-color",
  "quiet",
  "help",
];
export const RUN_OPTIONS: readonly OptionName[] = [
  "model",
  "wait",
  "thinking",
  "rehearse",
  "trust",
  "durability",
  "anyway",
];

export interface CommandArguments {
  readonly options: Options;
  /** The words before the `--` that are not options. */
  readonly positional: readonly string[];
  /** The words after the `--`, if there is one. */
  readonly afterDelimiter?: readonly string[];
}

/** Options may be anywhere before a `--`. */
export function splitOptions(words: readonly CommandWord[], allowed: readonly OptionName[]): Result<CommandArguments> {
  const options: Record<string, string | number | true> = {};
  const rest: string[] = [];
  const issues: Issue[] = [];
  let behind: readonly string[] | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (!word) break;
    if (word.text === "--" && !word.quoted) {
      behind = words.slice(at + 1).map((later) => later.text);
      break;
    }
    if (word.quoted || !word.text.startsWith("--")) {
      rest.push(word.text);
      continue;
    }
    const [name, inline] = splitAtEquals(word.text.slice(2));
    const kind = isAllowed(name, allowed) ? OPTIONS[name] : undefined;
    if (kind === undefined) {
      const near = nearestName(name, allowed);
      const hint =
        near === undefined
          ? `put "--" before words that begin with dashes; --help lists the options`
          : `did you mean "--${near}"?`;
      issues.push(error("unknown_option", word.text, `--${name} is not an option here`, hint));
      continue;
    }
    if (kind === "flag") {
      if (inline === undefined) options[name] = true;
      else issues.push(error("bad_option", word.text, `--${name} takes no value`));
      continue;
    }
    const next = words[at + 1];
    const value = inline ?? (next && (next.quoted || !next.text.startsWith("--")) ? next.text : undefined);
    if (inline === undefined && value !== undefined) at += 1;
    const read = value === undefined ? undefined : readValue(value, kind);
    if (read === undefined)
      issues.push(
        error(
          "bad_option",
          word.text,
          `--${name} needs ${VALUE_DESCRIPTIONS[kind]}${value === undefined ? "" : `, not "${value}"`}`,
        ),
      );
    else if (Object.hasOwn(options, name))
      issues.push(error("repeated_option", word.text, `--${name} is given twice`, "keep one of them"));
    else options[name] = read;
  }
  if (issues.length > 0) return fail(...issues);
  return ok({ options, positional: rest, ...(behind === undefined ? {} : { afterDelimiter: behind }) });
}

/** Problems in the options that say how a cast runs. */
export function runOptionIssues({ durability, thinking, on, model }: Options): readonly Issue[] {
  const issues: Issue[] = [];
  if (model !== undefined && !v.is(ModelList, model))
    issues.push(error("bad_option", "--model", `--model must name each model once, not "${String(model)}"`));
  if (durability !== undefined && durability !== "sync" && durability !== "write")
    issues.push(error("bad_option", "--durability", `--durability is "write" or "sync", not "${durability}"`));
  if (thinking !== undefined && !v.is(ThinkingLevel, thinking)) {
    const message = `--thinking is one of ${THINKING_LEVELS.join(", ")}, not "${thinking}"`;
    issues.push(error("bad_option", "--thinking", message));
  }
  if (thinking !== undefined && on !== undefined) {
    const message = "--thinking has no effect on a fleet: each worker uses its own setting";
    issues.push(error("unsupported_on_fleet", "--thinking", message, `set "thinking" in the materia`));
  }
  return issues;
}

/** [A27] The thinking level of agents whose materia sets none. */
export function thinkingLevelOption({ thinking }: Options): ThinkingLevel | undefined {
  return v.is(ThinkingLevel, thinking) ? thinking : undefined;
}

/** Whether the word is an option that takes the next word as its value. */
export function expectsValue(word: CommandWord): boolean {
  const name = word.text.slice(2);
  return (
    !word.quoted &&
    word.text.startsWith("--") &&
    isAllowed(name, Object.keys(OPTIONS) as OptionName[]) &&
    OPTIONS[name] !== "flag"
  ); // the keys of OPTIONS are its names
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
  number: "a number",
  count: "a whole number",
  tokens: "a number of tokens, such as 200000, 200k or 2.5M",
  duration: "a duration, such as 30m or 8h",
} as const;

function readValue(value: string, kind: keyof typeof VALUE_DESCRIPTIONS): string | number | undefined {
  if (kind === "duration") return readDuration(value);
  if (kind === "text") return value === "" ? undefined : value;
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

/** The same for whole numbers. */
export function readCount(text: string): number | undefined {
  const amount = readAmount(text);
  return amount !== undefined && Number.isSafeInteger(amount) ? amount : undefined;
}
