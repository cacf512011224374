import { identityOf } from "../items/tree/open-repository.ts";
import { complaintOf, runGit, textOf } from "../run-git.ts";

export type Branched =
  | { readonly kind: "branched"; readonly branch: string; readonly commit: string }
  | { readonly kind: "failed"; readonly problem: string };

/** [B17] A branch at what the agents committed, with what they left uncommitted as one commit more. */
export async function makeBranch(
  cwd: string,
  castId: string,
  { head, ckpt }: { readonly head: string; readonly ckpt: string },
): Promise<Branched> {
  const branch = `materia/${castId}`;
  const same = await runGit(["diff-tree", "--quiet", head, ckpt], { cwd });
  const made = same.ok
    ? undefined
    : await runGit(["commit-tree", `${ckpt}^{tree}`, "-p", head, "-m", `Work of cast ${castId}`], {
        cwd,
        env: { ...(await identityOf(cwd)), ...(await datesOf(cwd, ckpt)) },
      });
  if (made && !made.ok) return { kind: "failed", problem: complaintOf(made) };
  const commit = made ? textOf(made) : head;
  const named = await runGit(["update-ref", `refs/heads/${branch}`, commit], { cwd });
  return named.ok ? { kind: "branched", branch, commit } : { kind: "failed", problem: complaintOf(named) };
}

/** Those of the checkpoint: made twice it is the same commit. */
async function datesOf(cwd: string, ckpt: string): Promise<Readonly<Record<string, string>>> {
  const asked = await runGit(["show", "-s", "--format=%ct", ckpt], { cwd });
  const at = `${textOf(asked)} +0000`;
  return asked.ok ? { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at } : {};
}
