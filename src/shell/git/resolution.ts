import { type CommitRange, listChanges, readFileLines } from "./diff.ts";

const MAX_FILES = 100;

/** [V51] Whether every change lies inside conflict marks of the first commit, and no mark is left in the second. */
export async function isResolution(range: CommitRange): Promise<boolean> {
  const changed = await listChanges(range);
  if (changed.length === 0 || changed.length > MAX_FILES) return false;
  for (const { path, status } of changed) {
    if (status !== "modified") return false;
    const [marked, resolved] = await Promise.all([
      readFileLines(range.cwd, range.from, path),
      readFileLines(range.cwd, range.to, path),
    ]);
    if (!marked || !resolved || !resolvesMarks(marked, resolved)) return false;
  }
  return true;
}

/** The lines outside of marked hunks are the same, in the same order; anything may stand where a hunk was. */
export function resolvesMarks(marked: readonly string[], resolved: readonly string[]): boolean {
  if (resolved.some((line) => /^(<{7}|>{7})( |$)/.test(line))) return false;
  const parts = unmarkedParts(marked);
  if (parts.length < 2) return false;
  const [first = [], ...rest] = parts;
  const last = rest.pop() ?? [];
  if (!isAt(resolved, first, 0) || !isAt(resolved, last, resolved.length - last.length)) return false;
  let from = first.length;
  const end = resolved.length - last.length;
  for (const part of rest) {
    const at = indexOfPart(resolved, part, from, end);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= end;
}

/** The lines before, between and after the marked hunks. */
function unmarkedParts(lines: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  let inHunk = false;
  for (const line of lines) {
    if (!inHunk && /^<{7}( |$)/.test(line)) inHunk = true;
    else if (inHunk && /^>{7}( |$)/.test(line)) {
      inHunk = false;
      parts.push([]);
    } else if (!inHunk) parts.at(-1)?.push(line);
  }
  return inHunk ? [] : parts;
}

function indexOfPart(lines: readonly string[], part: readonly string[], from: number, end: number): number {
  for (let at = from; at + part.length <= end; at += 1) if (isAt(lines, part, at)) return at;
  return -1;
}

function isAt(lines: readonly string[], part: readonly string[], at: number): boolean {
  return at >= 0 && part.every((line, index) => lines[at + index] === line);
}
