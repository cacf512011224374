import { diffArrays } from "diff";

export interface DiffLine {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
  /** Its number in its own text; for a kept line in the new one. */
  readonly number: number;
}

/** Texts with more changed lines than this count as replaced: nobody reads such a difference line by line. */
const MAX_CHANGED_LINES = 2_000;

/** [E15] The fewest changes from one text to the other, line by line. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const changes = diffArrays(old, now, { maxEditLength: MAX_CHANGED_LINES }) ?? [
    { value: old, added: false, removed: true },
    { value: now, added: true, removed: false },
  ];
  const numbers = { before: 0, after: 0 };
  return changes.flatMap(({ value, added, removed }) =>
    value.map((text): DiffLine => {
      if (!added) numbers.before += 1;
      if (!removed) numbers.after += 1;
      if (removed) return { kind: "gone", text, number: numbers.before };
      return { kind: added ? "new" : "same", text, number: numbers.after };
    }),
  );
}

/** A piece of a line, marked where the other line lacks it. */
export interface DiffPiece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Longer lines are marked as wholes: nobody reads them word by word. */
const MAX_WORDS = 400;

/** [E15] Two lines word by word: words that only one of them has are marked. */
export function diffWords(before: string, after: string): Readonly<Record<"before" | "after", readonly DiffPiece[]>> {
  const [old, now] = [splitWords(before), splitWords(after)];
  if (old.length > MAX_WORDS || now.length > MAX_WORDS)
    return { before: [{ text: before, isMarked: true }], after: [{ text: after, isMarked: true }] };
  const changes = diffArrays(old, now);
  const pieces = (other: "added" | "removed"): readonly DiffPiece[] =>
    changes
      .filter((change) => !change[other])
      .map(({ value, added, removed }) => ({ text: value.join(""), isMarked: added || removed }));
  return { before: pieces("added"), after: pieces("removed") };
}

function splitWords(line: string): string[] {
  return line.match(/[\p{L}\p{M}\p{N}_-]+|\s+|[^]/gu) ?? [];
}
