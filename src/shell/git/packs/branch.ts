import { commitIdentityOf } from "../items/tree/open-repository.ts";
import { gitErrorText, runGit, stdoutText } from "../run-git.ts";

export type BranchOutcome =
  | { readonly kind: "branched"; readonly branch: string; readonly commit: string }
  | { readonly kind: "failed"; readonly problem: string };

/** [B17] A branch at what the agents committed, with what they left uncommitted as one commit more. */
export async function createCastBranch(
  cwd: string,
  castId: string,
  { head, ckpt }: { readonly head: string; readonly ckpt: string },
): Promise<BranchOutcome> {
  const branch = `materia/${castId}`;
  const same = await runGit(["diff-tree", "--quiet", head, ckpt], { cwd });
  const made = same.ok
    ? undefined
    : await runGit(["commit-tree", `${ckpt}^{tree}`, "-p", head, "-m", `Work of cast ${castId}`], {
        cwd,
        env: { ...(await commitIdentityOf(cwd)), ...(await commitDatesOf(cwd, ckpt)) },
      });
  if (made && !made.ok) return { kind: "failed", problem: gitErrorText(made) };
  const commit = made ? stdoutText(made) : head;
  const named = await runGit(["update-ref", `refs/heads/${branch}`, commit], { cwd });
  return named.ok ? { kind: "branched", branch, commit } : { kind: "failed", problem: gitErrorText(named) };
}

/** Those of the checkpoint: made twice it is the same commit. */
async function commitDatesOf(cwd: string, ckpt: string): Promise<Readonly<Record<string, string>>> {
  const asked = await runGit(["show", "-s", "--format=%ct", ckpt], { cwd });
  const at = `${stdoutText(asked)} +0000`;
  return asked.ok ? { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at } : {};
}
