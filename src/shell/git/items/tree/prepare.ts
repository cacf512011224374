import { existsSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { Window } from "../../../../core/cast/state/fork.ts";
import type { Broken, PreparedTree } from "../../../ports.ts";
import { knownTree, type KnownTree } from "../../known-tree.ts";
import type { Repository } from "../../repository.ts";
import { runGit } from "../../run-git.ts";
import { furnish, type Furniture } from "./furnish.ts";
import type { OpenRepository } from "./open-repository.ts";
import { pooledTrees } from "./pool.ts";
import { makeTree, removeTree, reuseTree, setAside, stateOfTree, type TreeState } from "./tree.ts";

export interface TreePlace extends Furniture {
  /** Where trees lie that earlier casts have left. */
  readonly pool: string;
}

export interface Preparing {
  readonly opened: OpenRepository;
  /** Trees that other items have left. */
  readonly free: string[];
  readonly folder: string;
  readonly window: Window;
  readonly has: "begun" | "not begun";
}

/** A tree for an item, and what is known of one that was filled here. */
export interface Prepared {
  readonly tree: PreparedTree;
  readonly known: KnownTree | undefined;
}

export async function prepareTree(place: TreePlace, preparing: Preparing): Promise<Prepared | Broken> {
  const { folder, has, opened } = preparing;
  const { repository } = opened;
  const lies = await mendedTree(repository, folder);
  if (lies === "not known") return broken(`git does not say what lies in ${folder}`);
  const tree: PreparedTree = { kind: "ready", cwd: projectIn(place, repository, folder) };
  if (lies === "tree") {
    if (has === "begun") return { tree, known: undefined };
    await removeTree(repository.top, folder);
  } else if (lies === "something else") setAside(folder);
  const problem = await newTree(preparing, place.pool);
  if (problem !== undefined) return broken(`a working tree cannot be made: ${problem}`);
  const known = await knownOf(place, preparing);
  const unfurnished = await furnish(place, folder, tree.cwd);
  return unfurnished === undefined ? { tree, known } : broken(unfurnished);
}

/** A tree whose own file of git was removed or broken, or that was moved with its project, is still one: git can mend that file. */
export async function mendedTree(repository: Repository, folder: string): Promise<TreeState> {
  const lies = await stateOfTree(repository, folder);
  if (lies !== "something else") return lies;
  await runGit(["worktree", "repair", folder], { cwd: repository.top });
  return stateOfTree(repository, folder);
}

async function newTree(
  { opened: { repository }, free, folder, window }: Preparing,
  pool: string,
): Promise<string | undefined> {
  const used = free.pop();
  if (used === undefined) {
    // Another cast may be quicker: then the next one, and else a new one.
    for (const left of pooledTrees(pool))
      if ((await reuseTree(repository, left, folder, window)) === undefined) return undefined;
    if (existsSync(folder)) await removeTree(repository.top, folder);
    return makeTree(repository, folder, window);
  }
  const problem = await reuseTree(repository, used, folder, window);
  if (problem === undefined) return undefined;
  // What could not be used again is made anew.
  await removeTree(repository.top, used);
  await removeTree(repository.top, folder);
  return makeTree(repository, folder, window);
}

/** What is copied or set up in it later, its checkpoints look at. */
async function knownOf(
  { worktree: { copy = [], setup } }: TreePlace,
  { opened, folder, window: { base, tree } }: Preparing,
): Promise<KnownTree | undefined> {
  const { repository, filesOf, settings, attributesOf } = opened;
  const files = await filesOf(base);
  if (files === undefined) return undefined;
  const isClean = tree === null && copy.length === 0 && setup === undefined;
  const known = { settings: await settings(), attributes: await attributesOf(base, folder), isClean };
  return knownTree(repository, { ...known, head: base, tree: files }, folder);
}

/** A folder of the project may be anywhere below the top of its repository. */
function projectIn({ cwd }: TreePlace, { top }: Repository, folder: string): string {
  const below = relative(top, realpathSync(cwd));
  return below === "" || below.startsWith("..") ? folder : join(folder, below);
}

function broken(problem: string): Broken {
  return { kind: "broken", problem };
}
