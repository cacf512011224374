import { targetText, type BudgetCommand, type CastCommand, type LinkCommand, type RecastCommand } from "./command.ts";
import type { Options } from "./options.ts";
import { quoteWord } from "./split-words.ts";

/** [L22] The command of a new cast in its one canonical form, ready to be typed again. */
export function commandText(command: CastCommand | Omit<LinkCommand, "kind">, options: Options = {}): string {
  const { budget, costUsd, prompt } = command;
  // Where a cast is stored and how it is shown is not part of the command.
  const { config, model, thinking, rehearse, durability, worktree, "with-changes": changes } = options;
  const files = { worktree, "with-changes": changes };
  const run = optionWords({ budget, cost: costUsd, config, model, thinking, rehearse, durability, ...files });
  if (!("targets" in command))
    return ["cast", ...optionWords({ loadout: command.loadout }), ...run, ...promptWords(command)].join(" ");
  return [
    "link",
    ...optionWords({ from: command.from }),
    ...command.targets.map((target) => quoteWord(targetText(target))),
    ...run,
    "--",
    prompt,
  ].join(" ");
}

export function limitCommandText(command: RecastCommand | BudgetCommand): string {
  const { kind, castId = "" } = command;
  const words =
    kind === "budget"
      ? [`${command.tokens ?? ""}`]
      : optionWords({ budget: command.budget, cost: command.costUsd, allow: command.allow });
  return [kind, castId, ...words].filter((word) => word !== "").join(" ");
}

function optionWords(options: Readonly<Record<string, string | number | true | undefined>>): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return value === true ? [`--${name}`] : [`--${name}`, quoteWord(String(value))];
  });
}

/** A prompt follows `--` if it would be read as an option or a file name, or would lose leading blanks. */
function promptWords({ prompt, literal }: CastCommand): readonly string[] {
  return literal || /^(?:--|\s|@|-$)/.test(prompt) ? ["--", prompt] : [prompt];
}
