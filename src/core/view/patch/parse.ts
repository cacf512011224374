/** One line of a file, before, after, or both. */
export interface PatchLine {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
  /** Its number in the file before and after; null where it is not there. */
  readonly before: number | null;
  readonly after: number | null;
  /** Whether the file ends here without a line break. */
  readonly lacksFinalNewline: boolean;
}

export interface Hunk {
  /** What git says the lines belong to: the nearest heading or function above. */
  readonly about: string;
  readonly lines: readonly PatchLine[];
}

/** One file of a patch. A file that became a link, or the other way round, is two of them. */
export interface FilePatch {
  /** Its modes before and after where git names them; null where the file is not there, or the mode stayed. */
  readonly modes: { readonly before: string | null; readonly after: string | null };
  /** How much of a renamed file stayed the same, in percent. */
  readonly similarity: number | null;
  readonly isBinary: boolean;
  readonly hunks: readonly Hunk[];
}

/**
 * git's patch as data. The lines of a hunk are counted as its head says, so that nothing a file holds can pass for
 * the patch's own words. What was cut off ends where it ends.
 */
export function parsePatch(text: string): readonly FilePatch[] {
  const lines = text.split("\n");
  // The text ends with a line break; what would follow it is no line.
  if (lines.at(-1) === "") lines.pop();
  const files: FilePatch[] = [];
  let at = 0;
  while (at < lines.length) {
    if (!(lines[at] ?? "").startsWith("diff --git ")) {
      at += 1;
      continue;
    }
    const head = readHead(lines, at + 1);
    const hunks: Hunk[] = [];
    at = head.next;
    for (let read = readHunk(lines, at); read; read = readHunk(lines, at)) {
      hunks.push(read.hunk);
      at = read.next;
    }
    files.push({ ...head.file, hunks });
  }
  return files;
}

interface PatchHead {
  readonly file: Omit<FilePatch, "hunks">;
  readonly next: number;
}

function readHead(lines: readonly string[], from: number): PatchHead {
  let [before, after]: [string | null, string | null] = [null, null];
  let similarity: number | null = null;
  let isBinary = false;
  let at = from;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith("@@ ") || line.startsWith("diff --git ")) break;
    const [, when, mode = ""] = /^(old|new|new file|deleted file) mode (\d+)$/.exec(line) ?? [];
    if (when === "old" || when === "deleted file") before = mode;
    else if (when !== undefined) after = mode;
    else if (line.startsWith("similarity index ")) similarity = Number.parseInt(line.slice(17), 10);
    else if (line.startsWith("Binary files ") || line === "GIT binary patch") isBinary = true;
  }
  return { file: { modes: { before, after }, similarity, isBinary }, next: at };
}

const HUNK_PATTERN = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

function readHunk(lines: readonly string[], from: number): { readonly hunk: Hunk; readonly next: number } | undefined {
  const head = HUNK_PATTERN.exec(lines[from] ?? "");
  if (!head) return undefined;
  let [before, after] = [Number(head[1]), Number(head[3])];
  const [lastBefore, lastAfter] = [before + Number(head[2] ?? 1), after + Number(head[4] ?? 1)];
  const found: PatchLine[] = [];
  let at = from + 1;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const last = found.at(-1);
    if (line.startsWith("\\")) {
      if (last) found[found.length - 1] = { ...last, lacksFinalNewline: true };
      continue;
    }
    if (before >= lastBefore && after >= lastAfter) break;
    const [sign, text] = [line[0], line.slice(1)];
    if (sign === "-") found.push({ kind: "gone", text, before: before++, after: null, lacksFinalNewline: false });
    else if (sign === "+") found.push({ kind: "new", text, before: null, after: after++, lacksFinalNewline: false });
    else found.push({ kind: "same", text, before: before++, after: after++, lacksFinalNewline: false });
  }
  return { hunk: { about: head[5] ?? "", lines: found }, next: at };
}
