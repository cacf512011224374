import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ItemCastInput } from "../../../core/cast/state/parallel-run.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { parentCastId, type CastId } from "../../../core/model/ids.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
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

/** The working trees of the casts that this worker drives. */
export interface WorkerTrees {
  /** Where its agents and programs will work. */
  readonly cwdOf: (castId: CastId) => Promise<string>;
  /** [B55] The files of a cast as they stand, in a folder of this worker. */
  readonly fetchTree: (file: CastFile, how: FetchTreeOptions) => Promise<Result<string>>;
  /** [B50] The files of an item into the tree of its parent; nothing where it has changed none. A sentence where they cannot be had. */
  readonly fetchItem: (child: CastId, parent: CastId) => Promise<TreePosition | string | undefined>;
  /** [B25] What this process has written into a tree belongs to whoever works there. */
  readonly chownTree: (castId: CastId) => void;
  /** [B24] The files that were kept, in a repository that nobody has worked in. */
  readonly fetchCleanTree: (castId: CastId) => Promise<Result<CleanTree>>;
  readonly packFor: PackSource;
  /** [B35] What is changed here is weighed before it is read. */
  readonly checkpointPolicy: (castId: CastId) => CheckpointPolicy;
  /** [B36] Why the files of a cast could not be kept, since they were brought here. */
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
  /** What was sent besides: the work of items, and what it was merged to. */
  readonly sent: PackedCommits;
  unkept?: string | undefined;
}

interface PackRow extends TreePosition {
  readonly pack: Buffer;
}

/** What the database keeps of the files of casts. */
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
    /** [B50] What an item begins from stands in the packs of its parent. */
    restoredItem: async ({ castId, source, window }: ItemTree, into: string): Promise<RestoredTree> => {
      const { parent, base, tree } = window;
      const [before, own] = [await packsOf(parent), await packsOf(castId)];
      const stands = own.at(-1) ?? { head: base, ckpt: tree ?? base };
      return restoreTransferredTree({
        packs: [...before, ...own],
        position: stands,
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
  const standing = new Map<CastId, TreeState>();
  const treeOf = (castId: CastId): string => join(folder, "trees", castId);
  const { sourceOf, restored, restoredItem, fetchInto } = createPackReader(database, folder);
  const freshOf = (castId: CastId): string => join(folder, "results", castId);
  const fetchTree: WorkerTrees["fetchTree"] = async ({ castId, window, worktree }, { signal, onSetup }) => {
    const tree = treeOf(castId);
    const source = await sourceOf(castId);
    if (!source) {
      rmSync(tree, { recursive: true, force: true });
      mkdirSync(tree, { recursive: true, mode: 0o700 });
      chownToToolsUser(tree);
      return ok(tree);
    }
    // Who submits a cast writes what it is started with, but cannot give it the name of an item.
    const isItem = window !== undefined && window.parent === parentCastId(castId);
    const made = isItem ? await restoredItem({ castId, source, window }, tree) : await restored(castId, source, tree);
    if (made.kind === "failed")
      return fail(error("damaged_pack", castId, `its files cannot be brought here: ${made.problem}`));
    standing.set(castId, { top: tree, head: made.head, ckpt: made.ckpt, sent: createPackedCommits() });
    chownToToolsUser(tree);
    const setups = [
      { setting: "setup", command: profile.setup },
      { setting: "worktree.setup", command: window && worktree?.setup },
    ] as const;
    for (const { setting, command } of setups) {
      if (!command) continue;
      await onSetup();
      const problem = await runSetupCommand({ setting, command, cwd: made.cwd, signal });
      if (problem !== undefined) return fail(error("write_failed", castId, `${setting} failed: ${problem}`));
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
      if (!source) return fail(error("missing_checkpoints", castId, "it was submitted from no repository"));
      const made = await restored(castId, source, freshOf(castId));
      if (made.kind === "failed") return fail(error("damaged_pack", castId, made.problem));
      return ok({ top: freshOf(castId), head: made.head, ckpt: made.ckpt, remote: source.remote });
    },
    checkpointProblem: (castId) => standing.get(castId)?.unkept,
    remove: (castId) => {
      standing.delete(castId);
      rmSync(freshOf(castId), { recursive: true, force: true });
      rmSync(treeOf(castId), { recursive: true, force: true });
    },
    packFor: createPacker(standing, profile.maxCheckpointBytes),
    checkpointPolicy: (castId) => ({
      maxBytes: maxReadableBytes(profile.maxCheckpointBytes),
      onCheckpoint: (problem) => {
        const stands = standing.get(castId);
        if (stands) stands.unkept = problem;
      },
    }),
  };
}

/** [B36] Remembers why files could not be kept, for whoever has to say so. */
function createPacker(standing: ReadonlyMap<CastId, TreeState>, mostBytes: number): PackSource {
  return async (castId, events) => {
    const stands = standing.get(castId);
    const pack = stands && (await packSince(stands, events, mostBytes));
    if (stands && typeof pack === "string") stands.unkept = pack;
    return pack;
  };
}

/** [B36] What the files have become since the pack before, or why that cannot be kept. */
async function packSince(stands: TreeState, events: readonly CastEvent[], mostBytes: number): ReturnType<PackSource> {
  const missing = checkpointProblemIn(events);
  if (missing !== undefined) return missing;
  const ckpt = lastCheckpoint(events) ?? stands.ckpt;
  const work = itemCommits(events).filter((each) => !stands.sent.has(each));
  // An agent that commits what lies there already changes no file.
  const mayMove = ckpt !== stands.ckpt || work.length > 0 || events.some(({ type }) => type === "visit_completed");
  const head = (mayMove ? await headCommitOf(stands.top) : undefined) ?? stands.head;
  if (ckpt === stands.ckpt && head === stands.head && work.length === 0) return undefined;
  const exclude = [...new Set([stands.ckpt, stands.head, ...stands.sent.all()])];
  const packed = await createPack({ cwd: stands.top, include: [ckpt, head, ...work], exclude, maxBytes: mostBytes });
  if (packed.kind === "failed") return packed.problem;
  // If it is not written, nothing is any more: the cast stops there.
  stands.head = head;
  stands.ckpt = ckpt;
  stands.sent.add(events);
  return { head, ckpt, bytes: packed.bytes };
}

/** The last checkpoint that these events speak of. */
function lastCheckpoint(events: readonly CastEvent[]): string | undefined {
  return events
    .flatMap((event) => ("files" in event && event.files && "commit" in event.files ? [event.files.commit] : []))
    .at(-1);
}

/** Why one of these events has no checkpoint: on another machine its files would be gone. */
function checkpointProblemIn(events: readonly CastEvent[]): string | undefined {
  for (const event of events)
    if ("files" in event && event.files && "problem" in event.files) return event.files.problem;
  return undefined;
}

/** What of the work of items is in packs already, as far as what comes next may build on it. */
export interface PackedCommits {
  readonly has: (commit: string) => boolean;
  readonly all: () => readonly string[];
  readonly add: (events: readonly CastEvent[]) => void;
}

/** Where the first of a long list takes longer than all others these wait to be merged; what is left out is sent once more. */
const MAX_UNMERGED = 64;

/**
 * Every pack leaves out what the packs before it hold. What is merged holds all that was merged before it: with that, and what
 * is not merged yet, as little is named behind the thousandth item as behind the first.
 */
export function createPackedCommits(): PackedCommits {
  let tip: string | undefined;
  const unmerged = new Map<number, readonly string[]>();
  const keep = (index: number, commit: string | null): void => {
    if (commit !== null) unmerged.set(index, [...(unmerged.get(index) ?? []), commit]);
    const [oldest] = unmerged.keys();
    if (unmerged.size > MAX_UNMERGED && oldest !== undefined) unmerged.delete(oldest);
  };
  const hear = (event: CastEvent): void => {
    if (event.type === "loop_forked") {
      tip = event.base ?? undefined;
      unmerged.clear();
    }
    if (event.type === "item_ended") keep(event.index, event.commit);
    if (event.type === "item_conflicted") keep(event.index, event.tree);
    if (event.type === "item_merged") tip = event.commit;
    if (event.type === "item_merged" || event.type === "item_given_up") unmerged.delete(event.index);
  };
  const all = (): readonly string[] => [...(tip === undefined ? [] : [tip]), ...[...unmerged.values()].flat()];
  return {
    has: (commit) => all().includes(commit),
    all,
    add: (events) => {
      for (const event of events) hear(event);
    },
  };
}

/** [B50] What items begin from, what they did and what it was merged to: whoever goes on with the cast needs all of it. */
export function itemCommits(events: readonly CastEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "loop_forked") return event.base ?? [];
    if (event.type === "item_ended") return event.commit ?? [];
    if (event.type === "item_merged") return event.commit;
    return event.type === "item_conflicted" ? event.tree : [];
  });
}
