import { sanitizeForTerminal } from "../../../core/model/values/text.ts";
import { visitLabel } from "../../../core/view/graph/words.ts";
import { fitLine, line, toned, type Line } from "../../../core/view/text/line.ts";
import type { TurnRequest } from "../../../shell/ports.ts";
import type { Card } from "./card.ts";

const PROMPT_LINES = 4;
/** In columns, of each line that is shown. */
const MAX_COLUMNS = 200;

/** What an interactive agent was asked, as the person sees it above the answer. */
export function turnCard({ socket, materia, prompt }: TurnRequest): Card {
  const asked = sanitizeForTerminal(prompt).trim().split("\n");
  const head = line(toned("wait", "▸ "), toned("strong", visitLabel(socket, materia)));
  const cut = asked.length - PROMPT_LINES;
  const more = line(toned("dim", `│ … ${cut} more lines`));
  return {
    lines: [head, ...quotedLines(asked.slice(0, PROMPT_LINES)).map((each) => fitLine(each, MAX_COLUMNS)), ...(cut > 0 ? [more] : [])],
    opened: [head, ...quotedLines(asked)],
    wraps: true,
  };
}

function quotedLines(lines: readonly string[]): readonly Line[] {
  return lines.map((each) => line(toned("dim", "│ "), each));
}
