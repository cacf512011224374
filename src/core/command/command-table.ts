import { RUN_OPTIONS, type OptionName } from "./options.ts";

/** One row of the command table. Help, completion and the grammar read it. */
export interface CommandRow extends CommandEntry {
  readonly name: CommandName;
}

export type CommandName = (typeof COMMAND_ENTRIES)[number]["name"];

interface CommandEntry {
  readonly name: string;
  readonly usage: string;
  readonly does: string;
  readonly example: string;
  readonly options: readonly OptionName[];
  /** The most words after the name, or a text to the end. */
  readonly takes: number | "prompt" | "targets" | "paths";
}

const COMMAND_ENTRIES = [
  {
    name: "cast",
    usage: "cast [--loadout NAME] [--budget TOKENS] [--cost USD] <prompt>",
    does: "run the active loadout",
    example: "cast Add a dark mode to the settings page",
    options: ["loadout", "budget", "cost", "max-forecast", ...RUN_OPTIONS, "on", "detach", "priority", "key"],
    takes: "prompt",
  },
  {
    name: "link",
    usage: "link [--from <castId>] [--budget TOKENS] [--cost USD] <target>… -- <prompt>",
    does: "chain saved materia and loadouts into one immediate cast",
    example: "link Planner Build -- Add a small settings page.",
    options: ["from", "budget", "cost", "max-forecast", ...RUN_OPTIONS, "on", "detach", "priority", "key"],
    takes: "targets",
  },
  {
    name: "casts",
    usage: "casts [prune [--keep N] [--older-than DAYS] [--yes]]",
    does: "list recent casts, or remove old ones",
    example: "casts --json",
    options: ["keep", "older-than", "yes", "on"],
    takes: 1,
  },
  {
    name: "status",
    usage: "status [castId]",
    does: "where a cast is: items done, tokens, cost, last event",
    example: "status",
    options: ["on"],
    takes: 1,
  },
  {
    name: "doctor",
    usage: "doctor [castId [--salvage]]",
    does: "verify all casts, or one: every line and every file that a line speaks of; save what is sound",
    example: "doctor",
    options: ["salvage"],
    takes: 1,
  },
  {
    name: "show",
    usage: "show [castId] [visit] [--full] [--markdown] [--page N]",
    does: "the story of a cast: each visit, its tools, the edge taken and why; or one visit (Socket-4#2) whole",
    example: "show last Socket-4#2",
    options: ["full", "markdown", "page", "on"],
    takes: 2,
  },
  {
    name: "diff",
    usage: "diff [castId] [visit | item] [--stat | --name-only]",
    does: "what a cast changed in the files, or one visit (Socket-4#2) or item (WI-2) of it",
    example: "diff last Socket-4#2",
    options: ["stat", "name-only", "on"],
    takes: 2,
  },
  {
    name: "restore",
    usage: "restore <castId>[@visit] [--to DIR | --here]",
    does: "restore the files of a cast or a visit into a new working tree",
    example: "restore last@Socket-4#2 --to ../before",
    options: ["to", "here"],
    takes: 1,
  },
  {
    name: "watch",
    usage: "watch [castId]",
    does: "follow a cast that another process drives",
    example: "watch",
    options: ["quiet", "on"],
    takes: 1,
  },
  {
    name: "open",
    usage: "open [castId] [visit]",
    does: "the conversation of a visit as a session of Pi: a copy, which changes nothing of the cast",
    example: "open last Socket-4#2",
    options: ["trust"],
    takes: 2,
  },
  {
    name: "continue",
    usage: "continue [castId] [message], or continue [castId] --reject <reason>",
    does: "finish an interactive socket or answer it; say yes or no to a person's gate",
    example: "continue Leave the database alone",
    options: ["reject", ...RUN_OPTIONS, "on", "detach"],
    takes: "prompt",
  },
  {
    name: "recast",
    usage: "recast [castId] [--budget TOKENS] [--cost USD] [--allow N] [--hint TEXT | --accept | --next] [--edited]",
    does: "resume a failed, aborted or interrupted cast where it stopped, with the graph as it was started",
    example: "recast --allow 2",
    options: ["budget", "cost", "allow", "hint", "accept", "next", "edited", ...RUN_OPTIONS, "on", "detach"],
    takes: 1,
  },
  {
    name: "abort",
    usage: "abort [castId]",
    does: "stop a running cast",
    example: "abort",
    options: ["trust", "on"],
    takes: 1,
  },
  {
    name: "loadout",
    usage: "loadout [name]",
    does: "list loadouts with their source, or choose the active one",
    example: "loadout Planning-Consult",
    options: [],
    takes: 1,
  },
  {
    name: "materia",
    usage: "materia [name]",
    does: "list materia, or show one",
    example: "materia Build",
    options: [],
    takes: 1,
  },
  {
    name: "grid",
    usage: "grid [name] [--mermaid] [--link <target>…]",
    does: "draw a loadout's graph, or that of a chain before it runs",
    example: "grid Full-Auto",
    options: ["mermaid", "link"],
    takes: "targets",
  },
  {
    name: "check",
    usage: "check [file] [--strict]",
    does: "every problem of the configuration, and the worst case of each loadout",
    example: "check",
    options: ["strict"],
    takes: 1,
  },
  {
    name: "test",
    usage: "test [paths…] [--watch] [--update] [--junit FILE] [--min-coverage PERCENT]",
    does: "run tests of loadouts, and say what of each graph no test took",
    example: "test .pi/tests",
    options: ["watch", "update", "junit", "min-coverage", "trust"],
    takes: "paths",
  },
  {
    name: "replay",
    usage: "replay [castId | --all] [--loadout NAME]",
    does: "what was answered then on what is configured now: where would a cast go differently",
    example: "replay --all",
    options: ["all", "loadout"],
    takes: 1,
  },
  {
    name: "fuzz",
    usage: "fuzz [loadout] [--casts N] [--items N] [--seed N] [--out DIR]",
    does: "thousands of random casts of a graph through the engine: does it end, what is never reached, which limits are hit",
    example: "fuzz Full-Auto",
    options: ["casts", "items", "seed", "out"],
    takes: 1,
  },
  {
    name: "forecast",
    usage: "forecast [loadout] [--items N] [--model provider/id]",
    does: "what a cast will take: turns, tokens, cost and time, from past casts of the same materia",
    example: "forecast Full-Auto --items 5",
    options: ["items", "model"],
    takes: 1,
  },
  {
    name: "stats",
    usage: "stats",
    does: "how each materia and model has done: refused handoffs, rework, overturned yes, tokens and cost per item",
    example: "stats",
    options: [],
    takes: 0,
  },
  {
    name: "compare",
    usage: "compare <castId> <castId>",
    does: "two casts side by side: path, handoffs, figures, files",
    example: "compare last 20260101-120000-abc123",
    options: [],
    takes: 2,
  },
  {
    name: "record",
    usage: "record [castId] [file] [--no-tools] [--seed DIR]",
    does: "write a test from a cast that happened",
    example: "record last .pi/tests/greeting.json",
    options: ["no-tools", "seed"],
    takes: 2,
  },
  {
    name: "fork",
    usage: "fork [castId[@visit]] [--loadout NAME] [--request TEXT] [--handoff TEXT] [--here] [--plan]",
    does: "a new cast that shares everything up to a visit, or up to the first one that an edit touches",
    example: "fork last@Socket-5#2 --plan",
    options: ["loadout", "request", "handoff", "here", "plan", ...RUN_OPTIONS],
    takes: 1,
  },
  {
    name: "budget",
    usage: "budget [castId] [tokens]",
    does: "show or set the tokens a cast may use",
    example: "budget 2000000",
    options: ["on"],
    takes: 2,
  },
  {
    name: "ui",
    usage: "ui [--port N] [--open] [--on FLEET]",
    does: "the web UI, on this machine only; of the casts that are kept here, or of those of a fleet",
    example: "ui --open",
    options: ["port", "open", "on"],
    takes: 0,
  },
  {
    name: "worker",
    usage: "worker --on FLEET [--concurrency N] [--queues A,B] [--port N] [--tools-user NAME]",
    does: "pull casts of a fleet and drive them, until it is stopped",
    example: "worker --on team --concurrency 4",
    options: ["on", "concurrency", "queues", "port", "tools-user"],
    takes: 0,
  },
  {
    name: "fleet",
    usage: "fleet up|down|migrate|workers|limits [set|unset WHAT [N]]|schedule [add CRON -- COMMAND|remove N]",
    does: "a fleet on this machine for a first look; the tables of one, its workers, limits, and what it submits at times",
    example: "fleet limits set project website 3 --on team",
    options: ["on", "workers", "here", "zone"],
    takes: "targets",
  },
  {
    name: "take",
    usage: "take [castId] --on FLEET",
    does: "bring the result of a cast of a fleet home, as a branch",
    example: "take last --on team",
    options: ["on"],
    takes: 1,
  },
  {
    name: "init",
    usage: "init [--from FILE]",
    does: "write a small commented project configuration to start from, or an older one in today's form",
    example: "init",
    options: ["from"],
    takes: 0,
  },
  {
    name: "completion",
    usage: "completion bash|zsh|fish",
    does: "print what makes a shell complete commands, names and casts",
    example: "completion bash",
    options: [],
    takes: "targets",
  },
  {
    name: "demo",
    usage: "demo [--parallel]",
    does: "a complete cast in a scratch repository, or one that works on three items at once; no model or key needed",
    example: "demo --parallel",
    options: ["parallel"],
    takes: 0,
  },
  {
    name: "help",
    usage: "help [command]",
    does: "this list, or one command",
    example: "help cast",
    options: [],
    takes: 1,
  },
] as const satisfies readonly CommandEntry[];

export const COMMANDS: readonly CommandRow[] = COMMAND_ENTRIES;

export function commandRow(name: string): CommandRow | undefined {
  return COMMANDS.find((row) => row.name === name);
}
