import type { ItemsFailure, ItemsRefusal } from "../../ports.ts";
import { treeOf } from "../diff.ts";
import { findRepository, type Repository, operationInProgress } from "../repository.ts";
import { stdoutParts, runGit, gitErrorText } from "../run-git.ts";
import { LIST_ATTRIBUTE_FILES, readGitSettings, type GitSettings } from "../shadow-index.ts";
import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Who writes a commit, as git is told. */
export type CommitIdentity = () => Promise<Readonly<Record<string, string>>>;

/** The repository of a cast, and what is asked of it once for all items. */
export interface ItemRepository {
  readonly repository: Repository;
  readonly identity: CommitIdentity;
  readonly settings: () => Promise<GitSettings>;
  /** The files of a commit. */
  readonly treeOf: (commit: string) => Promise<string | undefined>;
  /** Its files of attributes, of which a tree that stands at it is asked. */
  readonly attributesOf: (commit: string, tree: string) => Promise<readonly string[]>;
}

export function createItemRepository(repository: Repository): ItemRepository {
  const { top, head, tree } = repository;
  const files = new Map<string, Promise<string | undefined>>([[head, Promise.resolve(tree)]]);
  const attributes = new Map<string, Promise<readonly string[]>>();
  let identity: ReturnType<CommitIdentity> | undefined;
  let settings: Promise<GitSettings> | undefined;
  return {
    repository,
    identity: () => (identity ??= commitIdentityOf(top)),
    settings: () => (settings ??= readGitSettings(repository)),
    treeOf: (commit) => {
      const asked = files.get(commit) ?? treeOf(top, commit);
      files.set(commit, asked);
      return asked;
    },
    attributesOf: (commit, cwd) => {
      const asked = attributes.get(commit) ?? runGit(LIST_ATTRIBUTE_FILES, { cwd }).then(stdoutParts);
      attributes.set(commit, asked);
      return asked;
    },
  };
}

export async function findItemRepository(cwd: string): Promise<ItemRepository | ItemsFailure> {
  const found = await findRepository(cwd);
  if (found.kind === "found") return createItemRepository(found.repository);
  return { kind: "broken", problem: `the repository cannot be used any more: ${found.why}` };
}

/** The person whom git knows, else the program. */
export async function commitIdentityOf(cwd: string): Promise<Readonly<Record<string, string>>> {
  const known = await runGit(["var", "GIT_AUTHOR_IDENT"], { cwd });
  if (known.ok) return {};
  const [name, email] = ["pi-materia", "pi-materia@localhost"];
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

/** A repository whose items can be worked on at once. */
export interface ParallelRepository {
  readonly kind: "found";
  readonly repository: Repository;
}

/** [V16] Where items begin, or why they are worked on one by one: nobody may work beside changes that they cannot see. */
export async function findParallelRepository(
  cwd: string,
  artifacts: string,
): Promise<ParallelRepository | ItemsRefusal> {
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
