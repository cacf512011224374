import { cpSync, existsSync, readdirSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Window } from "../../../core/cast/state/fork.ts";
import { itemRef } from "../../../core/model/ids.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { Worktree } from "../../../core/model/config.ts";
import { problemText } from "../../system/problem.ts";
import type { Broken, JoinRequest, KeptWork, MergeRequest, PreparedTree, Trees } from "../../ports.ts";
import { treeOf } from "../changes.ts";
import { countChanges } from "../checkpoint.ts";
import { findRepository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import type { Repository } from "../repository.ts";
import { conflictReason, hasMarks } from "./conflict.ts";
import { findForkPlace } from "./fork.ts";
import { joinTip } from "./join.ts";
import { keepWork } from "./keep.ts";
import { dropRefs, keepRef, listRefs, readRef } from "./refs.ts";
import { poolTree, pooledTrees } from "./pool.ts";
import { replay } from "./replay.ts";
import { isSetAside, makeTree, removeTree, reuseTree, setAside, stateOfTree } from "./tree.ts";
import type { TreeState } from "./tree.ts";

export interface GitTreesPlace {
  readonly castId: CastId;
  /** Where the cast works. */
  readonly cwd: string;
  /** Where casts are kept: no part of anybody's work. */
  readonly artifacts: string;
  /** Where working trees are made. */
  readonly trees: string;
  /** Where trees lie that earlier casts have left. */
  readonly pool: string;
  readonly worktree: Worktree;
  /** Runs the program that a new tree needs; the answer is a sentence where it failed. */
  readonly setUp: (command: readonly string[], cwd: string) => Promise<string | undefined>;
}

/** Working trees of git for the items of one cast. */
export function openGitTrees(place: GitTreesPlace): Trees {
  /** Trees whose work is kept, to be used again: making one takes long in a large repository. */
  const free: string[] = [];
  let known: Repository | undefined;
  const repositoryOf = async (): Promise<Repository | Broken> => {
    if (known) return known;
    const found = await findRepository(place.cwd);
    if (found.kind === "none") return broken(`the repository cannot be used any more: ${found.why}`);
    known = found.repository;
    return known;
  };
  const prepare: Trees["prepare"] = async (child, window, has) => {
    const repository = await repositoryOf();
    if ("kind" in repository) return repository;
    try {
      return await prepareTree(place, { repository, free, folder: join(place.trees, child), window, has });
    } catch (thrown) {
      return broken(`a working tree cannot be made: ${problemText(thrown)}`);
    }
  };
  const keep: Trees["keep"] = async (child, { base }, title) => {
    const ref = itemRef(place.castId, child);
    const repository = await repositoryOf();
    if ("kind" in repository) return repository;
    const before = await readRef(repository.top, ref);
    if (before !== undefined) return withCounts(repository, base, { kind: "kept", commit: before });
    const tree = join(place.trees, child);
    const lies = await mendedTree(repository, tree);
    if (lies === "not known") return broken(`git does not say what lies in ${tree}`);
    // An agent that removed its own tree has left nothing; what it made of one that is no tree any more is not lost.
    if (lies === "something else") setAside(tree);
    if (lies !== "tree") return { kind: "kept", commit: null };
    const kept = await keepWork({ tree, base, title });
    if (kept.kind === "broken") return kept;
    if (kept.commit !== null && !(await keepRef(repository.top, ref, kept.commit)))
      return broken(`the name ${ref} cannot be written`);
    free.push(tree);
    return withCounts(repository, base, kept);
  };
  return {
    fork: async () => {
      const found = await findForkPlace(place.cwd, place.artifacts);
      if (found.kind === "refused") return found;
      known = found.repository;
      return { kind: "forked", base: found.repository.head };
    },
    prepare,
    keep,
    merge: async (request) => {
      const repository = await repositoryOf();
      return "kind" in repository ? repository : mergeWork(place, repository, request);
    },
    join: async (request) => {
      const repository = await repositoryOf();
      if ("kind" in repository) return repository;
      const joined = await joinTip(repository, request);
      if (joined.kind === "joined") await tidyUp(place, repository, request);
      return joined;
    },
  };
}

/** [V21] What people are told of it. Where it cannot be counted, the work is there all the same. */
async function withCounts({ top }: Repository, base: string, kept: KeptWork): Promise<KeptWork> {
  const files = kept.commit === null ? undefined : await countChanges(top, base, kept.commit);
  return files === undefined ? kept : { ...kept, files };
}

/** A tree whose own file of git was removed or broken is still one: git knows it and can mend that file. */
async function mendedTree(repository: Repository, folder: string): Promise<TreeState> {
  const lies = await stateOfTree(repository, folder);
  if (lies !== "something else") return lies;
  await runGit(["worktree", "repair"], { cwd: repository.top });
  return stateOfTree(repository, folder);
}

interface Preparing {
  readonly repository: Repository;
  readonly free: string[];
  readonly folder: string;
  readonly window: Window;
  readonly has: "begun" | "not begun";
}

async function prepareTree(place: GitTreesPlace, preparing: Preparing): Promise<PreparedTree | Broken> {
  const { repository, folder, has } = preparing;
  const lies = await mendedTree(repository, folder);
  if (lies === "not known") return broken(`git does not say what lies in ${folder}`);
  if (lies === "tree") {
    if (has === "begun") return ready(place, repository, folder);
    await removeTree(repository.top, folder);
  } else if (lies === "something else") setAside(folder);
  const problem = await newTree(preparing, place.pool);
  if (problem !== undefined) return broken(`a working tree cannot be made: ${problem}`);
  return furnished(place, repository, folder);
}

async function newTree({ repository, free, folder, window }: Preparing, pool: string): Promise<string | undefined> {
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

/** [V7, V9] An item's work behind what is merged before it, or the conflict that keeps it out. */
async function mergeWork(
  place: GitTreesPlace,
  { top: cwd }: Repository,
  request: MergeRequest,
): ReturnType<Trees["merge"]> {
  const { work, commit, tip, title, fork } = request;
  if (commit === null) return { kind: "merged", commit: tip };
  const marked = await stillMarked(cwd, request);
  if (marked) return marked;
  if (tip === work.base) return merged(place, cwd, fork, commit);
  const result = await replay({ cwd, base: work.base, commit, onto: tip, title });
  if (result.kind === "failed") return broken(`${work.child} cannot be merged: ${result.problem}`);
  if (result.kind === "replayed") return merged(place, cwd, fork, result.commit);
  const { tree, files } = result;
  await keepRef(cwd, itemRef(place.castId, `${work.child}-conflict`), tree);
  return { kind: "conflicted", onto: tip, tree, files: [...files], reason: await conflictReason(cwd, result) };
}

async function merged(place: GitTreesPlace, cwd: string, fork: number, commit: string): ReturnType<Trees["merge"]> {
  const ref = itemRef(place.castId, `merged-${fork}`);
  return (await keepRef(cwd, ref, commit)) ? { kind: "merged", commit } : broken(`the name ${ref} cannot be written`);
}

/** [V9] Files that were to be mended and still hold the marks of the conflict are no result. */
async function stillMarked(
  cwd: string,
  { work, commit, tip }: MergeRequest,
): Promise<Awaited<ReturnType<Trees["merge"]>> | undefined> {
  const { conflict } = work;
  if (!conflict || commit === null) return undefined;
  const files: string[] = [];
  for (const file of conflict.files) if (await hasMarks(cwd, commit, file)) files.push(file);
  const tree = files.length === 0 ? undefined : await treeOf(cwd, commit);
  if (tree === undefined) return undefined;
  const said = "The marks of the conflict are still in these files.";
  return { kind: "conflicted", onto: tip, tree, files, reason: await conflictReason(cwd, { tree, files, said }) };
}

/** A folder of the project may be anywhere below the top of its repository. */
function ready({ cwd }: GitTreesPlace, { top }: Repository, folder: string): PreparedTree {
  const below = relative(top, realpathSync(cwd));
  return { kind: "ready", cwd: below === "" || below.startsWith("..") ? folder : join(folder, below) };
}

/** What git does not keep and an item needs: copied, so that nothing done to it reaches the person's own. */
async function furnished(place: GitTreesPlace, repository: Repository, folder: string): Promise<PreparedTree | Broken> {
  const { copy = [], setup } = place.worktree;
  const tree = ready(place, repository, folder);
  for (const name of copy) {
    const [from, to] = [resolve(place.cwd, name), resolve(tree.cwd, name)];
    const isInside = !isAbsolute(name) && to.startsWith(`${folder}${sep}`);
    if (!isInside) return broken(`worktree.copy names "${name}", which lies outside the project`);
    if (existsSync(from)) cpSync(from, to, { recursive: true, dereference: true });
  }
  const problem = setup ? await place.setUp(setup, tree.cwd) : undefined;
  return problem === undefined ? tree : broken(`worktree.setup failed: ${problem}`);
}

/** What is on the person's branch needs no name of ours; what could not be merged keeps its own. */
async function tidyUp(place: GitTreesPlace, repository: Repository, request: JoinRequest): Promise<void> {
  const { castId, trees, pool } = place;
  const { top } = repository;
  const prefix = `${castId}_${request.fork}_`;
  const made = existsSync(trees)
    ? readdirSync(trees).filter((name) => name.startsWith(prefix) && !isSetAside(name))
    : [];
  for (const name of made) {
    const tree = join(trees, name);
    if (!(await poolTree(repository, pool, tree))) await removeTree(top, tree);
  }
  const named = (ref: string): string => ref.slice(itemRef(castId, "").length);
  const done = (await listRefs(top, castId)).filter((ref) => {
    const name = named(ref);
    return name === `merged-${request.fork}` || (name.startsWith(prefix) && !request.unmerged.includes(name as CastId)); // as it was made
  });
  await dropRefs(top, done);
}

function broken(problem: string): Broken {
  return { kind: "broken", problem };
}
