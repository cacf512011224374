import { COMMANDS, commandRow, type CommandName, type CommandRow } from "../../core/command/command-table.ts";
import { COMMON_OPTIONS, optionHelp, RUN_OPTIONS } from "../../core/command/options.ts";
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
  ["Write", ["init", "draft", "check", "grid", "loadout", "materia", "link"]],
  ["Prove", ["demo", "test", "record", "replay", "fork", "fuzz", "forecast", "stats", "compare"]],
  ["Run elsewhere", ["queue", "inbox", "watch", "worker", "fleet", "take", "mcp"]],
  ["Tools", ["abort", "budget", "restore", "export", "doctor"]],
];

/** [C51] Commands of few days: the overview only names them. */
export const RARE_COMMANDS: readonly CommandName[] = ["help", "open", "completion"];

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
    line(`Also: ${RARE_COMMANDS.flatMap((name) => commandRow(name)?.usage ?? []).join(" · ")}`),
    line(""),
    line(toned("strong", "Options of every command, anywhere before a --")),
    ...optionLines(COMMON_OPTIONS),
    line(""),
    line(toned("strong", "Options of commands that run something")),
    ...optionLines(RUN_OPTIONS),
    line(""),
    line(
      "Exit codes: 0 completed · 1 failed, or check found errors · 2 refused · 3 not satisfied · 4 waiting for a person · 74 output not written · 75 paused by a limit of the provider · 130 aborted",
    ),
    line("New here? Run: materia demo"),
  ];
}

function commandLines(row: CommandRow): readonly Line[] {
  return [
    line(toned("strong", "Usage"), `  materia ${row.usage}`),
    line(""),
    line(`  ${row.does}`),
    line(""),
    line(toned("strong", "Example"), `  materia ${row.example}`),
    ...(row.options.length === 0
      ? []
      : [line(""), line(toned("strong", "Options")), ...optionLines(row.options, row.meanings)]),
    line(""),
    line("Options of every command: materia --help"),
  ];
}

function optionLines(...named: Parameters<typeof optionHelp>): readonly Line[] {
  return optionHelp(...named).map(([usage, does]) => line(`  ${usage.padEnd(22)}  ${does}`));
}
