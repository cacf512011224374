import { withoutUndefined } from "../../core/model/json.ts";
import type { FileChange } from "../../core/model/checkpoint.ts";
import { askGit, gitErrorText, stdoutParts, runGit } from "./repository.ts";

export interface CommitRange {
  readonly cwd: string;
  readonly from: string;
  readonly to: string;
}

/** git's own diff, without programs that the repository configures. */
const PLAIN_DIFF = [
  "--no-ext-diff",
  "--no-textconv",
  "--find-renames",
  "--submodule=short",
  "--no-relative",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];
const UNQUOTED_NAMES = ["-c", "core.quotePath=false"];

const DIFF_FLAGS = { patch: ["--patch"], stat: ["--stat=100"], names: ["--name-only"] } as const;

interface DiffOptions {
  readonly form: keyof typeof DIFF_FLAGS;
  /** Only this file, by both of its names if it was renamed. */
  readonly paths?: readonly string[];
  readonly maxBytes?: number;
  /** Unchanged lines around each change of a patch; three if unset. */
  readonly contextLines?: number;
}

export async function diffText(
  { cwd, from, to }: CommitRange,
  { form, paths = [], maxBytes, contextLines }: DiffOptions,
): Promise<{ ok: true; bytes: Buffer; isCut: boolean } | { ok: false; problem: string }> {
  // Paths are literal: one that looks like a pattern is none.
  const context = contextLines === undefined ? [] : [`--unified=${contextLines}`];
  const flags = [...PLAIN_DIFF, "--color=never", ...DIFF_FLAGS[form], ...context];
  const args = [...UNQUOTED_NAMES, "--literal-pathspecs", "diff", ...flags, from, to, "--", ...paths];
  const answer = await runGit(args, { cwd, ...withoutUndefined({ maxBytes }) });
  // Output that was cut at the limit is shown up to there.
  if (answer.ok || answer.stdout.length > 0) return { ok: true, bytes: answer.stdout, isCut: !answer.ok };
  return { ok: false, problem: gitErrorText(answer) };
}

const STATUS_BY_LETTER: Readonly<Record<string, FileChange["status"]>> = {
  A: "added",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "type",
};

export async function listChanges({ cwd, from, to }: CommitRange): Promise<readonly FileChange[]> {
  if (from === to) return [];
  const answer = await runGit(["diff", ...PLAIN_DIFF, "--raw", "--numstat", "-z", from, to, "--"], { cwd });
  const parts = stdoutParts(answer);
  const statuses = new Map<string, FileChange["status"]>();
  const found: FileChange[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? "";
    if (part.startsWith(":")) {
      const letter = part.split(" ")[4]?.[0] ?? "M";
      const isPair = letter === "R" || letter === "C";
      at += isPair ? 2 : 1;
      statuses.set(parts[at] ?? "", STATUS_BY_LETTER[letter] ?? "modified");
      continue;
    }
    const [, added = "-", removed = "-", name = ""] = /^([^\t]*)\t([^\t]*)\t(.*)$/s.exec(part) ?? [];
    const lines = { added: parseLineCount(added), removed: parseLineCount(removed) };
    if (name !== "") found.push({ status: statuses.get(name) ?? "modified", path: name, ...lines });
    else {
      const [before = "", path = ""] = parts.slice(at + 1, at + 3);
      at += 2;
      found.push({ status: "renamed", path, from: before, ...lines });
    }
  }
  return found;
}

/** Commits between two, the first excluded, that changed a file, under its earlier names too; oldest first. */
export async function findCommitsChanging({ cwd, from, to }: CommitRange, path: string): Promise<readonly string[]> {
  const args = ["--literal-pathspecs", "log", "--follow", "--reverse", "--format=%H"];
  const listed = await askGit([...args, `${from}..${to}`, "--", path], { cwd });
  return listed?.split("\n").filter(Boolean) ?? [];
}

function parseLineCount(text: string): number | null {
  return text === "-" ? null : Number(text);
}

export async function hasCommit(cwd: string, commit: string): Promise<boolean> {
  return (await runGit(["cat-file", "-e", `${commit}^{commit}`], { cwd })).ok;
}

export function treeOf(cwd: string, commit: string): Promise<string | undefined> {
  return askGit(["rev-parse", "--verify", "--quiet", `${commit}^{tree}`], { cwd });
}

const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** The lines of a file in a commit or tree; undefined if it is too large, or no text. */
export async function readFileLines(cwd: string, tree: string, file: string): Promise<readonly string[] | undefined> {
  const blob = await runGit(["cat-file", "blob", `${tree}:${file}`], { cwd, maxBytes: MAX_TEXT_BYTES });
  return blob.ok && !blob.stdout.includes(0) ? blob.stdout.toString("utf8").split("\n") : undefined;
}

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
