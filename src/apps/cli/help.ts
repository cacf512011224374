import { COMMANDS, commandRow } from "../../core/command/table.ts";
import type { CommandRow } from "../../core/command/table.ts";
import type { OptionName } from "../../core/command/options.ts";
import { didYouMean } from "../../core/model/nearest.ts";
import { styled } from "./io.ts";
import type { Io } from "./io.ts";

/** [C2] All commands with an example each, or one of them with its options. */
export function helpText(io: Io, topic?: string): string {
  const row = topic === undefined ? undefined : commandRow(topic);
  if (topic !== undefined && !row) return `There is no command "${topic}". ${didYouMean(topic, COMMANDS.map((known) => known.name)) ?? ""}\n\n${allText(io)}`;
  return row ? rowText(io, row) : allText(io);
}

function allText(io: Io): string {
  const width = Math.max(...COMMANDS.map((row) => row.usage.length));
  const narrow = io.columns() < width + 50;
  const rows = COMMANDS.flatMap((row) => {
    const example = styled(io, "dim", `materia ${row.example}`);
    if (narrow) return [`  ${styled(io, "bold", row.usage)}`, `      ${row.does}`, `      ${example}`];
    return [`  ${styled(io, "bold", row.usage.padEnd(width))}  ${row.does}`, `  ${" ".repeat(width)}  ${example}`];
  });
  return [
    "materia runs repeatable agent work as graphs, on top of the Pi coding agent.",
    "",
    `${styled(io, "bold", "Usage")}  materia <command> [words] [options]`,
    "",
    styled(io, "bold", "Commands"),
    ...rows,
    "",
    styled(io, "bold", "Options of every command, anywhere before a --"),
    ...(["cwd", "config", "artifacts", "json", "quiet", "no-color", "help"] as const).map(optionText),
    "",
    styled(io, "bold", "Options of commands that run something"),
    ...(["model", "rehearse", "trust", "durability"] as const).map(optionText),
    "",
    "Exit codes: 0 completed · 1 failed, or check found errors · 2 refused · 3 not satisfied · 4 waiting for a person · 130 aborted",
    "New here? Run: materia demo",
    "",
  ].join("\n");
}

function rowText(io: Io, row: CommandRow): string {
  const options = row.options.length === 0 ? [] : ["", styled(io, "bold", "Options"), ...row.options.map(optionText)];
  return [`${styled(io, "bold", "Usage")}  materia ${row.usage}`, "", `  ${row.does}`, "", `${styled(io, "bold", "Example")}  materia ${row.example}`, ...options, "", "Options of every command: materia --help", ""].join("\n");
}

const OPTION_TEXTS: Readonly<Record<OptionName, readonly [string, string]>> = {
  cwd: ["--cwd DIR", "work in this folder"],
  config: ["--config FILE", "a configuration above all others; trusted because you named it"],
  artifacts: ["--artifacts DIR", "keep casts here"],
  json: ["--json", "for programs: listings as JSON, casts as one event per line"],
  quiet: ["--quiet", "print only the result"],
  "no-color": ["--no-color", "plain text"],
  help: ["--help", "this text"],
  version: ["--version", "the version"],
  model: ["--model PROVIDER/ID", "ask this model in place of every materia's own"],
  rehearse: ["--rehearse FILE", "take the agents' replies from a file; no model or key needed"],
  trust: ["--trust", "trust this project's configuration as it is now, and remember it"],
  durability: ["--durability sync", "flush every step to the disk (fdatasync)"],
  loadout: ["--loadout NAME", "run this loadout once, without choosing it"],
  from: ["--from CAST", "continue from an earlier cast"],
  link: ["--link", "draw the chain of these targets without running it"],
  mermaid: ["--mermaid", "as a mermaid flowchart"],
  budget: ["--budget TOKENS", "the tokens this cast may use in all"],
  cost: ["--cost USD", "the dollars this cast may cost in all"],
  allow: ["--allow N", "N more traversals, returns or repairs where it stopped"],
  port: ["--port N", "listen on this port"],
  open: ["--open", "open it in a browser"],
  keep: ["--keep N", "keep the newest N"],
  "older-than": ["--older-than DAYS", "those that ended longer ago"],
  yes: ["--yes", "do it without asking"],
};

function optionText(name: OptionName): string {
  const [usage, does] = OPTION_TEXTS[name];
  return `  ${usage.padEnd(22)}  ${does}`;
}
