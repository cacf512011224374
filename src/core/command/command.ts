import type { Options } from "./options.ts";
import type { CommandRow } from "./command-table.ts";
import { quoteWord } from "./split-words.ts";

/** [C20, C35] What the demo shows: one item after another, or several at once. */
export type DemoKind = "plain" | "parallel";

/** What a person asks for, whichever face they ask it at. */
export type Command =
  | { readonly kind: "help"; readonly topic?: string }
  | CastCommand
  | LinkCommand
  | { readonly kind: "casts" }
  | { readonly kind: "prune"; readonly keep?: number; readonly olderThanDays?: number; readonly yes: boolean }
  | { readonly kind: "status"; readonly castId?: string }
  | ShowCommand
  | DiffCommand
  | RestoreCommand
  | { readonly kind: "watch"; readonly castId?: string }
  | OpenCommand
  | { readonly kind: "doctor"; readonly castId?: string; readonly salvage?: true }
  /** A message, perhaps with a cast id before it: which of the two the first word is, is known only where casts are known. */
  | { readonly kind: "continue"; readonly text: string; readonly reject: boolean; readonly literal?: true }
  | RecastCommand
  | { readonly kind: "abort"; readonly castId?: string; readonly trust?: true }
  | { readonly kind: "loadout"; readonly name?: string }
  | { readonly kind: "materia"; readonly name?: string }
  | GridCommand
  | { readonly kind: "check"; readonly file?: string; readonly strict: boolean }
  | { readonly kind: "budget"; readonly castId?: string; readonly tokens?: number }
  | TestCommand
  | ForkCommand
  | { readonly kind: "stats" }
  | { readonly kind: "compare"; readonly first: string; readonly second: string }
  | { readonly kind: "forecast"; readonly loadout?: string; readonly items?: number; readonly model?: string }
  | (Omit<ForkCommand, "kind"> & { readonly kind: "fork_plan" })
  | {
      readonly kind: "record";
      readonly castId?: string;
      readonly file?: string;
      readonly noTools?: true;
      readonly seed?: string;
    }
  | {
      readonly kind: "fuzz";
      readonly loadout?: string;
      readonly settings: { readonly casts?: number; readonly seed?: number; readonly items?: number };
      readonly out?: string;
    }
  | { readonly kind: "replay"; readonly castId?: string; readonly all?: true; readonly loadout?: string }
  | { readonly kind: "ui"; readonly port?: number; readonly open: boolean }
  | {
      readonly kind: "worker";
      readonly concurrency: number;
      readonly queues?: readonly string[];
      readonly port?: number;
      readonly toolsUser?: string;
    }
  | FleetCommand
  | { readonly kind: "take"; readonly castId?: string }
  | { readonly kind: "init"; readonly from?: string }
  | CompletionCommand
  | { readonly kind: "demo"; readonly which: DemoKind };

/** What is done with a fleet as a whole. */
export const FLEET_ACTIONS = ["up", "down", "migrate", "workers", "limits", "schedule"] as const;

export type FleetCommand = { readonly kind: "fleet" } & (
  | { readonly action: "up"; readonly workers?: number }
  | { readonly action: "down" | "migrate" | "workers" }
  | { readonly action: "limits"; readonly change?: FleetLimitChange }
  | { readonly action: "schedule"; readonly what: ScheduleAction }
);

/** [B23] What is done with the times at which a fleet submits something. */
export const SCHEDULE_ACTIONS = ["add", "list", "remove"] as const;
export type ScheduleAction =
  | { readonly kind: "list" }
  | { readonly kind: "remove"; readonly id: number }
  | {
      readonly kind: "add";
      readonly cron: string;
      readonly zone?: string;
      readonly tree: "as it is now" | "of the branch";
      readonly submits: { readonly command: CastCommand | LinkCommand; readonly options: Options };
    };

/** [B22] What the number of casts at once is limited for. */
export const FLEET_LIMIT_KINDS = ["all", "project", "provider"] as const;
export type FleetLimitKind = (typeof FLEET_LIMIT_KINDS)[number];

export interface FleetLimit {
  readonly kind: FleetLimitKind;
  /** Of the project or the provider; empty for all. */
  readonly name: string;
}

/** Without a number the limit is taken away. */
export interface FleetLimitChange extends FleetLimit {
  readonly most?: number;
}

/** Shells whose completion is known. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export interface CompletionCommand {
  readonly kind: "completion";
  /** The script for a shell, or what the last of these words could become. */
  readonly wants: { readonly shell: Shell } | { readonly words: readonly string[] };
}

/** What a cast may use in all, where that was typed. */
export interface BudgetOptions {
  readonly budget?: number;
  readonly costUsd?: number;
}

export interface RecastCommand extends BudgetOptions {
  readonly kind: "recast";
  readonly castId?: string;
  readonly allow?: number;
  /** What a person decides where something was sent back too often. */
  readonly decision?: ReworkDecision;
  readonly edited?: true;
}

/** Once more with a hint, as if it had been accepted, or on to the next item. */
export type ReworkDecision =
  | { readonly kind: "hint"; readonly text: string }
  | { readonly kind: "accept" }
  | { readonly kind: "next" };

export interface CastCommand extends BudgetOptions {
  readonly kind: "cast";
  readonly prompt: string;
  /** Typed behind `--`: it means itself, and names no file. */
  readonly literal?: true;
  readonly loadout?: string;
}

export interface LinkCommand extends BudgetOptions {
  readonly kind: "link";
  readonly from?: string;
  readonly targets: readonly TargetRef[];
  readonly prompt: string;
}

/** The story of a cast, or one visit of it (`Socket-4#2`). */
export interface ShowCommand {
  readonly kind: "show";
  readonly castId?: string;
  readonly visit?: string;
  /** Every text in full. */
  readonly full?: true;
  readonly markdown?: true;
}

/** What a cast, a visit of it (`Socket-4#2`) or an item (`WI-2`) changed. */
export interface DiffCommand {
  readonly kind: "diff";
  readonly castId?: string;
  readonly place?: string;
  readonly as: "patch" | "stat" | "names";
}

/** The files as they were when a cast, or a visit of it, was over. */
export interface RestoreCommand {
  readonly kind: "restore";
  readonly castId: string;
  readonly visit?: string;
  readonly to?: string;
  readonly here: boolean;
}

/** The conversation of a visit (`Socket-4#2`, or its number in the cast), to be gone on with in Pi. */
export interface OpenCommand {
  readonly kind: "open";
  readonly castId?: string;
  readonly visit?: string;
  readonly trust?: true;
}

export interface GridCommand {
  readonly kind: "grid";
  readonly name?: string;
  readonly link?: readonly TargetRef[];
  readonly as: "text" | "mermaid";
}

/** A new cast that shares the past of another up to a visit. */
export interface ForkCommand {
  readonly kind: "fork";
  readonly castId?: string;
  readonly visit?: string;
  readonly loadout?: string;
  readonly request?: string;
  /** What the visit hands over, in place of being run. */
  readonly handoff?: string;
  /** Put the files back as they were then. */
  readonly here?: true;
}

export interface TestCommand {
  readonly kind: "test";
  readonly paths: readonly string[];
  readonly watch?: true;
  /** Write what was observed into the files. */
  readonly update?: true;
  readonly junit?: string;
  /** In percent. */
  readonly minCoverage?: number;
  readonly trust?: true;
}

/** The commands that set a cast going, a new one or one that stopped. */
export type CastingCommand = Extract<Command, { kind: "cast" | "link" | "continue" | "recast" | "fork" }>;

export function isCastingCommand(command: Command): command is CastingCommand {
  const { kind } = command;
  return kind === "cast" || kind === "link" || kind === "continue" || kind === "recast" || kind === "fork";
}

/** A target as typed: a name, perhaps with the kind it must be. */
export interface TargetRef {
  readonly kind: "materia" | "loadout" | "either";
  readonly name: string;
}

export function parseTarget(word: string): TargetRef {
  for (const kind of ["materia", "loadout"] as const) {
    if (word.startsWith(`${kind}:`)) return { kind, name: word.slice(kind.length + 1) };
  }
  return { kind: "either", name: word };
}

export function targetText(target: TargetRef): string {
  return target.kind === "either" ? target.name : `${target.kind}:${target.name}`;
}

/** [L22] The command of a new cast as it can be typed again, and never more than one way. */
export function commandText(command: CastCommand | Omit<LinkCommand, "kind">, options: Options = {}): string {
  const { budget, costUsd, prompt } = command;
  // Where it is kept and how it is shown belongs to the moment.
  const { config, model, thinking, rehearse, durability } = options;
  const run = optionWords({ budget, cost: costUsd, config, model, thinking, rehearse, durability });
  if (!("targets" in command))
    return ["cast", ...optionWords({ loadout: command.loadout }), ...run, ...promptWords(command)].join(" ");
  return [
    "link",
    ...optionWords({ from: command.from }),
    ...command.targets.map(targetWord),
    ...run,
    "--",
    prompt,
  ].join(" ");
}

function targetWord(target: TargetRef): string {
  return quoteWord(targetText(target));
}

function optionWords(options: Readonly<Record<string, string | number | undefined>>): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoteWord(String(value))],
  );
}

/** A prompt that would be read as an option or a file's name, or whose first blanks would be lost, stands behind the delimiter. */
function promptWords({ prompt, literal }: CastCommand): readonly string[] {
  return literal || /^(?:--|\s|@|-$)/.test(prompt) ? ["--", prompt] : [prompt];
}

/** How a command is used, as the hint of a refusal. */
export function usageOf({ usage }: CommandRow): string {
  return `usage: materia ${usage}`;
}
