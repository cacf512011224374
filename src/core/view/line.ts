import { eastAsianWidth } from "get-east-asian-width";

/** The meaning of a piece of text; a terminal and a browser each have colours for it. */
export type Tone = "plain" | "dim" | "strong" | "accent" | "ok" | "rework" | "bad" | "wait";

export interface Span {
  readonly text: string;
  readonly tone?: Tone;
}

export type Line = readonly Span[];

/** Measures the columns of a text. A host may bring its own measure. */
export type MeasureColumns = (text: string) => number;

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
  return measureLine(spans, columnsOf);
}

function measureLine(spans: Line, measure: MeasureColumns): number {
  return spans.reduce((sum, { text }) => sum + measure(text), 0);
}

/** The line in at most `width` columns; an ellipsis marks a cut. */
export function fitLine(spans: Line, width: number, measure: MeasureColumns = columnsOf): Line {
  if (measureLine(spans, measure) <= width) return spans;
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
  if (measureLine(spans, measure) <= width) return [spans];
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

function sliceLine(spans: Line, start: number, end: number): Line {
  let before = 0;
  return spans.map((span) => {
    const [from, to] = [start - before, end - before];
    before += span.text.length;
    return { ...span, text: span.text.slice(Math.max(0, from), Math.max(0, to)) };
  });
}

/** The line with its long piece shortened, so that the text after it stays visible. */
export function shortenToFit(
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
  const prefix = [...sliceLine(spans, 0, indent), { text: " ".repeat(Math.max(0, hang - indent)) }];
  const rows: Line[] = [];
  let [from, to, used] = [0, indent, indent];
  const endRow = (): void => void rows.push(line(...(rows.length === 0 ? [] : prefix), ...sliceLine(spans, from, to)));
  for (const { at, word } of wordsIn(text, indent, width - hang)) {
    const columns = columnsOf(text.slice(to, at + word.length));
    if (to > Math.max(from, indent) && used + columns > width) {
      endRow();
      [from, used] = [at, hang + columnsOf(word)];
    } else used += columns;
    to = at + word.length;
  }
  endRow();
  return rows;
}

/** The column of the rows after the first: below the last gap, if enough columns remain there. */
function hangingIndent(text: string, indent: number, width: number): number {
  const [gap] = [...text.slice(indent).matchAll(/(?<=\S) {2,}(?=\S)/g)].slice(-1);
  const behind = gap ? columnsOf(text.slice(0, indent + gap.index)) + gap[0].length : width;
  return width - behind >= MIN_HANGING_COLUMNS
    ? behind
    : Math.min(indent + HANGING_STEP, Math.max(0, width - MIN_HANGING_COLUMNS));
}

/** The words with their positions. A long word that is no path, such as a sentence in Thai, comes in pieces. */
function* wordsIn(text: string, start: number, room: number): Generator<{ at: number; word: string }> {
  for (const match of text.slice(start).matchAll(/\S+/g)) {
    let at = start + match.index;
    for (const word of ASCII.test(match[0]) ? [match[0]] : wrapColumns(match[0], room)) {
      yield { at, word };
      at += word.length;
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

/** The terminal columns of a text: wide characters take two, combining marks none. */
export function columnsOf(text: string): number {
  if (ONE_COLUMN_TEXT.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes(text)) columns += graphemeColumns(segment);
  return columns;
}

/** At most so many columns; an ellipsis marks the cut, and no character is split. */
export function cutColumns(text: string, limit: number, measure: MeasureColumns = columnsOf): string {
  if (measure(text) <= limit) return text;
  if (limit < 1) return "";
  let kept = "";
  let columns = 0;
  for (const { segment } of graphemes(text)) {
    columns += measure(segment);
    if (columns > limit - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}

/** Breaks between words, and inside a word only if it is longer than a line. */
export function wrapColumns(text: string, limit: number, measure: MeasureColumns = columnsOf): readonly string[] {
  const width = Math.max(1, limit);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((each) => splitLongWord(each, width, measure))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || measure(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === "" ? lines : [...lines, line];
}

function splitLongWord(word: string, width: number, measure: MeasureColumns): readonly string[] {
  if (measure(word) <= width) return [word];
  const found: string[] = [];
  let piece = "";
  let columns = 0;
  for (const { segment } of graphemes(word)) {
    const more = measure(segment);
    if (columns + more > width && piece !== "") {
      found.push(piece);
      [piece, columns] = ["", 0];
    }
    piece += segment;
    columns += more;
  }
  return piece === "" ? found : [...found, piece];
}

/** Text of characters with one column each, with the glyphs of this program. */
const ONE_COLUMN_TEXT = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2296\u2500-\u25ef\u2713-\u2717]*$/;
/** Characters without a column. The second half of a Hangul syllable shares the column of the first. */
const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11ff\ud7b0-\ud7ff]/u;

/** Made on demand: these tables take longer to load than most commands to run. */
let segmenter: Intl.Segmenter | undefined;
let emoji: RegExp | undefined;

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** Counts the letters of a cluster one by one, as in Devanagari: a terminal that joins them needs fewer columns, never more. */
function graphemeColumns(cluster: string): number {
  emoji ??= new RegExp("^\\p{RGI_Emoji}$|\\ufe0f", "v");
  if (emoji.test(cluster)) return 2;
  let columns = 0;
  for (const character of cluster) {
    if (!ZERO_WIDTH.test(character)) columns += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return columns;
}
