import { runGit, stdoutText } from "./run-git.ts";

/** [Y2] The one name that holds the checkpoints of a cast. */
export function castRef(castId: string): string {
  return `refs/materia/${castId}`;
}

/** [Y9] With the cast its checkpoints go; where there is no repository, or none of them, nothing happens. */
export async function removeCastRefs(cwd: string, castIds: readonly string[]): Promise<void> {
  if (castIds.length === 0) return;
  const input = castIds.map((castId) => `delete ${castRef(castId)}\n`).join("");
  await runGit(["update-ref", "--no-deref", "--stdin"], { cwd, input });
  await removeItemRefs(cwd, castIds);
}

/** [V17, V18] What its items were held by goes as well, and what git remembers of their working trees. */
async function removeItemRefs(cwd: string, castIds: readonly string[]): Promise<void> {
  const listed = await runGit(["for-each-ref", "--format=%(refname)", "refs/materia", "refs/materia-items"], { cwd });
  const gone = stdoutText(listed)
    .split("\n")
    .filter((ref) =>
      castIds.some((castId) => ref.startsWith(`${castRef(castId)}_`) || ref.startsWith(itemRefPrefix(castId))),
    );
  if (gone.length === 0) return;
  await runGit(["update-ref", "--no-deref", "--stdin"], { cwd, input: gone.map((ref) => `delete ${ref}\n`).join("") });
  const trees = stdoutText(await runGit(["worktree", "list", "--porcelain"], { cwd })).matchAll(/^worktree (.*)$/gm);
  // They are locked while their cast may need them.
  for (const [, path = ""] of trees)
    if (castIds.some((castId) => path.includes(`/${castId}_`))) await runGit(["worktree", "unlock", path], { cwd });
  await runGit(["worktree", "prune", "--expire=now"], { cwd });
}

function itemRefPrefix(castId: string): string {
  return `refs/materia-items/${castId}/`;
}
