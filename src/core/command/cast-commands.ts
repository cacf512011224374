import { RUN_OPTIONS, type OptionName } from "./options.ts";

export interface CommandEntry {
  readonly name: string;
  readonly usage: string;
  readonly does: string;
  readonly example: string;
  readonly options: readonly OptionName[];
  /** The most words after the name, or a text to the end. */
  readonly takes: number | "prompt" | "targets" | "paths";
}

/** Commands that start, resume or show casts. */
export const CAST_COMMANDS = [
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
    name: "take",
    usage: "take [castId] --on FLEET",
    does: "bring the result of a cast of a fleet home, as a branch",
    example: "take last --on team",
    options: ["on"],
    takes: 1,
  },
] as const satisfies readonly CommandEntry[];
