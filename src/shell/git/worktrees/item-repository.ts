import type { ItemsFailure, ItemsRefusal } from "../../item-ports.ts";
import { treeOf } from "../diff.ts";
import {
  findRepository,
  type Repository,
  hasOwnFilters,
  operationInProgress,
  stdoutParts,
  runGit,
  gitErrorText,
} from "../repository.ts";
import { LIST_ATTRIBUTE_FILES, pathBelow, readGitSettings, type GitSettings } from "../shadow-index.ts";
import { PROGRAM_IDENTITY } from "../take-checkpoint.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Author and committer of a commit, as variables for git. */
export type CommitIdentity = () => Promise<Readonly<Record<string, string>>>;

export function broken(problem: string): ItemsFailure {
  return { kind: "broken", problem };
}

export type ItemRepository = ReturnType<typeof createItemRepository>;

/** The repository of a cast, with answers that hold for all items. */
export function createItemRepository(repository: Repository) {
  const { top, head, tree } = repository;
  const files = new Map<string, Promise<string | undefined>>([[head, Promise.resolve(tree)]]);
  const attributes = new Map<string, Promise<readonly string[]>>();
  let identity: ReturnType<CommitIdentity> | undefined;
  let settings: Promise<GitSettings> | undefined;
  return {
    repository,
    identity: (): ReturnType<CommitIdentity> => (identity ??= commitIdentityOf(top)),
    settings: (): Promise<GitSettings> => (settings ??= readGitSettings(repository)),
    treeOf: (commit: string): Promise<string | undefined> => {
      const asked = files.get(commit) ?? treeOf(top, commit);
      files.set(commit, asked);
      return asked;
    },
    /** The attribute files of a commit, which apply to a tree at that commit. */
    attributesOf: (commit: string, cwd: string): Promise<readonly string[]> => {
      const asked = attributes.get(commit) ?? runGit(LIST_ATTRIBUTE_FILES, { cwd }).then(stdoutParts);
      attributes.set(commit, asked);
      return asked;
    },
  };
}

export async function findItemRepository(cwd: string): Promise<ItemRepository | ItemsFailure> {
  const found = await findRepository(cwd);
  if (found.kind === "found") return createItemRepository(found.repository);
  return broken(`cannot use the repository any more: ${found.why}`);
}

/** The person that git knows, else the program. */
export async function commitIdentityOf(cwd: string): Promise<Readonly<Record<string, string>>> {
  return (await runGit(["var", "GIT_AUTHOR_IDENT"], { cwd })).ok ? {} : PROGRAM_IDENTITY;
}

/** [V16] The base of the items, or why they run one by one: an item must not miss uncommitted changes. */
export async function findParallelRepository(
  cwd: string,
  artifacts: string,
): Promise<{ readonly kind: "found"; readonly repository: Repository } | ItemsRefusal> {
  const found = await findRepository(cwd);
  if (found.kind === "none") return refused(found.why);
  const { repository } = found;
  if (existsSync(join(repository.top, ".jj")))
    return refused("the repository is one of jj, whose workspaces are not safe to make at once");
  if (existsSync(join(repository.top, ".gitmodules")) || (await hasSubmodules(repository.top, repository.head)))
    return refused("the repository has submodules, which are empty in a new working tree");
  if (await hasOwnFilters(repository))
    return refused("the repository's own configuration has filters, which do not run in the trees of items");
  const doing = operationInProgress(repository.gitDir);
  if (doing !== undefined) return refused(`${doing} is in progress in the repository`);
  const changed = await listUncommitted(repository, artifacts);
  if (typeof changed === "string") return refused(changed);
  if (changed.length === 0) return { kind: "found", repository };
  const [first = "", ...others] = changed;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return refused(`there are uncommitted changes: ${first}${more}`);
}

/** Without an entry in `.gitmodules` a nested repository is empty in a new tree too. */
export async function hasSubmodules(top: string, commit: string): Promise<boolean> {
  const listed = stdoutParts(await runGit(["ls-tree", "-r", "-z", commit], { cwd: top }));
  return listed.some((entry) => entry.startsWith("160000 "));
}

/** Uncommitted files without the folder of casts; or why they are unknown. */
async function listUncommitted({ top }: Repository, artifacts: string): Promise<readonly string[] | string> {
  const status = ["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--no-renames"];
  const listed = await runGit([...status, "--", ":/", ...excludeBelow(top, artifacts)], { cwd: top });
  if (!listed.ok) return gitErrorText(listed);
  return stdoutParts(listed).map((entry) => entry.slice(3));
}

export function excludeBelow(top: string, folder: string): readonly string[] {
  return pathBelow(top, folder).map((below) => `:(top,exclude,literal)${below}`);
}

export function refused(reason: string): ItemsRefusal {
  return { kind: "refused", reason };
}
