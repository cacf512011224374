import { truncate } from "../model/text.ts";

/** [P17] The lines that a work item names, by their file: the beginning of each as it stands there. */
export type NamedLines = ReadonlyMap<string, readonly string[]>;

const PLACE = /`([^`#\n]+)#(?=[^`\n]*[^`\s])((?:\\`|[^`\n])+)`/g;
const MAX_FILES = 8;

/** [P17] The places in a text, written as `path#beginning of a line`, backticks in it as \`. */
export function namedLinesIn(text: string): NamedLines {
  const found = new Map<string, readonly string[]>();
  for (const [, path = "", written = ""] of text.matchAll(PLACE)) {
    const beginning = written.trim().replaceAll("\\`", "`");
    if (found.has(path) || found.size < MAX_FILES) found.set(path, [...(found.get(path) ?? []), beginning]);
  }
  return found;
}

/** A comment above, a closing bracket below. */
const LINES_AROUND = 2;
const SHORT_FILE = 40;
const MAX_BLOCK = 60;
const MAX_CHARS = 8_000;

interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** [P17] Each named line with what is indented below it and the lines around; "" if the files have none of them. */
export function namedCodeText(named: NamedLines, files: ReadonlyMap<string, readonly string[]>): string {
  const parts = [...named].flatMap(([path, beginnings]) => {
    const lines = files.get(path) ?? [];
    const ranges = rangesOf(lines, beginnings);
    const places = ranges.map(({ from, to }) => `${from + 1}-${to + 1}`).join(", ");
    const code = ranges.map(({ from, to }) => lines.slice(from, to + 1).join("\n")).join("\n…\n");
    return ranges.length === 0 ? [] : [`${path}, lines ${places}:\n\`\`\`\n${code}\n\`\`\``];
  });
  return truncate(parts.join("\n\n"), MAX_CHARS);
}

/** In the order of the file; ranges that meet are one. A short file is shown whole: its imports often change, too. */
function rangesOf(lines: readonly string[], beginnings: readonly string[]): readonly LineRange[] {
  const starts = beginnings.map((beginning) => lines.findIndex((line) => line.trim().startsWith(beginning)));
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (last < SHORT_FILE && starts.some((at) => at >= 0)) return [{ from: 0, to: last }];
  const merged: LineRange[] = [];
  for (const start of starts.filter((at) => at >= 0).toSorted((a, b) => a - b)) {
    const from = Math.max(0, start - LINES_AROUND);
    const to = Math.min(last, blockEnd(lines, start) + LINES_AROUND);
    const before = merged.at(-1);
    if (before && from <= before.to + 1) merged[merged.length - 1] = { from: before.from, to: Math.max(before.to, to) };
    else merged.push({ from, to });
  }
  return merged;
}

function blockEnd(lines: readonly string[], start: number): number {
  const depth = indentOf(lines[start] ?? "");
  const below = lines.slice(start + 1, start + MAX_BLOCK);
  const length = below.findIndex((line) => line.trim() !== "" && indentOf(line) <= depth);
  return start + 1 + below.slice(0, length < 0 ? undefined : length).findLastIndex((line) => line.trim() !== "");
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
