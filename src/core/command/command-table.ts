import { APART_OPTIONS, REWORK_OPTIONS, RUN_OPTIONS, type OptionMeanings, type OptionName } from "./options.ts";

export interface CommandRow {
  readonly name: CommandName;
  readonly usage: string;
  readonly does: string;
  readonly example: string;
  readonly options: readonly OptionName[];
  readonly meanings: OptionMeanings;
  /** The most words after the name, or a text to the end. */
  readonly takes: number | "prompt" | "targets" | "paths";
}

export type CommandName = keyof typeof COMMAND_TABLE;

/** A row without its name, with which usage and example begin. */
type CommandEntry = Pick<CommandRow, "does"> & Partial<Omit<CommandRow, "name">>;

const COMMAND_TABLE = {
  cast: {
    usage: "[--loadout NAME] [--worktree] [--detach] [--budget TOKENS] [--cost USD] <prompt>",
    does: "run the active loadout",
    example: "Add a dark mode to the settings page",
    options: ["loadout", "budget", "cost", "max-forecast", ...RUN_OPTIONS, ...APART_OPTIONS, "on", "priority", "key"],
    takes: "prompt",
  },
  link: {
    usage: "[--from <castId>] [--worktree] [--detach] [--budget TOKENS] [--cost USD] <target>… -- <prompt>",
    does: "join saved materia and loadouts in one cast",
    example: "Planner Build -- Add a small settings page.",
    options: ["from", "budget", "cost", "max-forecast", ...RUN_OPTIONS, ...APART_OPTIONS, "on", "priority", "key"],
    takes: "targets",
  },
  casts: {
    usage: "[prune [--keep N] [--older-than DAYS] [--yes]]",
    does: "list recent casts, or remove old ones",
    example: "--json",
    options: ["keep", "older-than", "yes", "on"],
  },
  status: {
    usage: "[castId]",
    does: "where a cast is: items done, tokens, cost, last event",
    options: ["on"],
  },
  doctor: {
    usage: "[castId [--salvage]]",
    does: "check stored casts for damage; --salvage keeps the sound part",
    options: ["salvage"],
  },
  show: {
    usage: "[castId] [visit] [--full] [--markdown] [--page N]",
    does: "the story of a cast: each visit, its tools, the edge taken and why; or one visit (Socket-4#2) in full",
    example: "last Socket-4#2",
    options: ["prompt", "full", "markdown", "page", "on"],
    takes: 2,
  },
  diff: {
    usage: "[castId] [visit | item] [--stat | --name-only]",
    does: "what a cast changed in the files, or one visit (Socket-4#2) or item (WI-2) of it",
    example: "last Socket-4#2",
    options: ["stat", "name-only", "on"],
    takes: 2,
  },
  restore: {
    usage: "<castId>[@visit] [--to DIR | --here]",
    does: "restore the files of a cast or a visit into a new working tree",
    example: "last@Socket-4#2 --to ../before",
    options: ["to", "here"],
  },
  export: {
    usage: "[castId] [--otlp [URL]]",
    does: "the spans of a cast for OpenTelemetry: as a tree, as OTLP/JSON with --json, or sent to a collector",
    example: "last --otlp http://127.0.0.1:4318",
    options: ["otlp", "on"],
  },
  watch: {
    usage: "[castId]",
    does: "follow a cast that runs in another process",
    options: ["quiet", "on"],
  },
  open: {
    usage: "[castId] [visit]",
    does: "open a copy of a visit's conversation in Pi; the cast stays as it is",
    example: "last Socket-4#2",
    options: ["trust"],
    takes: 2,
  },
  continue: {
    usage: "[castId] [message], or continue [castId] --reject <reason>",
    does: "answer a waiting cast: accept or refine an interactive result, say yes or no at a person's gate",
    example: "Leave the database alone",
    options: ["reject", ...RUN_OPTIONS, "on", "detach"],
    takes: "prompt",
  },
  recast: {
    usage:
      "[castId] [--budget TOKENS] [--cost USD] [--allow N] [--hint TEXT | --accept | --next] [--edited] [--detach]",
    does: "resume a failed, aborted, paused or interrupted cast where it stopped, with the graph it began with",
    example: "--allow 2",
    options: ["budget", "cost", ...REWORK_OPTIONS, "edited", ...RUN_OPTIONS, "worktree", "detach", "on"],
  },
  abort: {
    usage: "[castId]",
    does: "stop a running cast",
    options: ["trust", "on"],
  },
  loadout: {
    usage: "[name]",
    does: "list loadouts with their source, or choose the active one",
    example: "Planning-Consult",
  },
  draft: {
    usage: "[--save NAME] [--cast REQUEST] [--from NAME|FILE] <words…>",
    does: "a loadout from a description: drafted by an agent, checked and rehearsed, with its bill",
    example: "For every TODO in src: fix it, run the tests, have another model review it.",
    options: ["save", "cast", "from", "yes", ...RUN_OPTIONS],
    meanings: { from: ["NAME|FILE", "change this loadout of the project, or the one in this file"] },
    takes: "prompt",
  },
  materia: {
    usage: "[name]",
    does: "list materia, or show one",
    example: "Build",
  },
  grid: {
    usage: "[name] [--mermaid | --explain] [--link <target>…]",
    does: "draw a loadout's graph, or that of a chain before it runs",
    example: "Full-Auto",
    options: ["mermaid", "explain", "link"],
    takes: "targets",
  },
  check: {
    usage: "[file] [--strict] [--bill [--loadout NAME]] [--format FORMAT]",
    does: "problems of the configuration, and each loadout's worst case",
    example: "--bill",
    options: ["format", "strict", "bill", "loadout"],
    meanings: { loadout: ["NAME", "with --bill: the bill of this loadout"] },
  },
  test: {
    usage: "[paths…] [--watch] [--update] [--junit FILE] [--min-coverage PERCENT] [--format FORMAT]",
    does: "run tests of loadouts, and list what they do not cover",
    example: ".pi/tests",
    options: ["format", "watch", "update", "junit", "min-coverage", "trust"],
    takes: "paths",
  },
  replay: {
    usage: "[castId | --all] [--loadout NAME] [--format FORMAT]",
    does: "replay recorded answers on the current configuration, and list what would differ",
    example: "--all",
    options: ["format", "all", "loadout"],
    meanings: { loadout: ["NAME", "replay on this loadout"] },
  },
  fuzz: {
    usage: "[loadout] [--casts N] [--items N] [--seed N] [--out DIR]",
    does: "run thousands of random casts of a graph: does it end, what is never reached, which limits are hit",
    example: "Full-Auto",
    options: ["casts", "items", "seed", "out"],
  },
  forecast: {
    usage: "[loadout] [--items N] [--model PROVIDER/ID]",
    does: "estimate turns, tokens, cost and time of a cast from past casts of the same materia",
    example: "Full-Auto --items 5",
    options: ["items", "model"],
    meanings: { items: ["N", "for this many work items"], model: ["PROVIDER/ID", "from past casts of this model"] },
  },
  stats: {
    does: "figures of each materia and model: refused handoffs, rework, approvals later reversed, tokens and cost per item",
    takes: 0,
  },
  compare: {
    usage: "<castId> <castId>",
    does: "two casts side by side: path, handoffs, figures, files",
    example: "last 20260101-120000-abc123",
    takes: 2,
  },
  record: {
    usage: "[castId] [file] [--no-tools] [--seed DIR]",
    does: "write a test from a past cast",
    example: "last .pi/tests/greeting.json",
    options: ["no-tools", "seed"],
    meanings: { seed: ["DIR", "a folder with the files that the test starts from"] },
    takes: 2,
  },
  fork: {
    usage: "[castId[@visit]] [--loadout NAME] [--request TEXT] [--handoff TEXT] [--here] [--plan]",
    does: "a new cast that shares everything up to a visit, or up to the first one that an edit affects",
    example: "last@Socket-5#2 --plan",
    options: ["loadout", "request", "handoff", "here", "plan", ...RUN_OPTIONS, "worktree"],
  },
  budget: {
    usage: "[castId] [tokens]",
    does: "show or set the tokens a cast may use",
    example: "2000000",
    options: ["on"],
    takes: 2,
  },
  ui: {
    usage: "[--port N] [--open] [--on FLEET]",
    does: "serve the web UI on this machine only, for the casts kept here or for those of a fleet",
    example: "--open",
    options: ["port", "open", "on"],
    takes: 0,
  },
  worker: {
    usage: "--on FLEET [--concurrency N] [--queues A,B] [--port N] [--tools-user NAME]",
    does: "run casts of a fleet, until it is stopped",
    example: "--on team --concurrency 4",
    options: ["on", "concurrency", "queues", "port", "tools-user"],
    meanings: { port: ["N", "answer /health and /metrics on this port"] },
    takes: 0,
  },
  fleet: {
    usage: "up|down|migrate|workers|limits [set|unset WHAT [N]]|schedule [add CRON -- COMMAND|remove N]",
    does: "start a fleet on this machine, or manage one: its tables, workers, limits and schedules",
    example: "limits set project website 3 --on team",
    options: ["on", "workers", "here", "zone"],
    meanings: { here: ["", "for a schedule: the files as they are now, not the branch in origin"] },
    takes: "targets",
  },
  take: {
    usage: "[castId] [--merge | --pr] [--on FLEET]",
    does: "fetch the result of a cast with a separate working tree, or of a fleet: as a branch, merged, or as a pull request",
    example: "last --merge",
    options: ["merge", "pr", "on"],
  },
  queue: {
    usage:
      "[add <request | @file | -> | remove N | move N TO | run [--until TIME] [--cost USD] [--at-once N] [--wait DURATION] [--on FLEET] [--detach]]",
    does: "requests for later: list, add and sort them; run casts them, each in a separate working tree",
    example: "run --until 07:00 --cost 20 --at-once 2 --wait 8h",
    options: ["loadout", "budget", "key", "until", "cost", "at-once", "on", "detach", ...RUN_OPTIONS],
    meanings: {
      loadout: ["NAME", "cast the added requests with this loadout"],
      key: ["TEXT", "idempotency key: add the same request only once"],
      cost: ["USD", "what all casts of this run may cost together"],
      detach: ["", "return at once; the queue runs in the background"],
    },
    takes: "targets",
  },
  inbox: {
    usage: "[--all] | inbox done <castId | --all>",
    does: "casts of all projects on this machine that need you or that you have not seen, each with the command that answers",
    options: ["all"],
    takes: 2,
    meanings: { all: ["", "also the casts that you have seen; with done: all of them"] },
  },
  mcp: {
    usage: "[--budget TOKENS] [--cost USD]",
    does: "serve this project to other agents over the Model Context Protocol, on standard input and output",
    options: ["budget", "cost", ...RUN_OPTIONS],
    meanings: {
      budget: ["TOKENS", "the most tokens of any cast that a client starts"],
      cost: ["USD", "the most dollars of any cast that a client starts"],
    },
    takes: 0,
  },
  init: {
    usage: "[--from FILE]",
    does: "write a small commented project configuration, or convert an older one to the current form",
    options: ["from"],
    meanings: { from: ["FILE", "convert this older configuration to the current form"] },
    takes: 0,
  },
  completion: {
    usage: "bash|zsh|fish",
    does: "print a completion script for commands, names and casts",
    example: "bash",
    takes: "targets",
  },
  demo: {
    usage: "[--parallel]",
    does: "run a complete cast in a scratch repository, or one with three items at once; no model or key needed",
    example: "--parallel",
    options: ["parallel"],
    takes: 0,
  },
  help: {
    usage: "[command]",
    does: "this list, or one command",
    example: "cast",
  },
} as const satisfies Readonly<Record<string, CommandEntry>>;

export const COMMANDS: readonly CommandRow[] = Object.entries<CommandEntry>(COMMAND_TABLE).map(
  ([name, { usage = "", does, example = "", options = [], meanings = {}, takes = 1 }]) => ({
    name: name as CommandName, // a key of the table
    usage: `${name} ${usage}`.trimEnd(),
    does,
    example: `${name} ${example}`.trimEnd(),
    options,
    meanings,
    takes,
  }),
);

export function commandRow(name: string): CommandRow | undefined {
  return COMMANDS.find((row) => row.name === name);
}
