import type { FileChange } from "../../core/model/checkpoint.ts";
import { gitErrorText, stdoutParts, runGit, stdoutText } from "./run-git.ts";

/** Two commits of the repository around a folder. */
export interface CommitRange {
  readonly cwd: string;
  readonly from: string;
  readonly to: string;
}

/** git's own diff, without programs that the repository names for it. */
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

export type DiffForm = "patch" | "stat" | "names";

export interface DiffOptions {
  readonly form: DiffForm;
  /** Only what concerns this file, by both of its names where it was renamed. */
  readonly paths?: readonly string[];
  readonly maxBytes?: number;
}

type DiffOutput =
  | { readonly ok: true; readonly bytes: Buffer; readonly isCut: boolean }
  | { readonly ok: false; readonly problem: string };

const DIFF_FLAGS = { patch: ["--patch"], stat: ["--stat=100"], names: ["--name-only"] } as const;

/** What git prints, or why it cannot. */
export async function diffText(
  { cwd, from, to }: CommitRange,
  { form, paths = [], maxBytes: mostBytes }: DiffOptions,
): Promise<DiffOutput> {
  // Names are taken as they are written: one that looks like a pattern is none.
  const args = [
    ...UNQUOTED_NAMES,
    "--literal-pathspecs",
    "diff",
    ...PLAIN_DIFF,
    "--color=never",
    ...DIFF_FLAGS[form],
    from,
    to,
    "--",
  ];
  const answer = await runGit([...args, ...paths], {
    cwd,
    ...(mostBytes === undefined ? {} : { maxBytes: mostBytes }),
  });
  // What was cut off at a limit is shown as far as it goes.
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

/** The same as data, in git's order. */
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

/** The commits between two, the first not among them, that changed a file, under its earlier names too; oldest first. */
export async function commitsChanging({ cwd, from, to }: CommitRange, path: string): Promise<readonly string[]> {
  const args = ["--literal-pathspecs", "log", "--follow", "--reverse", "--format=%H", "--no-show-signature"];
  const answer = await runGit([...args, `${from}..${to}`, "--", path], { cwd });
  return answer.ok ? stdoutText(answer).split("\n").filter(Boolean) : [];
}

function parseLineCount(text: string): number | null {
  return text === "-" ? null : Number(text);
}

/** Whether the repository still holds a commit. */
export async function hasCommit(cwd: string, commit: string): Promise<boolean> {
  return (await runGit(["cat-file", "-e", `${commit}^{commit}`], { cwd })).ok;
}

export async function treeOf(cwd: string, commit: string): Promise<string | undefined> {
  const answer = await runGit(["rev-parse", "--verify", "--quiet", `${commit}^{tree}`], { cwd });
  return answer.ok ? stdoutText(answer) : undefined;
}
