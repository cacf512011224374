import type { FilePatch, Hunk, PatchLine } from "./parse.ts";

/** What a diff is drawn of: where a hunk begins, or a line of it. */
export type PatchRow =
  | { readonly kind: "hunk"; readonly about: string }
  | { readonly kind: "line"; readonly line: PatchLine; readonly changed: ChangedRange | null }
  | { readonly kind: "pair"; readonly left: PatchSide | null; readonly right: PatchSide | null };

/** A line of one side, with the part of it that its counterpart has not. */
export interface PatchSide {
  readonly line: PatchLine;
  readonly changed: ChangedRange | null;
}

/** From which character to which two lines differ. */
export interface ChangedRange {
  readonly from: number;
  readonly to: number;
}

export type PatchViewMode = "unified" | "split";

/** The rows of a file, one below the other or before beside after. */
export function patchRows({ hunks }: FilePatch, form: PatchViewMode): readonly PatchRow[] {
  return hunks.flatMap((hunk) => {
    const [first] = hunk.lines;
    // Above the first line of a file nothing was left out.
    const isTop = hunk.about === "" && (first?.before ?? 1) === 1 && (first?.after ?? 1) === 1;
    return [...(isTop ? [] : [{ kind: "hunk", about: hunk.about } as const]), ...hunkRows(hunk, form)];
  });
}

function hunkRows({ lines }: Hunk, form: PatchViewMode): readonly PatchRow[] {
  const rows: PatchRow[] = [];
  for (let at = 0; at < lines.length;) {
    const [gone, added] = changedRunFrom(lines, at);
    at += gone.length + added.length;
    if (gone.length + added.length > 0) {
      rows.push(...(form === "split" ? pairRows(gone, added) : lineRows(gone, added)));
      continue;
    }
    const line = lines[at];
    at += 1;
    if (!line) continue;
    const side = { line, changed: null };
    rows.push(form === "split" ? { kind: "pair", left: side, right: side } : { kind: "line", ...side });
  }
  return rows;
}

/** The lines that are gone from here on, and those that came in their place. */
function changedRunFrom(lines: readonly PatchLine[], from: number): readonly [readonly PatchLine[], readonly PatchLine[]] {
  let middle = from;
  while (lines[middle]?.kind === "gone") middle += 1;
  let end = middle;
  while (lines[end]?.kind === "new") end += 1;
  return [lines.slice(from, middle), lines.slice(middle, end)];
}

function pairRows(gone: readonly PatchLine[], added: readonly PatchLine[]): readonly PatchRow[] {
  return Array.from({ length: Math.max(gone.length, added.length) }, (_, index) => {
    const [left, right] = [gone[index], added[index]];
    return {
      kind: "pair",
      left: left ? { line: left, changed: changedRangeOf(left, right) } : null,
      right: right ? { line: right, changed: changedRangeOf(right, left) } : null,
    };
  });
}

function lineRows(gone: readonly PatchLine[], added: readonly PatchLine[]): readonly PatchRow[] {
  return [
    ...gone.map((line, index) => ({ kind: "line" as const, line, changed: changedRangeOf(line, added[index]) })),
    ...added.map((line, index) => ({ kind: "line" as const, line, changed: changedRangeOf(line, gone[index]) })),
  ];
}

/** Longer lines are not compared: nobody reads them letter by letter. */
const LONGEST_COMPARED = 1_000;

/** What lies between the beginning and the end that two lines share; null where they share hardly anything. */
function changedRangeOf({ text }: PatchLine, other: PatchLine | undefined): ChangedRange | null {
  if (!other || text.length > LONGEST_COMPARED || other.text.length > LONGEST_COMPARED) return null;
  const most = Math.min(text.length, other.text.length);
  let from = 0;
  while (from < most && text[from] === other.text[from]) from += 1;
  let back = 0;
  while (back < most - from && text.at(-1 - back) === other.text.at(-1 - back)) back += 1;
  const to = text.length - back;
  const shared = text.slice(0, from).trim().length + text.slice(to).trim().length;
  return from === to || shared * 3 < text.trim().length ? null : { from, to };
}
