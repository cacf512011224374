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
const word = v.exactOptional(text);
const castId = word;
const flag = v.exactOptional(v.literal(true));
const count = v.exactOptional(wholeNumber(0));

function command<const K extends string, const E extends v.ObjectEntries>(kind: K, entries: E) {
  return v.strictObject({ kind: v.literal(kind), ...entries });
}

export const TargetRef = v.strictObject({ kind: v.picklist(["materia", "loadout", "either"]), name: text });
export type TargetRef = Readonly<v.InferOutput<typeof TargetRef>>;

const budgetEntries = {
  budget: count,
  costUsd: v.exactOptional(v.pipe(v.number(), v.minValue(0, "must not be negative"))),
};
export const CastCommand = command("cast", {
  prompt,
  /** Typed after `--`: the prompt never names a file. */
  literal: flag,
  loadout: word,
  ...budgetEntries,
});
export type CastCommand = Readonly<v.InferOutput<typeof CastCommand>>;

const LinkCommand = command("link", {
  from: word,
  targets: v.pipe(v.array(TargetRef), v.minLength(1, "is empty"), v.readonly()),
  prompt,
  ...budgetEntries,
});
export type LinkCommand = Readonly<v.InferOutput<typeof LinkCommand>>;

const ReworkDecision = v.variant("kind", [
  v.strictObject({ kind: v.literal("hint"), text }),
  v.strictObject({ kind: v.literal("accept") }),
  v.strictObject({ kind: v.literal("next") }),
]);
export type ReworkDecision = Readonly<v.InferOutput<typeof ReworkDecision>>;

const RecastCommand = command("recast", {
  castId,
  allow: count,
  decision: v.exactOptional(ReworkDecision),
  edited: flag,
  ...budgetEntries,
});
export type RecastCommand = Readonly<v.InferOutput<typeof RecastCommand>>;

const ContinueCommand = command("continue", {
  /** Absent if `text` may begin with the id: only the store can tell an id from a message. */
  castId,
  text: v.string(),
  reject: v.boolean(),
  literal: flag,
});
export type ContinueCommand = Readonly<v.InferOutput<typeof ContinueCommand>>;

const forkEntries = {
  castId,
  visit: word,
  loadout: word,
  request: word,
  /** The visit hands this over and does not run. */
  handoff: word,
  here: flag,
};

const ForkCommand = command("fork", { ...forkEntries });
export type ForkCommand = Readonly<v.InferOutput<typeof ForkCommand>>;

const BudgetCommand = command("budget", { castId, tokens: count });
export type BudgetCommand = Readonly<v.InferOutput<typeof BudgetCommand>>;

const TestCommand = command("test", {
  paths: v.pipe(v.array(text), v.readonly()),
  watch: flag,
  update: flag,
  junit: word,
  /** In percent. */
  minCoverage: v.exactOptional(v.number()),
  trust: flag,
});
export type TestCommand = Readonly<v.InferOutput<typeof TestCommand>>;

/** [YD4] A loadout from a description. */
const DraftCommand = command("draft", {
  words: prompt,
  /** Typed after `--`: the words never name a file. */
  literal: flag,
  save: word,
  cast: word,
  from: word,
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
  command("fork_plan", { ...forkEntries }),
  command("abort", { castId, trust: flag }),
  command("check", { file: word, strict: v.boolean(), bill: flag, loadout: word, items: count }),
  command("compare", { first: text, second: text }),
  command("doctor", { castId, salvage: flag }),
  command("forecast", { loadout: word, items: count, model: word }),
  QueueCommand,
  command("loadout", { name: word }),
  command("record", { castId, file: word, noTools: flag, seed: word }),
  command("take", { castId, as: v.exactOptional(v.picklist(["merge", "pr"])) }),
] as const;

export type Command =
  | Readonly<v.InferOutput<(typeof TYPED_COMMANDS)[number]>>
  | { [K in keyof OtherCommands]: Readonly<{ kind: K } & OtherCommands[K]> }[keyof OtherCommands]
  | FleetCommand;

interface OtherCommands {
  help: { topic?: string };
  casts: object;
  prune: { keep?: number; olderThanDays?: number; yes: boolean };
  status: { castId?: string };
  watch: { castId?: string };
  /** [C53] A page of a long cast counts from 1; the last one if unset. */
  show: { castId?: string; visit?: string; full?: true; markdown?: true; prompt?: true; page?: number };
  diff: { castId?: string; place?: string; as: "patch" | "stat" | "names" };
  /** [TM1] Sent to the configured collector without a `url`. */
  export: { castId?: string; sends?: true; url?: string };
  restore: { castId: string; visit?: string; to?: string; here: boolean };
  open: { castId?: string; visit?: string; trust?: true };
  materia: { name?: string };
  grid: { name?: string; link?: readonly TargetRef[]; as: "text" | "mermaid" | "sentences" };
  stats: object;
  fuzz: { loadout?: string; settings: Readonly<{ casts?: number; seed?: number; items?: number }>; out?: string };
  replay: { castId?: string; all?: true; loadout?: string };
  ui: { port?: number; open: boolean };
  worker: { concurrency: number; queues?: readonly string[]; port?: number; toolsUser?: string };
  init: { from?: string };
  /** The script for a shell, or completions of the last word. */
  completion: { wants: { readonly shell: Shell } | { readonly words: readonly string[] } };
  /** [YI1] Done is the cast that leaves the inbox; every cast with `all`. */
  inbox: { done?: string | true; all?: true };
  mcp: object;
  demo: { which: DemoKind };
}

export type CommandOf<K extends Command["kind"]> = Extract<Command, { kind: K }>;

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export type TerminalCommand = CommandOf<"worker" | "fleet" | "mcp">;

export function isTerminalCommand(command: Command): command is TerminalCommand {
  return command.kind === "worker" || command.kind === "fleet" || command.kind === "mcp";
}

const CASTING_KINDS = ["cast", "link", "continue", "recast", "fork"] as const;
export type CastingCommand = CommandOf<(typeof CASTING_KINDS)[number]>;

export function isCastingCommand(command: Command): command is CastingCommand {
  return CASTING_KINDS.some((kind) => kind === command.kind);
}

export function parseTarget(word: string): TargetRef {
  const kind = (["materia", "loadout"] as const).find((each) => word.startsWith(`${each}:`));
  return kind ? { kind, name: word.slice(kind.length + 1) } : { kind: "either", name: word };
}

export function targetText(target: TargetRef): string {
  return target.kind === "either" ? target.name : `${target.kind}:${target.name}`;
}
