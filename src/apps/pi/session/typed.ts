import { COMMANDS } from "../../../core/command/table.ts";
import type { Line } from "../../../core/view/text/line.ts";

const NAMES = COMMANDS.map(({ name }) => name).join("|");
const COMMAND = new RegExp(`(^|["\\s])materia (?=(?:${NAMES})\\b|<command>|--help)`, "g");

const QUOTED = new RegExp(`"(?=(?:${NAMES})(?:["\\s]))`, "g");

/** How a command is used, or commands with words that no sentence has. */
const BARE = new RegExp(
  `(usage: |(?:→ |, (?:or )?))(?=(?:${NAMES})(?: \\[| <| --|$)|casts prune|(?:continue|fork) \\d{8}-)`,
  "g",
);

/** The same for a hint, which may quote a command without the program. */
export function hintAsTyped(line: Line): Line {
  return asTyped(line).map((span) => ({
    ...span,
    text: span.text.replace(QUOTED, '"/materia ').replace(BARE, "$1/materia "),
  }));
}

/** Commands as they are typed in Pi: `materia show` becomes `/materia show`. */
export function asTyped(line: Line): Line {
  return line.map((span) => ({ ...span, text: span.text.replace(COMMAND, "$1/materia ") }));
}
