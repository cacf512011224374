import { mergeBase, currentBranch } from "../refs.ts";
import { findRepository, operationInProgress } from "../repository.ts";
import { createItemRepository } from "./item-repository.ts";
import { landCommits } from "./join-items.ts";

export type BranchMerge =
  | { readonly kind: "merged"; readonly commit: string; readonly into: string }
  | { readonly kind: "refused"; readonly reason: string; readonly hint?: string };

/** [YT7] Merges the work of a cast into the checked out branch, or changes nothing. */
export async function mergeCastBranch(
  cwd: string,
  work: { readonly branch: string; readonly commit: string; readonly base: string | undefined; readonly title: string },
): Promise<BranchMerge> {
  const found = await findRepository(cwd);
  if (found.kind === "none") return { kind: "refused", reason: found.why };
  const { repository } = found;
  const { top, gitDir, head } = repository;
  const doing = operationInProgress(gitDir);
  if (doing !== undefined)
    return { kind: "refused", reason: `${doing} is in progress`, hint: "finish or abort it first" };
  const into = (await currentBranch(top))?.replace(/^refs\/heads\//, "");
  if (into === undefined)
    return { kind: "refused", reason: "no branch is checked out", hint: "switch to the branch that it belongs on" };
  const base = work.base ?? (await mergeBase(top, head, work.commit));
  if (base === undefined) return { kind: "refused", reason: "it has no commit in common with the current branch" };
  const landed = await landCommits(createItemRepository(repository), { ...work, base, head, tip: work.commit });
  switch (landed.kind) {
    case "joined":
      return { kind: "merged", commit: landed.commit, into };
    case "refused":
      return { kind: "refused", reason: landed.reason, hint: "commit or stash these changes first" };
    case "broken":
      return { kind: "refused", reason: landed.problem };
    case "conflicted":
      return { kind: "refused", reason: `it conflicts with ${into} in ${landed.files.slice(0, 5).join(", ")}` };
  }
}
