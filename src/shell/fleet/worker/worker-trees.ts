import { mkdirSync, renameSync, rmSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { ItemCastInput } from "../../../core/cast/state/parallel-run.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import * as v from "valibot";
import type { CastId } from "../../../core/model/ids.ts";
import { failWith, ok, type Result } from "../../../core/model/issue.ts";
import { importPacks, createPack, maxReadableBytes } from "../../git/transfer/packs.ts";
import {
  restoreTransferredTree,
  type RestoredTree,
  type TreePosition,
  TreeSource,
} from "../../git/transfer/restore-tree.ts";
import { isObjectId } from "../../git/repository.ts";
import type { CastFile } from "../../store/cast-file.ts";
import { sql, type Database } from "../../store/postgres/database.ts";
import type { PackSource } from "../../store/postgres/owned-cast.ts";
import type { CheckpointPolicy } from "../../store/cast-store.ts";
import type { ResolvedFleetProfile } from "../open-fleet.ts";
import { runSetupCommand } from "../../run/run-utility.ts";
import { chownToToolsUser, lockTreeFolder } from "./tools-user-folders.ts";
import { headCommitOf } from "../../git/refs.ts";

export type WorkerTrees = ReturnType<typeof createWorkerTrees>;

interface TreeState {
  readonly top: string;
  head: string;
  ckpt: string;
  /** Commits of items and merges that are already in packs. */
  readonly sent: ReturnType<typeof createPackedCommits>;
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
    restored: async (
      castId: CastId,
      source: TreeSource,
      { into, window }: { readonly into: string; readonly window?: ItemCastInput | undefined },
    ): Promise<RestoredTree> => {
      const own = await packsOf(castId);
      if (!window) return restoreTransferredTree({ packs: own, source, folder: into, ...place });
      // [B50] The packs of the parent contain the commits that an item starts from.
      const packs = [...(await packsOf(window.parent)), ...own];
      const position = own.at(-1) ?? { head: window.base, ckpt: window.tree ?? window.base };
      return restoreTransferredTree({ packs, position, source, folder: into, ...place });
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

/** The working trees of the casts that this worker runs. */
export function createWorkerTrees(database: Database, folder: string, profile: ResolvedFleetProfile) {
  const trees = new Map<CastId, TreeState>();
  const treeOf = (castId: CastId): string => join(folder, "trees", castId);
  const { sourceOf, restored, fetchInto } = createPackReader(database, folder, profile.remotes);
  const cleanTreeOf = (castId: CastId): string => join(folder, "results", castId);
  const skillsOf = (castId: CastId): string => join(folder, "trees", `${castId}.skills`);
  return {
    /** [YP18] Beside the tree, where its agents can read. */
    skillsOf,
    /** The working directory of its agents and programs. */
    cwdOf: async (castId: CastId): Promise<string> => {
      const source = await sourceOf(castId);
      return join(treeOf(castId), source.ok ? (source.value?.below ?? "") : "");
    },
    /** [B55] Restores the present files of a cast in a folder of this worker. */
    fetchTree: async ({ castId, window, worktree }: CastFile, options: FetchTreeOptions): Promise<Result<string>> => {
      const tree = treeOf(castId);
      const found = await sourceOf(castId);
      if (!found.ok) return found;
      const source = found.value;
      if (!source) return ok(createEmptyTree(tree));
      // [B86] In a folder that no program of a cast can enter.
      const clean = cleanTreeOf(castId);
      const made = await restored(castId, source, { into: clean, window });
      if (made.kind === "failed") return failWith("damaged_pack", castId, `cannot fetch its files: ${made.problem}`);
      chownToToolsUser(clean);
      rmSync(tree, { recursive: true, force: true });
      mkdirSync(join(folder, "trees"), { recursive: true });
      renameSync(clean, tree);
      trees.set(castId, { top: tree, head: made.head, ckpt: made.ckpt, sent: createPackedCommits() });
      const cwd = join(tree, source.below);
      const setups = { setup: profile.setup, "worktree.setup": window && worktree?.setup };
      const problem = await runSetups(cwd, setups, options);
      return problem === undefined ? ok(cwd) : failWith("write_failed", castId, problem);
    },
    /** [B50] Fetches the commits of an item into the tree of its parent. Undefined if it changed no file; a problem if that fails. */
    fetchItem: (child: CastId, parent: CastId) => fetchInto(child, treeOf(parent)),
    /** [B78] Closes the tree of a parked cast to the tools user, who may run another cast now. */
    lockTree: (castId: CastId): void => lockTreeFolder(treeOf(castId)),
    /** [B24] Restores the last checkpoint in a repository that no agent has touched. */
    fetchCleanTree: async (castId: CastId) => {
      const found = await sourceOf(castId);
      if (!found.ok) return found;
      const source = found.value;
      if (!source) return failWith("missing_checkpoints", castId, "it was submitted outside a git repository");
      const top = cleanTreeOf(castId);
      const made = await restored(castId, source, { into: top });
      if (made.kind === "failed") return failWith("damaged_pack", castId, made.problem);
      return ok({ top, head: made.head, ckpt: made.ckpt, remote: source.remote, remotes: profile.remotes });
    },
    /** [B36] Why the last checkpoint of a cast failed, if it did. */
    checkpointProblem: (castId: CastId) => trees.get(castId)?.checkpointProblem,
    remove: (castId: CastId): void => {
      trees.delete(castId);
      for (const gone of [cleanTreeOf(castId), treeOf(castId), skillsOf(castId)])
        rmSync(gone, { recursive: true, force: true });
    },
    packFor: createPacker(trees, profile.maxCheckpointBytes),
    /** [B35] Checks the size of changed files before it reads them. */
    checkpointPolicy: (castId: CastId): CheckpointPolicy => ({
      maxBytes: maxReadableBytes(profile.maxCheckpointBytes),
      onCheckpoint: (problem) => {
        const tree = trees.get(castId);
        if (tree) tree.checkpointProblem = problem;
      },
    }),
  };
}

function createEmptyTree(tree: string): string {
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true, mode: 0o700 });
  chownToToolsUser(tree);
  return tree;
}

export interface FetchTreeOptions {
  readonly signal: AbortSignal;
  /** Called before a program sets the tree up, which may take long. */
  readonly onSetup: () => Promise<void>;
}

/** [B52] Runs the programs of these settings. Returns why one failed. */
async function runSetups(
  cwd: string,
  setups: Readonly<Record<"setup" | "worktree.setup", readonly string[] | undefined>>,
  { signal, onSetup }: FetchTreeOptions,
): Promise<string | undefined> {
  for (const setting of ["setup", "worktree.setup"] as const) {
    const command = setups[setting];
    if (!command) continue;
    await onSetup();
    const problem = await runSetupCommand({ setting, command, cwd, signal });
    if (problem !== undefined) return `${setting} failed: ${problem}`;
  }
  return undefined;
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
  const checkpoints = events.flatMap((event) => ("files" in event && event.files ? [event.files] : []));
  // Another machine would not have its files.
  for (const files of checkpoints) if ("problem" in files) return files.problem;
  const last = checkpoints.findLast((files) => "commit" in files);
  const ckpt = last?.commit ?? tree.ckpt;
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

/** At most this many items are tracked while the first one is not merged; commits of others are packed twice. */
const MAX_UNMERGED = 64;

/**
 * Every pack excludes the commits of earlier packs. A merge contains all earlier merges, so the last merge and the unmerged
 * commits are enough: the list does not grow with the number of items.
 */
export function createPackedCommits() {
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
    has: (commit: string): boolean => all().includes(commit),
    all,
    add: (events: readonly CastEvent[]): void => {
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
