import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { UtilityMateria } from "../../../core/model/materia.ts";
import { error, fail, ok } from "../../../core/model/issue.ts";
import type { Result } from "../../../core/model/issue.ts";
import { headOf, makePack, mostToRead } from "../../git/packs/packs.ts";
import { restoreTree } from "../../git/packs/travelling-tree.ts";
import type { Restored, TreeSource } from "../../git/packs/travelling-tree.ts";
import { runUtility } from "../../run/utility/run-utility.ts";
import type { Database } from "../../store/postgres/database/database.ts";
import type { PackOf } from "../../store/postgres/owned.ts";
import type { Keeping } from "../../store/cast-store.ts";
import type { Profile } from "../open/profile.ts";
import { giveToTools } from "./tools-folder.ts";

/** The working trees of the casts that this worker drives. */
export interface Trees {
  /** Where its agents and programs will work. */
  readonly cwdOf: (castId: CastId) => Promise<string>;
  /** [B9] The files of a cast as they stand, in a folder of this worker. */
  readonly bring: (castId: CastId, signal: AbortSignal) => Promise<Result<string>>;
  /** [B24] The files that were kept, in a repository that nobody has worked in. */
  readonly bringFresh: (castId: CastId) => Promise<Result<FreshTree>>;
  readonly packOf: PackOf;
  /** [B8] What is changed here is weighed before it is read. */
  readonly keeping: (castId: CastId) => Keeping;
  /** [B8] Why the files of a cast could not be kept, since they were brought here. */
  readonly unkept: (castId: CastId) => string | undefined;
  readonly forget: (castId: CastId) => void;
}

export interface FreshTree {
  readonly top: string;
  readonly head: string;
  readonly ckpt: string;
  readonly remote: string | null;
}

interface Standing {
  readonly top: string;
  head: string;
  ckpt: string;
  unkept?: string | undefined;
}

interface PackRow {
  readonly head: string;
  readonly ckpt: string;
  readonly pack: Buffer;
}

const SETUP_MS = 20 * 60_000;

export function openTrees(database: Database, folder: string, profile: Profile): Trees {
  const standing = new Map<CastId, Standing>();
  const treeOf = (castId: CastId): string => join(folder, "trees", castId);
  const sourceOf = async (castId: CastId): Promise<TreeSource | undefined> => {
    const text = "select source from materia.casts where cast_id = $1";
    const [cast] = await database.rows<{ source: TreeSource | null }>({ text, values: [castId] });
    return cast?.source ?? undefined;
  };
  const restored = async (castId: CastId, source: TreeSource, into: string): Promise<Restored> => {
    const packs = await database.rows<PackRow>({
      text: "select head, ckpt, pack from materia.packs where cast_id = $1 order by n",
      values: [castId],
    });
    return restoreTree({ packs, source, folder: into, caches: join(folder, "repositories") });
  };
  const freshOf = (castId: CastId): string => join(folder, "results", castId);
  const bring = async (castId: CastId, signal: AbortSignal): Promise<Result<string>> => {
    const tree = treeOf(castId);
    const source = await sourceOf(castId);
    if (!source) {
      rmSync(tree, { recursive: true, force: true });
      mkdirSync(tree, { recursive: true, mode: 0o700 });
      giveToTools(tree);
      return ok(tree);
    }
    const made = await restored(castId, source, tree);
    if (made.kind === "failed")
      return fail(error("damaged_pack", castId, `its files cannot be brought here: ${made.problem}`));
    standing.set(castId, { top: tree, head: made.head, ckpt: made.ckpt });
    giveToTools(tree);
    const problem = profile.setup && (await setUp(profile.setup, made.cwd, signal));
    return problem === undefined ? ok(made.cwd) : fail(error("cannot_write", castId, `setup failed: ${problem}`));
  };
  return {
    cwdOf: async (castId) => join(treeOf(castId), (await sourceOf(castId))?.below ?? ""),
    bring,
    bringFresh: async (castId) => {
      const source = await sourceOf(castId);
      if (!source) return fail(error("no_checkpoints", castId, "it was submitted from no repository"));
      const made = await restored(castId, source, freshOf(castId));
      if (made.kind === "failed") return fail(error("damaged_pack", castId, made.problem));
      return ok({ top: freshOf(castId), head: made.head, ckpt: made.ckpt, remote: source.remote });
    },
    unkept: (castId) => standing.get(castId)?.unkept,
    forget: (castId) => {
      standing.delete(castId);
      rmSync(freshOf(castId), { recursive: true, force: true });
      rmSync(treeOf(castId), { recursive: true, force: true });
    },
    packOf: packer(standing, profile.maxCheckpointBytes),
    keeping: (castId) => ({
      mostBytes: mostToRead(profile.maxCheckpointBytes),
      onTaken: (problem) => {
        const stands = standing.get(castId);
        if (stands) stands.unkept = problem;
      },
    }),
  };
}

/** [B8] Remembers why files could not be kept, for whoever has to say so. */
function packer(standing: ReadonlyMap<CastId, Standing>, mostBytes: number): PackOf {
  return async (castId, events) => {
    const stands = standing.get(castId);
    const pack = stands && (await packSince(stands, events, mostBytes));
    if (stands && typeof pack === "string") stands.unkept = pack;
    return pack;
  };
}

/** [B8] What the files have become since the pack before, or why that cannot be kept. */
async function packSince(stands: Standing, events: readonly CastEvent[], mostBytes: number): ReturnType<PackOf> {
  const missing = missingFiles(events);
  if (missing !== undefined) return missing;
  const ckpt = lastCommit(events);
  if (ckpt === undefined || ckpt === stands.ckpt) return undefined;
  const head = (await headOf(stands.top)) ?? stands.head;
  const exclude = [...new Set([stands.ckpt, stands.head])];
  const packed = await makePack({ cwd: stands.top, include: [ckpt, head], exclude, mostBytes });
  if (packed.kind === "failed") return packed.problem;
  // If it is not written, nothing is any more: the cast stops there.
  stands.head = head;
  stands.ckpt = ckpt;
  return { head, ckpt, bytes: packed.bytes };
}

/** The last checkpoint that these events speak of. */
function lastCommit(events: readonly CastEvent[]): string | undefined {
  return events
    .flatMap((event) => ("files" in event && event.files && "commit" in event.files ? [event.files.commit] : []))
    .at(-1);
}

/** Why one of these events has no checkpoint: on another machine its files would be gone. */
function missingFiles(events: readonly CastEvent[]): string | undefined {
  for (const event of events)
    if ("files" in event && event.files && "problem" in event.files) return event.files.problem;
  return undefined;
}

async function setUp(command: readonly string[], cwd: string, signal: AbortSignal): Promise<string | undefined> {
  const materia: UtilityMateria = { type: "utility", command: [...command], timeoutMs: SETUP_MS };
  const outcome = await runUtility({ materia, input: {}, cwd, signal });
  return outcome.kind === "failed" ? outcome.reason : undefined;
}
