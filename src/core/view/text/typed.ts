import { COMMANDS } from "../../command/table.ts";
import type { Line } from "./line.ts";

const NAMES = COMMANDS.map(({ name }) => name).join("|");
const COMMAND = new RegExp(`(^|["\\s])materia (?=(?:${NAMES})\\b|<command>|--help)`, "g");

/** [C41] Commands as they are typed where the line is read: `materia show` is `/materia show` in Pi. */
export function asTyped(lines: readonly Line[], program: string): readonly Line[] {
  return lines.map((line) => line.map((span) => ({ ...span, text: span.text.replace(COMMAND, `$1${program} `) })));
}
