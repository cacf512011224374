import { COMMANDS, commandRow, type CommandName, type CommandRow } from "../../core/command/command-table.ts";
import type { OptionName } from "../../core/command/options.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import type { CommandOutput } from "./command-output.ts";

/** [C2] All commands with an example each, or one command with its options. */
export function runHelp(topic: string | undefined): CommandOutput {
  const row = topic === undefined ? undefined : commandRow(topic);
  return { code: 0, data: row ?? COMMANDS, lines: (width) => (row ? commandLines(row) : allCommandsLines(width)) };
}

/** [C51] The commands of every day come first. */
export const COMMAND_GROUPS: readonly (readonly [title: string, names: readonly CommandName[]])[] = [
  ["Every day", ["cast", "casts", "status", "show", "diff", "continue", "recast", "ui"]],
  ["Write", ["init", "check", "grid", "loadout", "materia", "link"]],
  ["Prove", ["demo", "test", "record", "replay", "fork", "fuzz", "forecast", "stats", "compare"]],
  ["Run elsewhere", ["watch", "worker", "fleet", "take"]],
  ["Tools", ["abort", "budget", "restore", "open", "doctor", "completion", "help"]],
];

function allCommandsLines(width: number): readonly Line[] {
  const usages = Math.max(...COMMANDS.map((row) => row.usage.length));
  const narrow = width < usages + 50;
  const commandRows = (name: CommandName): readonly Line[] => {
    const row = commandRow(name);
    if (!row) return [];
    const example = toned("dim", `materia ${row.example}`);
    if (narrow) return [line("  ", toned("strong", row.usage)), line(`      ${row.does}`), line("      ", example)];
    return [
      line("  ", toned("strong", row.usage.padEnd(usages)), `  ${row.does}`),
      line(`  ${" ".repeat(usages)}  `, example),
    ];
  };
  return [
    line("materia runs repeatable agent work as graphs, on top of the Pi coding agent."),
    line(""),
    line(toned("strong", "Usage"), "  materia <command> [words] [options]"),
    ...COMMAND_GROUPS.flatMap(([title, names]) => [
      line(""),
      line(toned("strong", title)),
      ...names.flatMap(commandRows),
    ]),
    line(""),
    line(toned("strong", "Options of every command, anywhere before a --")),
    ...(["cwd", "config", "artifacts", "json", "quiet", "no-color", "help"] as const).map(optionLine),
    line(""),
    line(toned("strong", "Options of commands that run something")),
    ...(["model", "thinking", "rehearse", "trust", "durability"] as const).map(optionLine),
    line(""),
    line(
      "Exit codes: 0 completed · 1 failed, or check found errors · 2 refused · 3 not satisfied · 4 waiting for a person · 130 aborted",
    ),
    line("New here? Run: materia demo"),
  ];
}

function commandLines(row: CommandRow): readonly Line[] {
  const options =
    row.options.length === 0 ? [] : [line(""), line(toned("strong", "Options")), ...row.options.map(optionLine)];
  return [
    line(toned("strong", "Usage"), `  materia ${row.usage}`),
    line(""),
    line(`  ${row.does}`),
    line(""),
    line(toned("strong", "Example"), `  materia ${row.example}`),
    ...options,
    line(""),
    line("Options of every command: materia --help"),
  ];
}

export const OPTION_TEXTS: Readonly<Record<OptionName, readonly [string, string]>> = {
  cwd: ["--cwd DIR", "work in this folder"],
  config: ["--config FILE", "a configuration above all others; trusted because you named it"],
  artifacts: ["--artifacts DIR", "keep casts here"],
  json: ["--json", "for programs: listings as JSON, casts as one event per line"],
  quiet: ["--quiet", "print only the result"],
  "no-color": ["--no-color", "plain text"],
  help: ["--help", "this text"],
  version: ["--version", "the version"],
  model: ["--model PROVIDER/ID", "use this model for every materia; a,b: b takes over when a is refused"],
  wait: ["--wait DURATION", "sleep through limits of the provider, for at most so long in all (30m, 8h)"],
  thinking: [
    "--thinking LEVEL",
    "thinking level of materia that set none: off, minimal, low, medium, high, xhigh, max",
  ],
  rehearse: ["--rehearse FILE", "take the agents' replies from a file; no model or key needed"],
  trust: ["--trust", "trust this project's configuration as it is now, and remember it"],
  durability: ["--durability sync", "flush every step to the disk (fdatasync)"],
  anyway: ["--anyway", "start even if another cast works on the same files"],
  loadout: ["--loadout NAME", "run this loadout once; the active one stays"],
  from: ["--from CAST|FILE", "continue from an earlier cast; for init, convert this file to the current form"],
  link: ["--link", "draw the chain of these targets; run nothing"],
  mermaid: ["--mermaid", "as a mermaid flowchart"],
  strict: ["--strict", "a warning counts as an error"],
  budget: ["--budget TOKENS", "token budget of this cast (200000, 200k, 2.5M)"],
  cost: ["--cost USD", "cost budget of this cast in dollars"],
  allow: ["--allow N", "N more traversals, returns or repairs where it stopped"],
  hint: ["--hint TEXT", "at a rework limit: try once more with this hint"],
  accept: ["--accept", "at a rework limit: accept the result and continue"],
  next: ["--next", "at a rework limit: give up the item and continue with the next"],
  reject: ["--reject", "say no to a person's gate; the message is the reason"],
  port: ["--port N", "listen on this port"],
  open: ["--open", "open it in a browser"],
  keep: ["--keep N", "keep the newest N"],
  "older-than": ["--older-than DAYS", "casts that ended more than N days ago"],
  yes: ["--yes", "do not ask"],
  "max-forecast": ["--max-forecast USD", "do not start if the pessimistic forecast costs more"],
  "no-tools": ["--no-tools", "without the tool calls"],
  plan: ["--plan", "show what would be reused and what would run again; start nothing"],
  request: ["--request TEXT", "use this request from there on"],
  handoff: ["--handoff TEXT", "use this handoff instead of running the visit"],
  edited: ["--edited", "continue as a new cast from the first visit that an edit affects"],
  all: ["--all", "every cast here"],
  casts: ["--casts N", "how many casts"],
  items: ["--items N", "at most this many work items"],
  seed: ["--seed N", "random seed; the same seed gives the same casts"],
  out: ["--out DIR", "write the smallest case of each finding as a test into this folder"],
  watch: ["--watch", "run again whenever a file changes"],
  update: ["--update", "update the tests with the observed results"],
  junit: ["--junit FILE", "write the results for CI as JUnit XML"],
  "min-coverage": ["--min-coverage PERCENT", "fail if coverage is lower"],
  stat: ["--stat", "a table of files with lines added and removed"],
  full: ["--full", "every text in full, each tool call with its outcome"],
  markdown: ["--markdown", "as Markdown"],
  page: ["--page N", "these 500 visits of a long cast; the last ones if not given"],
  "name-only": ["--name-only", "the names of the files"],
  to: ["--to DIR", "into this folder, which must be empty or missing"],
  here: ["--here", "into the working tree itself, if nothing would be lost; for a schedule, use the current files"],
  parallel: ["--parallel", "the demo of several items at once, with a conflict and its repair"],
  on: ["--on FLEET", "use this fleet"],
  detach: ["--detach", "submit and return; the cast runs in the background"],
  priority: ["--priority N", "lower goes first; 0 if unset"],
  key: ["--key TEXT", "idempotency key: a second cast with this key returns the first one"],
  zone: ["--zone NAME", "the time zone of a schedule; that of this machine if unset"],
  "tools-user": ["--tools-user NAME", "run tools and utilities of casts as this user; for a worker started by root"],
  concurrency: ["--concurrency N", "how many casts it runs at once"],
  queues: ["--queues A,B", "the queues that it pulls from"],
  workers: ["--workers N", "how many workers; 2 if unset"],
  salvage: ["--salvage", "salvage the sound part of a damaged cast as a new cast"],
};

function optionLine(name: OptionName): Line {
  const [usage, does] = OPTION_TEXTS[name];
  return line(`  ${usage.padEnd(22)}  ${does}`);
}
