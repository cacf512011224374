import { CAST_COMMANDS, type CommandEntry } from "./cast-commands.ts";

/** One row of the command table. Help, completion and the grammar read it. */
export interface CommandRow extends CommandEntry {
  readonly name: CommandName;
}

export type CommandName = (typeof COMMAND_ENTRIES)[number]["name"];

const COMMAND_ENTRIES = [
  ...CAST_COMMANDS,
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
