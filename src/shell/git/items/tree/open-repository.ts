import type { ItemsFailure } from "../../../ports.ts";
import { treeOf } from "../../changes.ts";
import { findRepository, type Repository } from "../../repository.ts";
import { stdoutParts, runGit } from "../../run-git.ts";
import { LIST_ATTRIBUTE_FILES, readGitSettings, type GitSettings } from "../../shadow.ts";

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
