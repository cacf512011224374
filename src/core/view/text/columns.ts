/** How many columns of a terminal a text takes: wide characters two, marks that sit on another none. */
export function columnsOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += columnsOfOne(segment);
  return columns;
}

/** At most so many columns, the cut marked with an ellipsis; never half a character. */
export function cutColumns(text: string, limit: number): string {
  if (columnsOf(text) <= limit) return text;
  if (limit < 1) return "";
  let kept = "";
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) {
    columns += columnsOfOne(segment);
    if (columns > limit - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}

/** Broken between words, and inside a word only where it is longer than a line. */
export function wrapColumns(text: string, limit: number): readonly string[] {
  const width = Math.max(1, limit);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((each) => pieces(each, width))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || columnsOf(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === "" ? lines : [...lines, line];
}

function pieces(word: string, width: number): readonly string[] {
  if (columnsOf(word) <= width) return [word];
  const found: string[] = [];
  let piece = "";
  let columns = 0;
  for (const { segment } of graphemes.segment(word)) {
    const more = columnsOfOne(segment);
    if (columns + more > width && piece !== "") {
      found.push(piece);
      [piece, columns] = ["", 0];
    }
    piece += segment;
    columns += more;
  }
  return piece === "" ? found : [...found, piece];
}

/** Nothing but characters of one column each, our own glyphs included. */
const NARROW = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2296\u2500-\u25ef\u2713-\u2717]*$/;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const INVISIBLE = /^[\p{M}\p{Cf}\p{Cc}]+$/u;
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

function columnsOfOne(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}
