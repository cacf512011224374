/** A line of a difference: kept, taken away or added. */
export interface DiffLine {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
  /** Its number in the text it belongs to; for a kept line in the new one. */
  readonly number: number;
}

/** [E15] Two texts line by line, the fewest changes. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let first = 0;
  while (first < Math.min(a.length, b.length) && a[first] === b[first]) first += 1;
  let last = 0;
  while (last < Math.min(a.length, b.length) - first && a.at(-1 - last) === b.at(-1 - last)) last += 1;
  const head = b.slice(0, first).map((text, index): DiffLine => ({ kind: "same", text, number: index + 1 }));
  const middle = diffMiddle(a.slice(first, a.length - last), b.slice(first, b.length - last), first);
  const tail = b.slice(b.length - last).map((text, index): DiffLine => {
    return { kind: "same", text, number: b.length - last + index + 1 };
  });
  return [...head, ...middle, ...tail];
}

/** So long that nobody reads it line by line; the whole is shown as replaced. */
const MAX_COMPARISONS = 4_000_000;

function diffMiddle(a: readonly string[], b: readonly string[], offset: number): readonly DiffLine[] {
  const gone = (index: number): DiffLine => ({ kind: "gone", text: a[index] ?? "", number: offset + index + 1 });
  const added = (index: number): DiffLine => ({ kind: "new", text: b[index] ?? "", number: offset + index + 1 });
  if (a.length * b.length > MAX_COMPARISONS)
    return [...a.map((_, index) => gone(index)), ...b.map((_, index) => added(index))];
  const common = commonSubsequenceLengths(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i] ?? "", number: offset + j + 1 });
      [i, j] = [i + 1, j + 1];
    } else if (j >= b.length || (i < a.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
      lines.push(gone(i));
      i += 1;
    } else {
      lines.push(added(j));
      j += 1;
    }
  }
  return lines;
}

/** How many lines, or words, two rests have in common, at most. */
function commonSubsequenceLengths(a: readonly string[], b: readonly string[]): readonly Uint32Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const [row, below] = [rows[i], rows[i + 1]];
      if (row && below) row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return rows;
}

/** A piece of a line; marked where the other line does not have it. */
export interface DiffPiece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Longer lines are marked as wholes: nobody reads them word by word. */
const MOST_WORDS = 400;

/** [E15] Two lines word by word: what only one of them has is marked. */
export function diffWords(
  before: string,
  after: string,
): {
  readonly before: readonly DiffPiece[];
  readonly after: readonly DiffPiece[];
} {
  const [a, b] = [splitWords(before), splitWords(after)];
  if (a.length > MOST_WORDS || b.length > MOST_WORDS)
    return { before: [{ text: before, isMarked: true }], after: [{ text: after, isMarked: true }] };
  const common = commonSubsequenceLengths(a, b);
  const kept: { a: Set<number>; b: Set<number> } = { a: new Set(), b: new Set() };
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      kept.a.add(i);
      kept.b.add(j);
      [i, j] = [i + 1, j + 1];
    } else if ((common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return { before: markPieces(a, kept.a), after: markPieces(b, kept.b) };
}

/** Words, numbers, white space and single signs. */
function splitWords(line: string): readonly string[] {
  return line.match(/[\p{L}\p{M}\p{N}_-]+|\s+|[^]/gu) ?? [];
}

function markPieces(words: readonly string[], kept: ReadonlySet<number>): readonly DiffPiece[] {
  const pieces: DiffPiece[] = [];
  words.forEach((text, index) => {
    const isMarked = !kept.has(index);
    const last = pieces.at(-1);
    if (last && last.isMarked === isMarked) pieces[pieces.length - 1] = { text: last.text + text, isMarked };
    else pieces.push({ text, isMarked });
  });
  return pieces;
}
