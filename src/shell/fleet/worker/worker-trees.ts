import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ItemCastInput } from "../../../core/cast/state/parallel-run.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { parentCastId, type CastId } from "../../../core/model/ids.ts";
import { failWith, ok, type Result } from "../../../core/model/issue.ts";
import { importPacks, createPack, maxReadableBytes } from "../../git/transfer/packs.ts";
import {
  restoreTransferredTree,
  type RestoredTree,
  type TreePosition,
  type TreeSource,
} from "../../git/transfer/restore-tree.ts";
import { headCommitOf } from "../../git/repository.ts";
import { runSetupCommand } from "../../run/run-utility.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { Database } from "../../store/postgres/database.ts";
import type { PackSource } from "../../store/postgres/owned-cast.ts";
import type { CheckpointPolicy } from "../../store/cast-store.ts";
import type { ResolvedFleetProfile } from "../open-fleet.ts";
import { chownToToolsUser } from "./tools-user-folders.ts";

/** The working trees of the casts that this worker runs. */
export interface WorkerTrees {
  /** The working directory of its agents and programs. */
  readonly cwdOf: (castId: CastId) => Promise<string>;
  /** [B55] Restores the present files of a cast in a folder of this worker. */
  readonly fetchTree: (file: CastFile, options: FetchTreeOptions) => Promise<Result<string>>;
  /** [B50] Fetches the commits of an item into the tree of its parent. Undefined if it changed no file; a problem if that fails. */
  readonly fetchItem: (child: CastId, parent: CastId) => Promise<TreePosition | string | undefined>;
  /** [B25] Gives a tree to the tools user after this process has written into it. */
  readonly chownTree: (castId: CastId) => void;
  /** [B24] Restores the last checkpoint in a repository that no agent has touched. */
  readonly fetchCleanTree: (castId: CastId) => Promise<Result<CleanTree>>;
  readonly packFor: PackSource;
  /** [B35] Checks the size of changed files before it reads them. */
  readonly checkpointPolicy: (castId: CastId) => CheckpointPolicy;
  /** [B36] Why the last checkpoint of a cast failed, if it did. */
  readonly checkpointProblem: (castId: CastId) => string | undefined;
  readonly remove: (castId: CastId) => void;
}

export interface FetchTreeOptions {
  readonly signal: AbortSignal;
  /** Called before a program sets the tree up, which may take long. */
  readonly onSetup: () => Promise<void>;
}

export interface CleanTree {
  readonly top: string;
  readonly head: string;
  readonly ckpt: string;
  readonly remote: string | null;
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

/** Reads the packs of casts from the database. */
function createPackReader(database: Database, folder: string) {
  const caches = join(folder, "repositories");
  const packsOf = (castId: CastId): Promise<readonly PackRow[]> =>
    database.query<PackRow>({
      text: "select head, ckpt, pack from materia.packs where cast_id = $1 order by n",
      values: [castId],
    });
  return {
    sourceOf: async (castId: CastId): Promise<TreeSource | undefined> => {
      const text = "select source from materia.casts where cast_id = $1";
      const [cast] = await database.query<{ source: TreeSource | null }>({ text, values: [castId] });
      return cast?.source ?? undefined;
    },
    restored: async (castId: CastId, source: TreeSource, into: string): Promise<RestoredTree> =>
      restoreTransferredTree({ packs: await packsOf(castId), source, folder: into, cacheFolder: caches }),
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
        cacheFolder: caches,
      });
    },
    fetchInto: async (castId: CastId, tree: string): Promise<TreePosition | string | undefined> => {
      const packs = await packsOf(castId);
      const unusable = await importPacks(
        tree,
        packs.map(({ pack }) => pack),
      );
      return unusable ? `pack ${unusable.index} of ${castId} cannot be used: ${unusable.wrong}` : packs.at(-1);
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
  const { sourceOf, restored, restoredItem, fetchInto } = createPackReader(database, folder);
  const cleanTreeOf = (castId: CastId): string => join(folder, "results", castId);
  const fetchTree: WorkerTrees["fetchTree"] = async ({ castId, window, worktree }, { signal, onSetup }) => {
    const tree = treeOf(castId);
    const source = await sourceOf(castId);
    if (!source) {
      rmSync(tree, { recursive: true, force: true });
      mkdirSync(tree, { recursive: true, mode: 0o700 });
      chownToToolsUser(tree);
      return ok(tree);
    }
    // The submitter writes `window` too, but cannot choose the id of an item.
    const isItem = window !== undefined && window.parent === parentCastId(castId);
    const made = isItem ? await restoredItem({ castId, source, window }, tree) : await restored(castId, source, tree);
    if (made.kind === "failed") return failWith("damaged_pack", castId, `cannot fetch its files: ${made.problem}`);
    trees.set(castId, { top: tree, head: made.head, ckpt: made.ckpt, sent: createPackedCommits() });
    chownToToolsUser(tree);
    const setups = [
      { setting: "setup", command: profile.setup },
      { setting: "worktree.setup", command: window && worktree?.setup },
    ] as const;
    for (const { setting, command } of setups) {
      if (!command) continue;
      await onSetup();
      const problem = await runSetupCommand({ setting, command, cwd: made.cwd, signal });
      if (problem !== undefined) return failWith("write_failed", castId, `${setting} failed: ${problem}`);
    }
    return ok(made.cwd);
  };
  return {
    cwdOf: async (castId) => join(treeOf(castId), (await sourceOf(castId))?.below ?? ""),
    fetchTree,
    fetchItem: (child, parent) => fetchInto(child, treeOf(parent)),
    chownTree: (castId) => chownToToolsUser(treeOf(castId)),
    fetchCleanTree: async (castId) => {
      const source = await sourceOf(castId);
      if (!source) return failWith("missing_checkpoints", castId, "it was submitted outside a git repository");
      const made = await restored(castId, source, cleanTreeOf(castId));
      if (made.kind === "failed") return failWith("damaged_pack", castId, made.problem);
      return ok({ top: cleanTreeOf(castId), head: made.head, ckpt: made.ckpt, remote: source.remote });
    },
    checkpointProblem: (castId) => trees.get(castId)?.checkpointProblem,
    remove: (castId) => {
      trees.delete(castId);
      rmSync(cleanTreeOf(castId), { recursive: true, force: true });
      rmSync(treeOf(castId), { recursive: true, force: true });
    },
    packFor: createPacker(trees, profile.maxCheckpointBytes),
    checkpointPolicy: (castId) => ({
      maxBytes: maxReadableBytes(profile.maxCheckpointBytes),
      onCheckpoint: (problem) => {
        const tree = trees.get(castId);
        if (tree) tree.checkpointProblem = problem;
      },
    }),
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

/** The last checkpoint in these events. */
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
