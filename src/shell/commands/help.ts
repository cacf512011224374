import { COMMANDS, commandRow, type CommandRow } from "../../core/command/command-table.ts";
import type { OptionName } from "../../core/command/options.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import type { CommandOutput } from "./command-output.ts";

/** [C2] All commands with an example each, or one of them with its options. */
export function runHelp(topic: string | undefined): CommandOutput {
  const row = topic === undefined ? undefined : commandRow(topic);
  return { code: 0, data: row ?? COMMANDS, lines: (width) => (row ? commandLines(row) : allCommandsLines(width)) };
}

function allCommandsLines(width: number): readonly Line[] {
  const usages = Math.max(...COMMANDS.map((row) => row.usage.length));
  const narrow = width < usages + 50;
  const rows = COMMANDS.flatMap((row) => {
    const example = toned("dim", `materia ${row.example}`);
    if (narrow) return [line("  ", toned("strong", row.usage)), line(`      ${row.does}`), line("      ", example)];
    return [
      line("  ", toned("strong", row.usage.padEnd(usages)), `  ${row.does}`),
      line(`  ${" ".repeat(usages)}  `, example),
    ];
  });
  return [
    line("materia runs repeatable agent work as graphs, on top of the Pi coding agent."),
    line(""),
    line(toned("strong", "Usage"), "  materia <command> [words] [options]"),
    line(""),
    line(toned("strong", "Commands")),
    ...rows,
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
  model: ["--model PROVIDER/ID", "ask this model in place of every materia's own"],
  thinking: [
    "--thinking LEVEL",
    "how hard agents think whose materia does not say: off, minimal, low, medium, high, xhigh, max",
  ],
  rehearse: ["--rehearse FILE", "take the agents' replies from a file; no model or key needed"],
  trust: ["--trust", "trust this project's configuration as it is now, and remember it"],
  durability: ["--durability sync", "flush every step to the disk (fdatasync)"],
  anyway: ["--anyway", "even while another cast works on the same files"],
  loadout: ["--loadout NAME", "run this loadout once, without choosing it"],
  from: ["--from CAST|FILE", "go on from an earlier cast; for init, write this file in today's form"],
  link: ["--link", "draw the chain of these targets without running it"],
  mermaid: ["--mermaid", "as a mermaid flowchart"],
  strict: ["--strict", "a warning counts as an error"],
  budget: ["--budget TOKENS", "the tokens this cast may use in all (200000, 200k, 2.5M)"],
  cost: ["--cost USD", "the dollars this cast may cost in all"],
  allow: ["--allow N", "N more traversals, returns or repairs where it stopped"],
  hint: ["--hint TEXT", "where something was sent back too often: once more, and whoever does it is told this"],
  accept: ["--accept", "where something was sent back too often: take it as it is and go on"],
  next: ["--next", "where something was sent back too often: give the item up and go on with the next"],
  reject: ["--reject", "say no to a person's gate; the message is the reason"],
  port: ["--port N", "listen on this port"],
  open: ["--open", "open it in a browser"],
  keep: ["--keep N", "keep the newest N"],
  "older-than": ["--older-than DAYS", "those that ended longer ago"],
  yes: ["--yes", "do it without asking"],
  "max-forecast": ["--max-forecast USD", "do not begin where the bad case of the forecast costs more"],
  "no-tools": ["--no-tools", "without the tool calls"],
  plan: ["--plan", "say what would be reused and run anew, and start nothing"],
  request: ["--request TEXT", "another request from there on"],
  handoff: ["--handoff TEXT", "what the visit hands over, in place of being run"],
  edited: ["--edited", "as a new cast, from the first visit that an edit of the configuration touches"],
  all: ["--all", "every cast here"],
  casts: ["--casts N", "how many casts"],
  items: ["--items N", "the longest list of work items"],
  seed: ["--seed N", "the chance to begin with; the same one gives the same casts"],
  out: ["--out DIR", "write the smallest case of each finding there, as tests"],
  watch: ["--watch", "run again whenever a file changes"],
  update: ["--update", "write what was observed into the tests"],
  junit: ["--junit FILE", "write the results for CI as JUnit XML"],
  "min-coverage": ["--min-coverage PERCENT", "fail when less of a graph was taken"],
  stat: ["--stat", "a table of files with lines added and removed"],
  full: ["--full", "every text in full, each tool call with its outcome"],
  markdown: ["--markdown", "as Markdown"],
  "name-only": ["--name-only", "the names of the files"],
  to: ["--to DIR", "into this folder, which must be empty or not there"],
  here: [
    "--here",
    "over the working tree itself, where nothing would be lost; for a schedule, the files as they are now",
  ],
  parallel: ["--parallel", "the demo of several items at once, with a conflict and its repair"],
  on: ["--on FLEET", "casts of this fleet, which other machines drive"],
  detach: ["--detach", "submit it and leave; it goes on without you"],
  priority: ["--priority N", "lower goes first; 0 if unset"],
  key: ["--key TEXT", "submit it once: a second cast of this key in the project is the first one"],
  zone: ["--zone NAME", "the time zone of a schedule; that of this machine if unset"],
  "tools-user": [
    "--tools-user NAME",
    "run the tools of agents and all programs of casts as this user; for a worker of root",
  ],
  concurrency: ["--concurrency N", "how many casts it drives at a time"],
  queues: ["--queues A,B", "the queues that it pulls from"],
  workers: ["--workers N", "how many workers; 2 if unset"],
  salvage: ["--salvage", "keep what is sound of a damaged cast, as a new one"],
};

function optionLine(name: OptionName): Line {
  const [usage, does] = OPTION_TEXTS[name];
  return line(`  ${usage.padEnd(22)}  ${does}`);
}
