import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { itemRef, type CastId } from "../../../core/model/ids.ts";
import { problemText } from "../../system/problem.ts";
import type { Broken, JoinRequest, KeptWork, Trees } from "../../ports.ts";
import type { KnownTree } from "../known-tree.ts";
import type { Repository } from "../repository.ts";
import { findForkPlace } from "./fork.ts";
import { joinTip } from "./join.ts";
import { keepItem, keepTravelled, type TravelledWork } from "./keep.ts";
import { mergeWork } from "./merge.ts";
import { openRepository, openedIn, type OpenRepository } from "./tree/open-repository.ts";
import { dropRefs, listRefs } from "./refs.ts";
import { poolTree } from "./tree/pool.ts";
import { prepareTree, type TreePlace } from "./tree/prepare.ts";
import { isSetAside, removeTree } from "./tree/tree.ts";

export interface GitTreesPlace extends TreePlace {
  readonly castId: CastId;
  /** Where casts are kept: no part of anybody's work. */
  readonly artifacts: string;
  /** Where working trees are made. */
  readonly trees: string;
}

/** Working trees of git for the items of one cast. */
export interface GitTrees extends Trees {
  /** What is known of the tree that an item works in, where this process has filled it. */
  readonly known: (child: CastId) => KnownTree | undefined;
  /** [B12] What was done elsewhere, whose objects are here by now, as a commit that nothing removes. */
  readonly keepTravelled: (child: CastId, work: Omit<TravelledWork, "ref">) => Promise<KeptWork | Broken>;
}

export function openGitTrees(place: GitTreesPlace): GitTrees {
  /** Trees whose work is kept, to be used again: making one takes long in a large repository. */
  const free: string[] = [];
  const known = new Map<CastId, KnownTree>();
  let opening: Promise<OpenRepository | Broken> | undefined;
  const open = async (): Promise<OpenRepository | Broken> => {
    const opened = await (opening ??= openRepository(place.cwd));
    // It may be there the next time.
    if ("kind" in opened) opening = undefined;
    return opened;
  };
  return {
    fork: async () => {
      const found = await findForkPlace(place.cwd, place.artifacts);
      if (found.kind === "refused") return found;
      opening = Promise.resolve(openedIn(found.repository));
      return { kind: "forked", base: found.repository.head };
    },
    prepare: async (child, window, has) => {
      const opened = await open();
      if ("kind" in opened) return opened;
      known.delete(child);
      try {
        const folder = join(place.trees, child);
        const prepared = await prepareTree(place, { opened, free, folder, window, has });
        if ("kind" in prepared) return prepared;
        if (prepared.known) known.set(child, prepared.known);
        return prepared.tree;
      } catch (thrown) {
        return broken(`a working tree cannot be made: ${problemText(thrown)}`);
      }
    },
    keep: async (child, { base }, title) => {
      const opened = await open();
      if ("kind" in opened) return opened;
      const tree = join(place.trees, child);
      const ref = itemRef(place.castId, child);
      const { isFree, work } = await keepItem(opened, { tree, ref, base, title, known: known.get(child) });
      if (isFree) free.push(tree);
      return work;
    },
    merge: async (request) => {
      const opened = await open();
      return "kind" in opened ? opened : mergeWork(place.castId, opened, request);
    },
    join: async (request) => {
      const opened = await open();
      if ("kind" in opened) return opened;
      const joined = await joinTip(opened, request);
      if (joined.kind === "joined") await tidyUp(place, opened.repository, request);
      return joined;
    },
    known: (child) => known.get(child),
    keepTravelled: async (child, work) => {
      const opened = await open();
      return "kind" in opened ? opened : keepTravelled(opened, { ...work, ref: itemRef(place.castId, child) });
    },
  };
}

/** What is on the person's branch needs no name of ours; what could not be merged keeps its own. */
async function tidyUp(place: GitTreesPlace, repository: Repository, request: JoinRequest): Promise<void> {
  const { castId, trees } = place;
  const prefix = `${castId}_${request.fork}_`;
  const made = existsSync(trees)
    ? readdirSync(trees).filter((name) => name.startsWith(prefix) && !isSetAside(name))
    : [];
  const left = made.map(async (name) => {
    const tree = join(trees, name);
    if (!(await poolTree(repository, place.pool, tree))) await removeTree(repository.top, tree);
  });
  await Promise.all([...left, dropDone(castId, repository, request)]);
}

async function dropDone(castId: CastId, repository: Repository, { fork, unmerged }: JoinRequest): Promise<void> {
  const prefix = `${castId}_${fork}_`;
  const named = (ref: string): string => ref.slice(itemRef(castId, "").length);
  const done = (await listRefs(repository, castId)).filter((ref) => {
    const name = named(ref);
    return name === `merged-${fork}` || (name.startsWith(prefix) && !unmerged.includes(name as CastId)); // as it was made
  });
  await dropRefs(repository, done);
}

function broken(problem: string): Broken {
  return { kind: "broken", problem };
}
