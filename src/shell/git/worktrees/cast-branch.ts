import { castBranch, itemGitRef } from "../../../core/model/ids.ts";
import { isAncestor, readRef } from "../refs.ts";
import { gitErrorText, runGit, stdoutText } from "../repository.ts";
import { commitIdentityOf } from "./item-repository.ts";

export type BranchOutcome =
  | { readonly kind: "branched"; readonly branch: string; readonly commit: string }
  | { readonly kind: "failed"; readonly problem: string };

/** [B17] A branch at the agents' last commit, with one more commit for uncommitted files. */
export async function createCastBranch(
  cwd: string,
  castId: string,
  { head, ckpt }: { readonly head: string; readonly ckpt: string },
): Promise<BranchOutcome> {
  const branch = castBranch(castId);
  let commit = head;
  if (!(await runGit(["diff-tree", "--quiet", head, ckpt], { cwd })).ok) {
    const env = { ...(await commitIdentityOf(cwd)), ...(await commitDatesOf(cwd, ckpt)) };
    const args = ["commit-tree", `${ckpt}^{tree}`, "-p", head, "-m", `Work of cast ${castId}`];
    const made = await runGit(args, { cwd, env });
    if (!made.ok) return { kind: "failed", problem: gitErrorText(made) };
    commit = stdoutText(made);
  }
  const taken = takenRef(castId);
  // Only what an earlier call put there may be replaced.
  const moved = await moveBranch(cwd, branch, commit, await readRef(cwd, taken));
  if (moved.kind === "branched") await runGit(["update-ref", taken, moved.commit], { cwd });
  return moved;
}

/** The work as it was when a person took it. */
export function takenRef(castId: string): string {
  return itemGitRef(castId, "taken");
}

/** Moves a branch forward to a commit, or creates it. Commits that a person added to it stay; other commits are never dropped. */
export async function moveBranch(
  cwd: string,
  branch: string,
  commit: string,
  replaceable?: string,
): Promise<BranchOutcome> {
  const ref = `refs/heads/${branch}`;
  const tip = await readRef(cwd, ref);
  if (tip !== undefined && (await isAncestor(cwd, commit, tip))) return { kind: "branched", branch, commit: tip };
  if (tip !== undefined && tip !== replaceable && !(await isAncestor(cwd, tip, commit)))
    return {
      kind: "failed",
      problem: `${branch} has other commits than the cast; rename it with "git branch -m ${branch} OTHER"`,
    };
  const named = await runGit(["update-ref", ref, commit, tip ?? ""], { cwd });
  return named.ok ? { kind: "branched", branch, commit } : { kind: "failed", problem: gitErrorText(named) };
}

/** Author and date of the checkpoint: repeated, it gives the same commit. */
async function commitDatesOf(cwd: string, ckpt: string): Promise<Readonly<Record<string, string>>> {
  const asked = await runGit(["show", "-s", "--format=%ct", ckpt], { cwd });
  const at = `${stdoutText(asked)} +0000`;
  return asked.ok ? { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at } : {};
}
