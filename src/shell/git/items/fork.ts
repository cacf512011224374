import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { findRepository, operationIn, type Repository } from "../repository.ts";
import { complaintOf, partsOf, runGit } from "../run-git.ts";
import type { Refused } from "../../ports.ts";

/** A repository whose items can be worked on at once. */
export interface ForkPlace {
  readonly kind: "found";
  readonly repository: Repository;
}

/** [V16] Where items begin, or why they are worked on one by one: nobody may work beside changes that they cannot see. */
export async function findForkPlace(cwd: string, artifacts: string): Promise<ForkPlace | Refused> {
  const found = await findRepository(cwd);
  if (found.kind === "none") return refused(found.why);
  const { repository } = found;
  if (existsSync(join(repository.top, ".jj")))
    return refused("the repository is one of jj, whose workspaces are not safe to make at once");
  if (existsSync(join(repository.top, ".gitmodules")) || (await hasInner(repository)))
    return refused("the repository has submodules, which are empty in a new working tree");
  const doing = operationIn(repository.gitDir);
  if (doing !== undefined) return refused(`${doing} is in progress in the repository`);
  const changed = await changedFiles(repository, artifacts);
  if (typeof changed === "string") return refused(changed);
  if (changed.length === 0) return { kind: "found", repository };
  const [first = "", ...others] = changed;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return refused(`there are changes that are not committed: ${first}${more}`);
}

/** Without a word in `.gitmodules` a repository inside is as empty in a new tree as with it. */
async function hasInner({ top }: Repository): Promise<boolean> {
  return partsOf(await runGit(["ls-files", "-z", "--stage"], { cwd: top })).some((entry) =>
    entry.startsWith("160000 "),
  );
}

/** What is not committed, the folder of casts left out; or why nobody knows. */
async function changedFiles({ top }: Repository, artifacts: string): Promise<readonly string[] | string> {
  const below = relative(top, artifacts).split(sep).join("/");
  const isBelow = below !== "" && !below.startsWith("..");
  const listed = await runGit(
    [
      "status",
      "--porcelain=v1",
      "-z",
      "--untracked-files=normal",
      "--no-renames",
      "--",
      ":/",
      ...(isBelow ? [`:(top,exclude,literal)${below}`] : []),
    ],
    { cwd: top },
  );
  if (!listed.ok) return complaintOf(listed);
  return partsOf(listed).map((entry) => entry.slice(3));
}

function refused(reason: string): Refused {
  return { kind: "refused", reason };
}
