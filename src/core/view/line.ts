import { columnsOf, cutColumns, wrapColumns, type MeasureColumns, padColumns } from "./columns.ts";

/** The meaning of a piece of text; a terminal and a browser each have colours for it. */
export type Tone = "plain" | "dim" | "strong" | "accent" | "ok" | "rework" | "bad" | "wait";

export interface Span {
  readonly text: string;
  readonly tone?: Tone;
}

export type Line = readonly Span[];

export const DEFAULT_WIDTH = 80;

/** A line of pieces without the empty ones; a bare string has no tone. */
export function line(...pieces: readonly (string | Span)[]): Line {
  return pieces.map((piece) => (typeof piece === "string" ? { text: piece } : piece)).filter(({ text }) => text !== "");
}

export function toned(tone: Tone, text: string): Span {
  return { text, tone };
}

export function lineText(spans: Line): string {
  return spans
    .map(({ text }) => text)
    .join("")
    .trimEnd();
}

export function plainText(lines: readonly Line[]): string {
  return lines.map(lineText).join("\n");
}

export function lineColumns(spans: Line): number {
  return measureLine(columnsOf, spans);
}

function measureLine(measure: MeasureColumns, spans: Line): number {
  return spans.reduce((sum, { text }) => sum + measure(text), 0);
}

/** The line in at most `width` columns; an ellipsis marks a cut. */
export function fitLine(spans: Line, width: number, measure: MeasureColumns = columnsOf): Line {
  if (measureLine(measure, spans) <= width) return spans;
  const fitted: Span[] = [];
  let room = width;
  for (const span of spans) {
    const columns = measure(span.text);
    // The ellipsis needs one column, so a span that exactly fills the line is cut too.
    if (columns >= room) return line(...fitted, { ...span, text: cutColumns(`${span.text}…`, room, measure) });
    fitted.push(span);
    room -= columns;
  }
  return fitted;
}

/** The line in rows, each with its indent or quotation bar; nothing is cut. */
export function wrapLine(spans: Line, width: number, measure: MeasureColumns = columnsOf): readonly Line[] {
  if (measureLine(measure, spans) <= width) return [spans];
  const text = spans.map((span) => span.text).join("");
  const indent = /^[ │]*/.exec(text)?.[0].length ?? 0;
  const before = sliceLine(spans, 0, indent);
  let end = indent;
  return wrapColumns(text.slice(end), width - indent, measure).map((row) => {
    const start = text.indexOf(row, end);
    end = start + row.length;
    return line(...before, ...sliceLine(spans, start, end));
  });
}

/** The part of a line between two positions of its text. */
function sliceLine(spans: Line, start: number, end: number): Line {
  let before = 0;
  return spans.map((span) => {
    const [from, to] = [start - before, end - before];
    before += span.text.length;
    return { ...span, text: span.text.slice(Math.max(0, from), Math.max(0, to)) };
  });
}

/** The line with its long piece shortened, so that the text after it stays visible. */
export function squeezeLine(
  parts: { readonly before: Line; readonly long: Span; readonly after: Line },
  width: number,
): Line {
  const { before, long, after } = parts;
  const room = width - lineColumns(before) - lineColumns(after);
  const shortened = { ...long, text: cutColumns(long.text, Math.max(room, Math.min(8, columnsOf(long.text)))) };
  return fitLine(line(...before, shortened, ...after), width);
}

/** The least columns in which text is readable. */
const MIN_HANGING_COLUMNS = 20;
const HANGING_STEP = 2;

/**
 * [C37] The line in rows, broken between words. Text after a gap stays aligned below itself, as the
 * explanation of an option does. A path or an id is never broken, so that people can copy it.
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

/** The column of the rows after the first: below the last gap, if enough columns remain there. */
function hangingIndent(text: string, indent: number, width: number): number {
  const [gap] = [...text.slice(indent).matchAll(/(?<=\S) {2,}(?=\S)/g)].slice(-1);
  const behind = gap ? columnsOf(text.slice(0, indent + gap.index)) + gap[0].length : width;
  return width - behind >= MIN_HANGING_COLUMNS
    ? behind
    : Math.min(indent + HANGING_STEP, Math.max(0, width - MIN_HANGING_COLUMNS));
}

function hangingPrefix(spans: Line, indent: number, hang: number): Line {
  const before = sliceLine(spans, 0, indent);
  return [...before, { text: " ".repeat(Math.max(0, hang - indent)) }];
}

/** The words with their positions. A long word that is no path, such as a sentence in Thai, comes in pieces. */
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

/** A column of a table: its title, and its text for a row. */
export interface TableColumn<T> {
  readonly title: string;
  readonly of: (row: T) => string;
}

const COLUMN_GAP = "  ";

/**
 * [C37] Aligned columns if they fit; otherwise each row as a small list below its first column, because
 * columns cut to fit would be unreadable.
 */
export function tableLines<T>(columns: readonly TableColumn<T>[], rows: readonly T[], width: number): readonly Line[] {
  const widths = columns.map(({ title, of }) =>
    rows.reduce((most, row) => Math.max(most, columnsOf(of(row))), columnsOf(title)),
  );
  const isFitting = widths.reduce((sum, each) => sum + each + COLUMN_GAP.length, -COLUMN_GAP.length) <= width;
  if (!isFitting) return rows.flatMap((row) => rowAsListLines(columns, row, width));
  const text = (cells: readonly string[]): string =>
    cells.map((cell, at) => padColumns(cell, widths[at] ?? 0)).join(COLUMN_GAP);
  return [
    line(toned("dim", text(columns.map(({ title }) => title)))),
    ...rows.map((row) => line(text(columns.map(({ of }) => of(row))))),
  ];
}

function rowAsListLines<T>(columns: readonly TableColumn<T>[], row: T, width: number): readonly Line[] {
  const [first, ...others] = columns;
  const most = others.reduce((longest, { title }) => Math.max(longest, columnsOf(title)), 0);
  const lines = others.flatMap(({ title, of }) => {
    const text = of(row);
    return text === "" ? [] : [line(COLUMN_GAP, toned("dim", padColumns(title, most)), COLUMN_GAP, text)];
  });
  return [line(toned("strong", first?.of(row) ?? "")), ...lines].map((each) => fitLine(each, width));
}
