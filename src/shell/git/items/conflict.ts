import { truncate } from "../../../core/model/values/text.ts";
import { runGit } from "../run-git.ts";

const FILES_SHOWN = 5;
const FILES_NAMED = 30;
const HUNK_LINES = 24;
const HUNK_CHARS = 700;

/** [V9] What an agent needs to mend a conflict: which files, how they look now, and what has no marks in words. */
export async function describeConflict(
  cwd: string,
  { tree, files, said }: { readonly tree: string; readonly files: readonly string[]; readonly said: string },
): Promise<string> {
  const hunks: string[] = [];
  for (const file of files.slice(0, FILES_SHOWN)) {
    const hunk = await firstHunk(cwd, tree, file);
    if (hunk !== undefined) hunks.push(`${file}:\n${hunk}`);
  }
  const named = files.slice(0, FILES_NAMED).join(", ");
  const more = files.length > FILES_NAMED ? ` and ${files.length - FILES_NAMED} more` : "";
  return [
    `Other items were merged meanwhile, and this work conflicts with theirs in: ${named}${more}.`,
    "The files now hold the merged state, with conflict marks where both changed the same lines. Keep what the others did, " +
      "bring in what this item needs, and leave no marks behind.",
    ...(said === "" ? [] : [truncate(said, 1_500)]),
    ...hunks,
  ].join("\n\n");
}

/** Whether a file of a commit or tree still holds the marks of a conflict. */
export async function hasConflictMarkers(cwd: string, tree: string, file: string): Promise<boolean> {
  const lines = (await readFileLines(cwd, tree, file)) ?? [];
  return lines.some((line) => line.startsWith("<<<<<<< ")) && lines.some((line) => line.startsWith(">>>>>>> "));
}

async function firstHunk(cwd: string, tree: string, file: string): Promise<string | undefined> {
  const lines = (await readFileLines(cwd, tree, file)) ?? [];
  const from = lines.findIndex((line) => line.startsWith("<<<<<<< "));
  if (from === -1) return undefined;
  const length = lines.slice(from).findIndex((line) => line.startsWith(">>>>>>> ")) + 1;
  const hunk = lines.slice(from, from + Math.min(length === 0 ? HUNK_LINES : length, HUNK_LINES));
  return truncate(hunk.join("\n"), HUNK_CHARS);
}

async function readFileLines(cwd: string, tree: string, file: string): Promise<readonly string[] | undefined> {
  const blob = await runGit(["cat-file", "blob", `${tree}:${file}`], { cwd, maxBytes: 8 * 1024 * 1024 });
  if (!blob.ok || blob.stdout.includes(0)) return undefined;
  return blob.stdout.toString("utf8").split("\n");
}
