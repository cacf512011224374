import { getLocation } from "jsonc-parser";
import { diffLines, type DiffLine, diffWords, type DiffPiece } from "../model/diff.ts";

/** A line with its changed words. */
export interface HighlightedLine extends DiffLine {
  readonly pieces: readonly DiffPiece[];
}

/** The changed lines of one part: a socket, a loop, a field. */
export interface DiffBlock {
  /** `loadouts`, `Mine`, `sockets`, `Socket-2`; empty for the file itself. */
  readonly path: readonly string[];
  readonly lines: readonly HighlightedLine[];
}

const CONTEXT_LINES = 2;
/** The levels of a part: the kind, its name, a section, and an entry of it. */
const MAX_PATH_DEPTH = 4;

/** [E15] The differences between two JSON texts, one part per block. */
export function diffBlocks(before: string, after: string): readonly DiffBlock[] {
  const lines = withWordDiffs(withoutCommas(diffLines(before, after)));
  const placed = lines.map((line) => ({ line, path: jsonPathOfLine(line, { before, after }) }));
  const isNear = (index: number, key: string): boolean =>
    placed
      .slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1)
      .some(({ line, path }) => line.kind !== "same" && path.join("\n") === key);
  const blocks: { path: readonly string[]; lines: HighlightedLine[]; last: number }[] = [];
  placed.forEach(({ line, path }, index) => {
    const key = path.join("\n");
    if (line.kind === "same" && !isNear(index, key)) return;
    const open = blocks.at(-1);
    if (open && open.path.join("\n") === key && open.last === index - 1) {
      open.lines.push(line);
      open.last = index;
    } else blocks.push({ path, lines: [line], last: index });
  });
  return blocks
    .filter((block) => block.lines.some(({ kind }) => kind !== "same"))
    .map(({ path, lines: own }) => ({ path, lines: own }));
}

/** A comma for the next line is no change of this line. */
function withoutCommas(lines: readonly DiffLine[]): readonly DiffLine[] {
  const bare = ({ text }: DiffLine): string => text.replace(/,\s*$/, "");
  return lines.flatMap((line, index): readonly DiffLine[] => {
    const [last, next] = [lines[index - 1], lines[index + 1]];
    if (line.kind === "gone" && next?.kind === "new" && bare(line) === bare(next)) return [];
    if (line.kind === "new" && last?.kind === "gone" && bare(last) === bare(line)) return [{ ...line, kind: "same" }];
    return [line];
  });
}

/** Compares a removed line and its replacement word by word. */
export function withWordDiffs(lines: readonly DiffLine[]): readonly HighlightedLine[] {
  const marked: HighlightedLine[] = lines.map((line) => ({ ...line, pieces: [{ text: line.text, isMarked: false }] }));
  for (let at = 0; at < lines.length; at += 1) {
    const gone = runLength(lines, at, "gone");
    const fresh = runLength(lines, at + gone, "new");
    for (let index = 0; index < Math.min(gone, fresh); index += 1) {
      const [old, now] = [marked[at + index], marked[at + gone + index]];
      if (!old || !now) continue;
      const { before, after } = diffWords(old.text, now.text);
      marked[at + index] = { ...old, pieces: before };
      marked[at + gone + index] = { ...now, pieces: after };
    }
    at += Math.max(0, gone + fresh - 1);
  }
  return marked;
}

function runLength(lines: readonly DiffLine[], from: number, kind: DiffLine["kind"]): number {
  let length = 0;
  while (lines[from + length]?.kind === kind) length += 1;
  return length;
}

/** What the first word of a line belongs to. */
function jsonPathOfLine(
  { kind, number, text }: DiffLine,
  texts: { readonly before: string; readonly after: string },
): readonly string[] {
  const own = kind === "gone" ? texts.before : texts.after;
  const first = text.search(/[^\s}\],]/);
  const start = startOfLine(own, number) + Math.max(0, first);
  const path = getLocation(own, start + 1).path.map(String);
  return path.slice(0, path[2] === "sockets" || path[2] === "loops" ? MAX_PATH_DEPTH : 3);
}

function startOfLine(text: string, number: number): number {
  let at = 0;
  for (let line = 1; line < number; line += 1) {
    const end = text.indexOf("\n", at);
    if (end === -1) return text.length;
    at = end + 1;
  }
  return at;
}
