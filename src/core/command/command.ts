import * as v from "valibot";
import { wholeNumber } from "../model/schemas.ts";
import { QueueCommand } from "./queue-command.ts";
import type { FleetCommand } from "./read-fleet-commands.ts";

/** [C20, C35] The demo runs one item after another, or several at once. */
export type DemoKind = "plain" | "parallel";

const text = v.pipe(v.string(), v.minLength(1, "is empty"));
const prompt = v.pipe(
  v.string(),
  v.check((value) => value.trim() !== "", "is empty"),
);
const castId = v.exactOptional(text);
const flag = v.exactOptional(v.literal(true));

/** A target as typed: a name, optionally with its kind. */
export const TargetRef = v.strictObject({ kind: v.picklist(["materia", "loadout", "either"]), name: text });
export type TargetRef = Readonly<v.InferOutput<typeof TargetRef>>;

/** The budget of one cast, instead of the configured one. */
const budgetEntries = {
  budget: v.exactOptional(wholeNumber(0)),
  costUsd: v.exactOptional(v.pipe(v.number(), v.minValue(0, "must not be negative"))),
};
const BudgetOptions = v.strictObject(budgetEntries);
export type BudgetOptions = Readonly<v.InferOutput<typeof BudgetOptions>>;

export const CastCommand = v.strictObject({
  kind: v.literal("cast"),
  prompt,
  /** Typed after `--`: the prompt never names a file. */
  literal: flag,
  loadout: v.exactOptional(text),
  ...budgetEntries,
});
export type CastCommand = Readonly<v.InferOutput<typeof CastCommand>>;

const LinkCommand = v.strictObject({
  kind: v.literal("link"),
  from: v.exactOptional(text),
  targets: v.pipe(v.array(TargetRef), v.minLength(1, "is empty"), v.readonly()),
  prompt,
  ...budgetEntries,
});
export type LinkCommand = Readonly<v.InferOutput<typeof LinkCommand>>;

/** Retry with a hint, accept the result, or continue with the next item. */
const ReworkDecision = v.variant("kind", [
  v.strictObject({ kind: v.literal("hint"), text }),
  v.strictObject({ kind: v.literal("accept") }),
  v.strictObject({ kind: v.literal("next") }),
]);
export type ReworkDecision = Readonly<v.InferOutput<typeof ReworkDecision>>;

const RecastCommand = v.strictObject({
  kind: v.literal("recast"),
  castId,
  allow: v.exactOptional(wholeNumber(0)),
  /** The decision of a person after too many returns. */
  decision: v.exactOptional(ReworkDecision),
  edited: flag,
  ...budgetEntries,
});
export type RecastCommand = Readonly<v.InferOutput<typeof RecastCommand>>;

const ContinueCommand = v.strictObject({
  kind: v.literal("continue"),
  /** Absent if `text` may begin with the id: only the store can tell an id from a message. */
  castId,
  text: v.string(),
  reject: v.boolean(),
  literal: flag,
});
export type ContinueCommand = Readonly<v.InferOutput<typeof ContinueCommand>>;

const forkEntries = {
  castId,
  visit: v.exactOptional(text),
  loadout: v.exactOptional(text),
  request: v.exactOptional(text),
  /** The visit hands this over and does not run. */
  handoff: v.exactOptional(text),
  /** Restore the files to this point. */
  here: flag,
};

/** A new cast that reuses the visits of another cast up to one visit. */
const ForkCommand = v.strictObject({ kind: v.literal("fork"), ...forkEntries });
export type ForkCommand = Readonly<v.InferOutput<typeof ForkCommand>>;

const BudgetCommand = v.strictObject({ kind: v.literal("budget"), castId, tokens: v.exactOptional(wholeNumber(0)) });
export type BudgetCommand = Readonly<v.InferOutput<typeof BudgetCommand>>;

const TestCommand = v.strictObject({
  kind: v.literal("test"),
  paths: v.pipe(v.array(text), v.readonly()),
  watch: flag,
  /** Writes the observed results into the test files. */
  update: flag,
  junit: v.exactOptional(text),
  /** In percent. */
  minCoverage: v.exactOptional(v.number()),
  trust: flag,
});
export type TestCommand = Readonly<v.InferOutput<typeof TestCommand>>;

/** [YD4] A loadout from a description. */
const DraftCommand = v.strictObject({
  kind: v.literal("draft"),
  words: prompt,
  /** Typed after `--`: the words never name a file. */
  literal: flag,
  save: v.exactOptional(text),
  /** The request of the cast that follows. */
  cast: v.exactOptional(text),
  from: v.exactOptional(text),
});
export type DraftCommand = Readonly<v.InferOutput<typeof DraftCommand>>;

/** [N49] Commands that the page sends as JSON. */
export const TYPED_COMMANDS = [
  CastCommand,
  LinkCommand,
  RecastCommand,
  ContinueCommand,
  ForkCommand,
  BudgetCommand,
  TestCommand,
  DraftCommand,
  /** Shows the visits that such a fork would reuse and run. */
  v.strictObject({ kind: v.literal("fork_plan"), ...forkEntries }),
  v.strictObject({ kind: v.literal("abort"), castId, trust: flag }),
  v.strictObject({ kind: v.literal("compare"), first: text, second: text }),
  v.strictObject({ kind: v.literal("doctor"), castId, salvage: flag }),
  v.strictObject({
    kind: v.literal("forecast"),
    loadout: v.exactOptional(text),
    items: v.exactOptional(wholeNumber(0)),
    model: v.exactOptional(text),
  }),
  QueueCommand,
  v.strictObject({ kind: v.literal("loadout"), name: v.exactOptional(text) }),
  v.strictObject({
    kind: v.literal("record"),
    castId,
    file: v.exactOptional(text),
    noTools: flag,
    seed: v.exactOptional(text),
  }),
  v.strictObject({ kind: v.literal("take"), castId, as: v.exactOptional(v.picklist(["merge", "pr"])) }),
] as const;

/** A request of a person, from any app. */
export type Command =
  | Readonly<v.InferOutput<(typeof TYPED_COMMANDS)[number]>>
  | { readonly kind: "help"; readonly topic?: string }
  | { readonly kind: "casts" }
  | { readonly kind: "prune"; readonly keep?: number; readonly olderThanDays?: number; readonly yes: boolean }
  | { readonly kind: "status"; readonly castId?: string }
  | { readonly kind: "watch"; readonly castId?: string }
  | ShowCommand
  | DiffCommand
  | ExportCommand
  | RestoreCommand
  | OpenCommand
  | { readonly kind: "materia"; readonly name?: string }
  | GridCommand
  | {
      readonly kind: "check";
      readonly file?: string;
      readonly strict: boolean;
      readonly bill?: true;
      readonly loadout?: string;
    }
  | { readonly kind: "stats" }
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
  | { readonly kind: "init"; readonly from?: string }
  | CompletionCommand
  | InboxCommand
  | { readonly kind: "mcp" }
  | { readonly kind: "demo"; readonly which: DemoKind };

export interface GridCommand {
  readonly kind: "grid";
  readonly name?: string;
  readonly link?: readonly TargetRef[];
  readonly as: "text" | "mermaid" | "sentences";
}

/** The commands of some kinds. */
export type CommandOf<K extends Command["kind"]> = Extract<Command, { kind: K }>;

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

/** Commands that only a terminal has. */
export type TerminalCommand = CommandOf<"worker" | "fleet" | "mcp">;

export function isTerminalCommand(command: Command): command is TerminalCommand {
  return command.kind === "worker" || command.kind === "fleet" || command.kind === "mcp";
}

/** Commands that start or resume a cast. */
export type CastingCommand = CommandOf<"cast" | "link" | "continue" | "recast" | "fork">;

export function isCastingCommand(command: Command): command is CastingCommand {
  const { kind } = command;
  return kind === "cast" || kind === "link" || kind === "continue" || kind === "recast" || kind === "fork";
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
