import { harmless } from "../../../core/model/values/text.ts";
import { visitText } from "../../../core/view/graph/words.ts";
import { fitLine, line, toned, type Line } from "../../../core/view/text/line.ts";
import type { TurnRequest } from "../../../shell/ports.ts";
import type { Card } from "./card.ts";

const SHOWN = 4;
/** In columns, of each line that is shown. */
const LONGEST = 200;

/** What an interactive agent was asked, as the person sees it above the answer. */
export function turnCard({ socket, materia, prompt }: TurnRequest): Card {
  const asked = harmless(prompt).trim().split("\n");
  const head = line(toned("wait", "▸ "), toned("strong", visitText(socket, materia)));
  const cut = asked.length - SHOWN;
  const more = line(toned("dim", `│ … ${cut} more lines`));
  return {
    lines: [head, ...quoted(asked.slice(0, SHOWN)).map((each) => fitLine(each, LONGEST)), ...(cut > 0 ? [more] : [])],
    opened: [head, ...quoted(asked)],
    wraps: true,
  };
}

function quoted(lines: readonly string[]): readonly Line[] {
  return lines.map((each) => line(toned("dim", "│ "), each));
}
