import { columnsOf, cutColumns, wrapColumns, type MeasureColumns } from "./columns.ts";

/** What a piece of text means to the eye; a terminal and a browser each have their own colours for it. */
export type Tone = "plain" | "dim" | "strong" | "accent" | "ok" | "rework" | "bad" | "wait";

export interface Span {
  readonly text: string;
  readonly tone?: Tone;
}

export type Line = readonly Span[];

export const DEFAULT_WIDTH = 80;

/** A line of pieces; a bare string has no tone, and what is empty leaves nothing behind. */
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

/** The line within so many columns; what is cut away is marked. */
export function fitLine(spans: Line, width: number, measure: MeasureColumns = columnsOf): Line {
  if (measureLine(measure, spans) <= width) return spans;
  const fitted: Span[] = [];
  let room = width;
  for (const span of spans) {
    const columns = measure(span.text);
    // The ellipsis needs a column of its own, so a span that just fills the line is cut as well.
    if (columns >= room) return line(...fitted, { ...span, text: cutColumns(`${span.text}…`, room, measure) });
    fitted.push(span);
    room -= columns;
  }
  return fitted;
}

/** The line over as many rows as it needs, each with its indent or quotation bar; nothing is cut away. */
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

/** The part of a line between two places of its text. */
export function sliceLine(spans: Line, start: number, end: number): Line {
  let before = 0;
  return spans.map((span) => {
    const [from, to] = [start - before, end - before];
    before += span.text.length;
    return { ...span, text: span.text.slice(Math.max(0, from), Math.max(0, to)) };
  });
}

/** The line with its one long piece shortened, so that what stands behind it is still read. */
export function squeezeLine(
  parts: { readonly before: Line; readonly long: Span; readonly after: Line },
  width: number,
): Line {
  const { before, long, after } = parts;
  const room = width - lineColumns(before) - lineColumns(after);
  const shortened = { ...long, text: cutColumns(long.text, Math.max(room, Math.min(8, columnsOf(long.text)))) };
  return fitLine(line(...before, shortened, ...after), width);
}
