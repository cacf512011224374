import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { findRepository, operationInProgress, type Repository } from "../repository.ts";
import { gitErrorText, stdoutParts, runGit } from "../run-git.ts";
import type { ItemsRefusal } from "../../ports.ts";

/** A repository whose items can be worked on at once. */
export interface ParallelRepository {
  readonly kind: "found";
  readonly repository: Repository;
}

/** [V16] Where items begin, or why they are worked on one by one: nobody may work beside changes that they cannot see. */
export async function findParallelRepository(cwd: string, artifacts: string): Promise<ParallelRepository | ItemsRefusal> {
  const found = await findRepository(cwd);
  if (found.kind === "none") return refuseParallel(found.why);
  const { repository } = found;
  if (existsSync(join(repository.top, ".jj")))
    return refuseParallel("the repository is one of jj, whose workspaces are not safe to make at once");
  if (existsSync(join(repository.top, ".gitmodules")) || (await hasSubmodules(repository)))
    return refuseParallel("the repository has submodules, which are empty in a new working tree");
  const doing = operationInProgress(repository.gitDir);
  if (doing !== undefined) return refuseParallel(`${doing} is in progress in the repository`);
  const changed = await listUncommitted(repository, artifacts);
  if (typeof changed === "string") return refuseParallel(changed);
  if (changed.length === 0) return { kind: "found", repository };
  const [first = "", ...others] = changed;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return refuseParallel(`there are changes that are not committed: ${first}${more}`);
}

/** Without a word in `.gitmodules` a repository inside is as empty in a new tree as with it. */
async function hasSubmodules({ top }: Repository): Promise<boolean> {
  return stdoutParts(await runGit(["ls-files", "-z", "--stage"], { cwd: top })).some((entry) =>
    entry.startsWith("160000 "),
  );
}

/** What is not committed, the folder of casts left out; or why nobody knows. */
async function listUncommitted({ top }: Repository, artifacts: string): Promise<readonly string[] | string> {
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
  if (!listed.ok) return gitErrorText(listed);
  return stdoutParts(listed).map((entry) => entry.slice(3));
}

function refuseParallel(reason: string): ItemsRefusal {
  return { kind: "refused", reason };
}
