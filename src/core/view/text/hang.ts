import { columnsOf, wrapColumns } from "./columns.ts";
import { sliceLine, line, lineColumns, type Line } from "./line.ts";

/** Text in fewer columns than these is no longer read. */
const MIN_HANGING_COLUMNS = 20;
const HANGING_STEP = 2;

/**
 * [C37] The line over as many rows as it needs, broken between words; what follows a gap stays below itself, as the
 * explanation of an option does. A path or an id is never broken: a terminal wraps it so that it can still be copied.
 */
export function wrapLineHanging(spans: Line, width: number): readonly Line[] {
  if (lineColumns(spans) <= width) return [spans];
  const text = spans.map((span) => span.text).join("");
  const indent = /^[ │]*/.exec(text)?.[0].length ?? 0;
  const hang = hangingIndent(text, indent, width);
  const rows: { from: number; to: number }[] = [];
  let from = indent;
  let to = indent;
  let used = indent;
  for (const { at, word } of wordsIn(text, indent, width - hang)) {
    const columns = columnsOf(text.slice(to, at + word.length));
    if (to > from && used + columns > width) {
      rows.push({ from, to });
      [from, used] = [at, hang + columnsOf(word)];
    } else used += columns;
    to = at + word.length;
  }
  rows.push({ from, to });
  return rows.map((row, index) =>
    index === 0
      ? line(...sliceLine(spans, 0, row.to))
      : line(...hangingPrefix(spans, indent, hang), ...sliceLine(spans, row.from, row.to)),
  );
}

/** Where the rows behind the first begin: below the last gap, if enough is left of the line there. */
function hangingIndent(text: string, indent: number, width: number): number {
  const [gap] = [...text.slice(indent).matchAll(/(?<=\S) {2,}(?=\S)/g)].slice(-1);
  const behind = gap ? columnsOf(text.slice(0, indent + gap.index)) + gap[0].length : width;
  return width - behind >= MIN_HANGING_COLUMNS ? behind : Math.min(indent + HANGING_STEP, Math.max(0, width - MIN_HANGING_COLUMNS));
}

function hangingPrefix(spans: Line, indent: number, hang: number): Line {
  const before = sliceLine(spans, 0, indent);
  return [...before, { text: " ".repeat(Math.max(0, hang - indent)) }];
}

/** The words with their places; one that is no path and longer than a row, as a sentence in Thai is, in pieces. */
function* wordsIn(text: string, start: number, room: number): Generator<{ at: number; word: string }> {
  for (const match of text.slice(start).matchAll(/\S+/g)) {
    let at = start + match.index;
    const [word] = match;
    const pieces = ASCII.test(word) ? [word] : wrapColumns(word, Math.max(1, room));
    for (const piece of pieces) {
      yield { at, word: piece };
      at += piece.length;
    }
  }
}

const ASCII = /^[\x21-\x7e]*$/;
