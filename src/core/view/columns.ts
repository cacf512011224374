import { eastAsianWidth } from "get-east-asian-width";

/** The terminal columns of a text: wide characters take two, combining marks none. */
export function columnsOf(text: string): number {
  if (ONE_COLUMN_TEXT.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes(text)) columns += graphemeColumns(segment);
  return columns;
}

/** Measures the columns of a text. A host may bring its own measure. */
export type MeasureColumns = (text: string) => number;

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

/** The visible characters of a text, and which of them are emoji. */
interface UnicodeTables {
  readonly graphemes: Intl.Segmenter;
  readonly emoji: RegExp;
}

let unicodeTablesCache: UnicodeTables | undefined;

/** Loaded on demand: these tables take longer to load than most commands to run. */
function unicodeTables(): UnicodeTables {
  unicodeTablesCache ??= {
    graphemes: new Intl.Segmenter("en", { granularity: "grapheme" }),
    emoji: new RegExp("^\\p{RGI_Emoji}$|\\ufe0f", "v"),
  };
  return unicodeTablesCache;
}

function graphemes(text: string): Intl.Segments {
  return unicodeTables().graphemes.segment(text);
}

/** Counts the letters of a cluster one by one, as in Devanagari: a terminal that joins them needs fewer columns, never more. */
function graphemeColumns(cluster: string): number {
  if (unicodeTables().emoji.test(cluster)) return 2;
  let columns = 0;
  for (const character of cluster) {
    if (!ZERO_WIDTH.test(character)) columns += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return columns;
}
