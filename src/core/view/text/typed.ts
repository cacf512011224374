import { COMMANDS } from "../../command/table.ts";
import { quoteWord } from "../../command/words.ts";
import type { Issue } from "../../model/issue.ts";
import type { Line } from "./line.ts";

const NAMES = COMMANDS.map(({ name }) => name);
const COMMAND = new RegExp(`(^|["\\s])materia (?=(${NAMES.join("|")})\\b|<command>|--help|--on )`, "g");
/** Typed in a terminal wherever they are read. */
const OF_TERMINALS: ReadonlySet<string> = new Set(["fleet", "worker"]);

/** [C41] Commands as they are typed where the line is read: `materia show` is `/materia show` in Pi. */
export function asTyped(lines: readonly Line[], program: string): readonly Line[] {
  const typed = (whole: string, before: string, name: string | undefined): string =>
    program.startsWith("/") && OF_TERMINALS.has(name ?? "") ? whole : `${before}${program} `;
  return lines.map((line) => line.map((span) => ({ ...span, text: span.text.replace(COMMAND, typed) })));
}

const ON_FLEETS = COMMANDS.filter(({ name, options }) => options.includes("on") && !OF_TERMINALS.has(name));
const MIGRATE = "fleet migrate";
const SUGGESTED = new RegExp(
  `\\bmateria (${[MIGRATE, ...ON_FLEETS.map(({ name }) => name)].join("|")})\\b(?![^"]* --on )`,
  "g",
);

/** [B26] What is suggested to somebody who named a fleet is typed on that fleet. */
export function onFleet(issues: readonly Issue[], fleet: string): readonly Issue[] {
  const on = `--on ${quoteWord(fleet)}`;
  const named = (_whole: string, name: string): string =>
    name === MIGRATE ? `materia ${name} ${on}` : `materia ${on} ${name}`;
  return issues.map(({ hint, ...issue }) => ({
    ...issue,
    ...(hint === undefined ? {} : { hint: hint.replace(SUGGESTED, named) }),
  }));
}
