import type { Broken } from "../../../ports.ts";
import { treeOf } from "../../changes.ts";
import { findRepository, type Repository } from "../../repository.ts";
import { partsOf, runGit } from "../../run-git.ts";
import { ATTRIBUTES, settingsOf, type GitSettings } from "../../shadow.ts";

/** Who writes a commit, as git is told. */
export type Identity = () => Promise<Readonly<Record<string, string>>>;

/** The repository of a cast, and what is asked of it once for all items. */
export interface OpenRepository {
  readonly repository: Repository;
  readonly identity: Identity;
  readonly settings: () => Promise<GitSettings>;
  /** The files of a commit. */
  readonly filesOf: (commit: string) => Promise<string | undefined>;
  /** Its files of attributes, of which a tree that stands at it is asked. */
  readonly attributesOf: (commit: string, tree: string) => Promise<readonly string[]>;
}

export function openedIn(repository: Repository): OpenRepository {
  const { top, head, tree } = repository;
  const files = new Map<string, Promise<string | undefined>>([[head, Promise.resolve(tree)]]);
  const attributes = new Map<string, Promise<readonly string[]>>();
  let identity: ReturnType<Identity> | undefined;
  let settings: Promise<GitSettings> | undefined;
  return {
    repository,
    identity: () => (identity ??= identityOf(top)),
    settings: () => (settings ??= settingsOf(repository)),
    filesOf: (commit) => {
      const asked = files.get(commit) ?? treeOf(top, commit);
      files.set(commit, asked);
      return asked;
    },
    attributesOf: (commit, cwd) => {
      const asked = attributes.get(commit) ?? runGit(ATTRIBUTES, { cwd }).then(partsOf);
      attributes.set(commit, asked);
      return asked;
    },
  };
}

export async function openRepository(cwd: string): Promise<OpenRepository | Broken> {
  const found = await findRepository(cwd);
  if (found.kind === "found") return openedIn(found.repository);
  return { kind: "broken", problem: `the repository cannot be used any more: ${found.why}` };
}

/** The person whom git knows, else the program. */
export async function identityOf(cwd: string): Promise<Readonly<Record<string, string>>> {
  const known = await runGit(["var", "GIT_AUTHOR_IDENT"], { cwd });
  if (known.ok) return {};
  const [name, email] = ["pi-materia", "pi-materia@localhost"];
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}
