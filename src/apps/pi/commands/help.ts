import { COMMANDS, commandRow } from "../../../core/command/table.ts";
import { didYouMean } from "../../../core/model/nearest.ts";
import { harmless } from "../../../core/model/text.ts";
import { line, toned } from "../../../core/view/text/line.ts";
import type { Line } from "../../../core/view/text/line.ts";

/** [X1] All commands with an example each, or one of them with its options. */
export function helpLines(topic: string | undefined): readonly Line[] {
  const row = topic === undefined ? undefined : commandRow(topic);
  if (row)
    return [
      line(toned("strong", `/materia ${row.usage}`)),
      line("  ", row.does),
      line("  ", toned("dim", `for example: /materia ${row.example}`)),
      ...(row.options.length === 0
        ? []
        : [line("  ", toned("dim", `options: ${row.options.map((name) => `--${name}`).join(" ")}`))]),
    ];
  const names = COMMANDS.map(({ name }) => name);
  const unknown =
    topic === undefined
      ? []
      : [line(`There is no command "${harmless(topic)}". ${didYouMean(topic, names) ?? ""}`), []];
  return [
    ...unknown,
    line("Repeatable agent work as graphs. ", toned("dim", "Tab completes commands, loadouts, materia and casts.")),
    ...COMMANDS.flatMap(({ usage, does, example }) => [
      line(toned("accent", `  /materia ${usage}`)),
      line(`      ${does}`, toned("dim", `   /materia ${example}`)),
    ]),
    line(toned("dim", "New here? /materia demo runs a whole cast without a model.")),
  ];
}
