import { mkdirSync, renameSync, rmSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { ItemCastInput } from "../../../core/cast/state/parallel-run.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import * as v from "valibot";
import type { CastId } from "../../../core/model/ids.ts";
import { failWith, ok, type Result } from "../../../core/model/issue.ts";
import { importPacks, createPack, maxReadableBytes } from "../../git/transfer/packs.ts";
import { restoreTransferredTree, type RestoredTree, type TreePosition } from "../../git/transfer/restore-tree.ts";
import { TreeSource } from "../../git/transfer/tree-source.ts";
import { isObjectId } from "../../git/repository.ts";
import type { CastFile } from "../../store/cast-file.ts";
import { sql, type Database } from "../../store/postgres/database.ts";
import type { PackSource } from "../../store/postgres/owned-cast.ts";
import type { CheckpointPolicy } from "../../store/cast-store.ts";
import type { ResolvedFleetProfile } from "../open-fleet.ts";
import { runSetups, type FetchTreeOptions } from "./run-setups.ts";
import { chownToToolsUser, lockTreeFolder } from "./tools-user-folders.ts";
import { headCommitOf } from "../../git/refs.ts";

/** The working trees of the casts that this worker runs. */
export interface WorkerTrees {
  /** The working directory of its agents and programs. */
  readonly cwdOf: (castId: CastId) => Promise<string>;
  /** [B55] Restores the present files of a cast in a folder of this worker. */
  readonly fetchTree: (file: CastFile, options: FetchTreeOptions) => Promise<Result<string>>;
  /** [B50] Fetches the commits of an item into the tree of its parent. Undefined if it changed no file; a problem if that fails. */
  readonly fetchItem: (child: CastId, parent: CastId) => Promise<TreePosition | string | undefined>;
  /** [B78] Closes the tree of a parked cast to the tools user, who may run another cast now. */
  readonly lockTree: (castId: CastId) => void;
  /** [B24] Restores the last checkpoint in a repository that no agent has touched. */
  readonly fetchCleanTree: (castId: CastId) => Promise<Result<CleanTree>>;
  readonly packFor: PackSource;
  /** [B35] Checks the size of changed files before it reads them. */
  readonly checkpointPolicy: (castId: CastId) => CheckpointPolicy;
  /** [B36] Why the last checkpoint of a cast failed, if it did. */
  readonly checkpointProblem: (castId: CastId) => string | undefined;
  readonly remove: (castId: CastId) => void;
}

export interface CleanTree {
  readonly top: string;
  readonly head: string;
  readonly ckpt: string;
  readonly remote: string | null;
  readonly remotes: readonly string[] | undefined;
}

interface TreeState {
  readonly top: string;
  head: string;
  ckpt: string;
  /** Commits of items and merges that are already in packs. */
  readonly sent: PackedCommits;
  checkpointProblem?: string | undefined;
}

interface PackRow extends TreePosition {
  readonly pack: Buffer;
}

function createPackReader(database: Database, folder: string, remotes: readonly string[] | undefined) {
  const place = { cacheFolder: join(folder, "repositories"), cacheSecret: randomUUID(), remotes };
  const packsOf = (castId: CastId): Promise<readonly PackRow[]> =>
    database.query<PackRow>(sql`select head, ckpt, pack from materia.packs where cast_id = ${castId} order by n`);
  return {
    /** [B77] Undefined if the cast has no files. */
    sourceOf: async (castId: CastId): Promise<Result<TreeSource | undefined>> => {
      const asked = sql`select source from materia.casts where cast_id = ${castId}`;
      const [cast] = await database.query<{ source: unknown }>(asked);
      const read = v.safeParse(v.nullish(TreeSource), cast?.source);
      if (read.success) return ok(read.output ?? undefined);
      const key = v.getDotPath(read.issues[0]) ?? "source";
      return failWith("bad_cast_file", castId, `cannot fetch its files: its "${key}" is invalid`);
    },
    restored: async (castId: CastId, source: TreeSource, into: string): Promise<RestoredTree> =>
      restoreTransferredTree({ packs: await packsOf(castId), source, folder: into, ...place }),
    /** [B50] The packs of the parent contain the commits that an item starts from. */
    restoredItem: async ({ castId, source, window }: ItemTree, into: string): Promise<RestoredTree> => {
      const { parent, base, tree } = window;
      const [before, own] = [await packsOf(parent), await packsOf(castId)];
      const position = own.at(-1) ?? { head: base, ckpt: tree ?? base };
      return restoreTransferredTree({
        packs: [...before, ...own],
        position,
        source,
        folder: into,
        ...place,
      });
    },
    fetchInto: async (castId: CastId, tree: string): Promise<TreePosition | string | undefined> => {
      const packs = await packsOf(castId);
      const unusable = await importPacks(
        tree,
        packs.map(({ pack }) => pack),
      );
      if (unusable) return `pack ${unusable.index} of ${castId} cannot be used: ${unusable.wrong}`;
      const last = packs.at(-1);
      return last && !(isObjectId(last.head) && isObjectId(last.ckpt)) ? `a pack of ${castId} names no commit` : last;
    },
  };
}

interface ItemTree {
  readonly castId: CastId;
  readonly source: TreeSource;
  readonly window: ItemCastInput;
}

export function createWorkerTrees(database: Database, folder: string, profile: ResolvedFleetProfile): WorkerTrees {
  const trees = new Map<CastId, TreeState>();
  const treeOf = (castId: CastId): string => join(folder, "trees", castId);
  const { sourceOf, restored, restoredItem, fetchInto } = createPackReader(database, folder, profile.remotes);
  const cleanTreeOf = (castId: CastId): string => join(folder, "results", castId);
  const fetchTree: WorkerTrees["fetchTree"] = async ({ castId, window, worktree }, options) => {
    const tree = treeOf(castId);
    const found = await sourceOf(castId);
    if (!found.ok) return found;
    const source = found.value;
    if (!source) {
      rmSync(tree, { recursive: true, force: true });
      mkdirSync(tree, { recursive: true, mode: 0o700 });
      chownToToolsUser(tree);
      return ok(tree);
    }
    // [B86] In a folder that no program of a cast can enter.
    const clean = cleanTreeOf(castId);
    const made = window ? await restoredItem({ castId, source, window }, clean) : await restored(castId, source, clean);
    if (made.kind === "failed") return failWith("damaged_pack", castId, `cannot fetch its files: ${made.problem}`);
    chownToToolsUser(clean);
    rmSync(tree, { recursive: true, force: true });
    mkdirSync(join(folder, "trees"), { recursive: true });
    renameSync(clean, tree);
    trees.set(castId, { top: tree, head: made.head, ckpt: made.ckpt, sent: createPackedCommits() });
    const cwd = join(tree, source.below);
    const problem = await runSetups(cwd, { setup: profile.setup, item: window && worktree?.setup }, options);
    return problem === undefined ? ok(cwd) : failWith("write_failed", castId, problem);
  };
  return {
    cwdOf: async (castId) => {
      const source = await sourceOf(castId);
      return join(treeOf(castId), source.ok ? (source.value?.below ?? "") : "");
    },
    fetchTree,
    fetchItem: (child, parent) => fetchInto(child, treeOf(parent)),
    lockTree: (castId) => lockTreeFolder(treeOf(castId)),
    fetchCleanTree: async (castId) => {
      const found = await sourceOf(castId);
      if (!found.ok) return found;
      const source = found.value;
      if (!source) return failWith("missing_checkpoints", castId, "it was submitted outside a git repository");
      const made = await restored(castId, source, cleanTreeOf(castId));
      if (made.kind === "failed") return failWith("damaged_pack", castId, made.problem);
      const { remotes } = profile;
      return ok({ top: cleanTreeOf(castId), head: made.head, ckpt: made.ckpt, remote: source.remote, remotes });
    },
    checkpointProblem: (castId) => trees.get(castId)?.checkpointProblem,
    remove: (castId) => {
      trees.delete(castId);
      rmSync(cleanTreeOf(castId), { recursive: true, force: true });
      rmSync(treeOf(castId), { recursive: true, force: true });
    },
    packFor: createPacker(trees, profile.maxCheckpointBytes),
    checkpointPolicy: (castId) => checkpointPolicyOf(profile, () => trees.get(castId)),
  };
}

function checkpointPolicyOf(
  { maxCheckpointBytes }: ResolvedFleetProfile,
  treeOf: () => TreeState | undefined,
): CheckpointPolicy {
  return {
    maxBytes: maxReadableBytes(maxCheckpointBytes),
    onCheckpoint: (problem) => {
      const tree = treeOf();
      if (tree) tree.checkpointProblem = problem;
    },
  };
}

/** [B36] Remembers why files could not be packed, for the failure of the cast. */
function createPacker(trees: ReadonlyMap<CastId, TreeState>, mostBytes: number): PackSource {
  return async (castId, events) => {
    const tree = trees.get(castId);
    const pack = tree && (await packSince(tree, events, mostBytes));
    if (tree && typeof pack === "string") tree.checkpointProblem = pack;
    return pack;
  };
}

/** [B36] Packs the commits since the last pack. Undefined if there are none; a problem if they cannot be packed. */
async function packSince(tree: TreeState, events: readonly CastEvent[], mostBytes: number): ReturnType<PackSource> {
  const missing = checkpointProblemIn(events);
  if (missing !== undefined) return missing;
  const ckpt = lastCheckpoint(events) ?? tree.ckpt;
  const work = itemCommits(events).filter((each) => !tree.sent.has(each));
  // An agent's commit of unchanged files moves only the head.
  const mayMove = ckpt !== tree.ckpt || work.length > 0 || events.some(({ type }) => type === "visit_completed");
  const head = (mayMove ? await headCommitOf(tree.top) : undefined) ?? tree.head;
  if (ckpt === tree.ckpt && head === tree.head && work.length === 0) return undefined;
  const exclude = [...new Set([tree.ckpt, tree.head, ...tree.sent.all()])];
  const packed = await createPack({ cwd: tree.top, include: [ckpt, head, ...work], exclude, maxBytes: mostBytes });
  if (packed.kind === "failed") return packed.problem;
  // If the pack is not written, neither are its events: the cast stops there.
  tree.head = head;
  tree.ckpt = ckpt;
  tree.sent.add(events);
  return { head, ckpt, bytes: packed.bytes };
}

function lastCheckpoint(events: readonly CastEvent[]): string | undefined {
  return events
    .flatMap((event) => ("files" in event && event.files && "commit" in event.files ? [event.files.commit] : []))
    .at(-1);
}

/** Why one of these events has no checkpoint: another machine would not have its files. */
function checkpointProblemIn(events: readonly CastEvent[]): string | undefined {
  for (const event of events)
    if ("files" in event && event.files && "problem" in event.files) return event.files.problem;
  return undefined;
}

/** Commits of items that are in packs already, as far as later commits may build on them. */
export interface PackedCommits {
  readonly has: (commit: string) => boolean;
  readonly all: () => readonly string[];
  readonly add: (events: readonly CastEvent[]) => void;
}

/** At most this many items are tracked while the first one is not merged; commits of others are packed twice. */
const MAX_UNMERGED = 64;

/**
 * Every pack excludes the commits of earlier packs. A merge contains all earlier merges, so the last merge and the unmerged
 * commits are enough: the list does not grow with the number of items.
 */
export function createPackedCommits(): PackedCommits {
  let tip: string | undefined;
  const unmerged = new Map<number, readonly string[]>();
  const addUnmerged = (index: number, commit: string | null): void => {
    if (commit !== null) unmerged.set(index, [...(unmerged.get(index) ?? []), commit]);
    const [oldest] = unmerged.keys();
    if (unmerged.size > MAX_UNMERGED && oldest !== undefined) unmerged.delete(oldest);
  };
  const addEvent = (event: CastEvent): void => {
    if (event.type === "loop_forked") {
      tip = event.base ?? undefined;
      unmerged.clear();
    }
    if (event.type === "item_ended") addUnmerged(event.index, event.commit);
    if (event.type === "item_conflicted") addUnmerged(event.index, event.tree);
    if (event.type === "item_merged") tip = event.commit;
    if (event.type === "item_merged" || event.type === "item_given_up") unmerged.delete(event.index);
  };
  const all = (): readonly string[] => [...(tip === undefined ? [] : [tip]), ...[...unmerged.values()].flat()];
  return {
    has: (commit) => all().includes(commit),
    all,
    add: (events) => {
      for (const event of events) addEvent(event);
    },
  };
}

/** [B50] The commits that items start from, made, and were merged to: the next worker needs all of them. */
export function itemCommits(events: readonly CastEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "loop_forked") return event.base ?? [];
    if (event.type === "item_ended") return event.commit ?? [];
    if (event.type === "item_merged") return event.commit;
    return event.type === "item_conflicted" ? event.tree : [];
  });
}
