import { runGit } from "./run-git.ts";

/** [Y2] The one name that holds the checkpoints of a cast. */
export function castRef(castId: string): string {
  return `refs/materia/${castId}`;
}

/** [Y9] With the cast its checkpoints go; where there is no repository, or none of them, nothing happens. */
export async function removeRefs(cwd: string, castIds: readonly string[]): Promise<void> {
  if (castIds.length === 0) return;
  const input = castIds.map((castId) => `delete ${castRef(castId)}\n`).join("");
  await runGit(["update-ref", "--no-deref", "--stdin"], { cwd, input });
}
