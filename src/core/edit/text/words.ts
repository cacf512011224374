import { commonSubsequenceLengths } from "./lines.ts";

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
