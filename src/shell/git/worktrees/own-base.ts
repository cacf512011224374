import { mkdtempSync, rmSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ItemsRefusal } from "../../item-ports.ts";
import { readRef } from "../refs.ts";
import {
  findRepository,
  gitErrorText,
  hasOwnFilters,
  runGit,
  stdoutText,
  type GitResult,
  type Repository,
} from "../repository.ts";
import { commitIdentityOf, excludeBelow, hasSubmodules, refused } from "./item-repository.ts";
import { copyIndex } from "./save-item.ts";

export interface OwnBaseRequest {
  readonly cwd: string;
  /** The folder of casts: no part of the work. */
  readonly artifacts: string;
  /** Whether the tree starts from the files as they are, not from HEAD. */
  readonly withChanges: boolean;
  /** Whether a program fills new trees with what git leaves out. */
  readonly hasSetup: boolean;
}

/** [YT2] The commit that the working tree of a cast starts from, or why it cannot have one. */
export async function findOwnBase(request: OwnBaseRequest): Promise<{ kind: "found"; base: string } | ItemsRefusal> {
  const found = await findRepository(request.cwd);
  if (found.kind === "none") return refused(found.why);
  const { repository } = found;
  const { top, head } = repository;
  if (await hasOwnFilters(repository))
    return refused("the repository's own configuration has filters, which do not run in a new working tree");
  // A branch "materia" takes the place of the folder of our branches.
  if ((await readRef(top, "refs/heads/materia")) !== undefined)
    return refused(`a branch is named "materia"; rename it with "git branch -m materia OTHER"`);
  const base = request.withChanges ? await commitChanges(repository, request) : head;
  if (typeof base !== "string") return base;
  if (!request.hasSetup && (await hasSubmodules(top, base)))
    return refused(
      `it has submodules, which are empty in a new working tree; a "setup" in "worktree" can fill them: ["git", "submodule", "update", "--init"]`,
    );
  return { kind: "found", base };
}

/** The files as they are, in a commit on HEAD that no branch names yet; HEAD if nothing has changed. */
async function commitChanges(
  { top, gitDir, head, tree }: Repository,
  { artifacts }: OwnBaseRequest,
): Promise<string | ItemsRefusal> {
  const scratch = mkdtempSync(join(tmpdir(), "materia-index-"));
  try {
    const [index, own] = [join(gitDir, "index"), join(scratch, "index")];
    // A private index: the person's staged files stay staged.
    if (existsSync(index)) copyIndex(index, own);
    const call = { cwd: top, env: { GIT_INDEX_FILE: own } };
    const added = await runGit(["add", "--all", "--", ":/", ...excludeBelow(top, artifacts)], call);
    const written = added.ok ? await runGit(["write-tree"], call) : added;
    if (!written.ok) return unstorable(written);
    if (stdoutText(written) === tree) return head;
    const made = await runGit(["commit-tree", stdoutText(written), "-p", head, "-m", "Uncommitted changes"], {
      cwd: top,
      env: await commitIdentityOf(top),
    });
    return made.ok ? stdoutText(made) : unstorable(made);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function unstorable(answer: GitResult): ItemsRefusal {
  return refused(`git cannot store the files as they are: ${gitErrorText(answer)}`);
}
