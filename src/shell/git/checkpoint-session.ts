import type {
  ChangeCounts,
  Checkpoint,
  InitialCheckpoint,
  OmittedFiles,
  OutsideChanges,
  MissingCheckpoint,
} from "../../core/model/checkpoint.ts";
import { truncate, countedText } from "../../core/model/text.ts";
import type { CastCheckpoints, CheckpointRequest } from "../ports.ts";
import { errorText } from "../system/files.ts";
import { diffText, isResolution, readFileLines, treeOf } from "./diff.ts";
import { takeCheckpoint } from "./take-checkpoint.ts";
import type { CachedWorktree } from "./cached-worktree.ts";
import { findRepository } from "./repository.ts";
import { castRef } from "./refs.ts";
import { openShadowIndex, type ShadowIndex } from "./shadow-index.ts";

export interface CheckpointSession extends CastCheckpoints {
  readonly takeFirst: () => Promise<InitialCheckpoint>;
  /** [Y6] Changes since the last checkpoint while nobody ran the cast; undefined if there are none. */
  readonly takeOutsideChanges: (last: string) => Promise<OutsideChanges | undefined>;
  readonly close: () => void;
}

export interface CheckpointContext {
  readonly castId: string;
  readonly hasBranch?: boolean;
  readonly cwd: string;
  /** The folder of casts: excluded from checkpoints. */
  readonly store: string;
  readonly scratch: string;
  readonly now: () => Date;
  readonly cachedWorktree?: CachedWorktree | undefined;
  readonly maxBytes?: number;
  /** [B36] Set if a checkpoint must not skip a file: another machine would not have it. */
  readonly requiresAllFiles?: true;
}

type CommittedFiles = Exclude<InitialCheckpoint, MissingCheckpoint>;

/** Nothing here rejects: a cast continues without a failed checkpoint. */
export function openCheckpointSession(context: CheckpointContext): CheckpointSession {
  let shadow: ShadowIndex | undefined;
  // Cached facts hold until something fails; then git is asked.
  let { cachedWorktree: cached } = context;
  const trees = new Map<string, string>();
  const close = (): void => {
    shadow?.close();
    shadow = undefined;
    cached = undefined;
  };
  const open = async (): Promise<ShadowIndex> => (shadow ??= await openShadowFor(context, cached));
  const closeOnError = async <T>(work: () => Promise<T>): Promise<T | MissingCheckpoint> => {
    try {
      return await work();
    } catch (thrown) {
      close();
      return { problem: errorText(thrown) };
    }
  };
  const takeOnce = async (request: CheckpointRequest): Promise<Checkpoint | undefined> => {
    const { last, since } = request;
    // Until it is taken, the cached checkpoint is unknown.
    const before = clearLastSnapshot(context.cachedWorktree);
    const opened = await open();
    const { kept, counts } = await commitCheckpoint({ opened, context, trees }, request);
    if (context.requiresAllFiles) refuseMissingFiles(kept.left);
    // If git would store the same bytes.
    const whole = opened.bytes.differ || kept.left ? undefined : context.cachedWorktree;
    if (whole) recordLastSnapshot(whole, before, trees.get(kept.commit));
    if (kept.commit === since) return undefined;
    if (whole?.repository.head === since) whole.lastCheckpoint.changed = counts;
    if (counts === undefined) throw new Error("the repository no longer has the first checkpoint of the visit");
    // A change that was undone is no change of the visit.
    return counts.changed === 0 && kept.commit === last ? undefined : { ...kept, ...counts };
  };
  const take = async (request: CheckpointRequest): Promise<Checkpoint | MissingCheckpoint | undefined> => {
    const wasOpen = shadow !== undefined;
    const taken = await closeOnError(() => takeOnce(request));
    // An old shadow may have been removed, or damaged by a killed git: retry with a new one.
    return taken && "problem" in taken && wasOpen ? closeOnError(() => takeOnce(request)) : taken;
  };
  return {
    take,
    close,
    takeFirst: () => closeOnError(async () => takeFirstCheckpoint({ opened: await open(), context, trees }, cached)),
    takeOutsideChanges: async (last) => {
      const taken = await take({ last, since: last, title: "Meanwhile" });
      return taken && "commit" in taken ? { ...taken, names: taken.names ?? [] } : undefined;
    },
    describe: (from, to, contextLines) => describeChanges(context.cwd, { from, to, contextLines }),
    linesOf: (commit, path) => readFileLines(context.cwd, commit, `./${path}`),
    isResolution: (marked, resolved) => isResolution({ cwd: context.cwd, from: marked, to: resolved }),
  };
}

async function openShadowFor(context: CheckpointContext, known: CachedWorktree | undefined): Promise<ShadowIndex> {
  const how = { exclude: [context.store], folder: context.scratch, maxBytes: context.maxBytes };
  if (known)
    return openShadowIndex(known.repository, { ...how, settings: known.settings, attributes: known.attributes });
  const found = await findRepository(context.cwd);
  if (found.kind === "none") throw new Error(found.why);
  return openShadowIndex(found.repository, how);
}

type LastSnapshot = CachedWorktree["lastCheckpoint"];

function clearLastSnapshot(known: CachedWorktree | undefined): LastSnapshot {
  const before = { tree: known?.lastCheckpoint.tree, changed: known?.lastCheckpoint.changed };
  if (known) Object.assign(known.lastCheckpoint, { tree: undefined, changed: undefined });
  return before;
}

function recordLastSnapshot(
  { lastCheckpoint: kept }: CachedWorktree,
  before: LastSnapshot,
  tree: string | undefined,
): void {
  Object.assign(kept, tree === before.tree ? before : { tree, changed: undefined });
}

/** [B36] Files that would be lost; unreadable files never existed for the cast. */
function refuseMissingFiles({ large = 0, nested = 0 }: OmittedFiles = {}): void {
  if (large + nested === 0) return;
  const what = [
    ...(large > 0 ? [`${countedText(large, "new file")} of more than 50 MB`] : []),
    ...(nested > 0 ? [countedText(nested, "nested repository", "nested repositories")] : []),
  ].join(" and ");
  throw new Error(`${what} cannot be sent to a fleet: add ${large + nested === 1 ? "it" : "them"} to .gitignore`);
}

interface CommitContext {
  readonly opened: ShadowIndex;
  readonly context: CheckpointContext;
  /** The trees of commits that were made here. */
  readonly trees: Map<string, string>;
}

async function takeFirstCheckpoint(keeping: CommitContext, known: CachedWorktree | undefined): Promise<CommittedFiles> {
  const { opened, trees } = keeping;
  const { head, tree } = opened.repository;
  trees.set(head, tree);
  if (known?.isClean !== true || opened.bytes.differ)
    return (await commitCheckpoint(keeping, { last: head, title: "Begin" })).kept;
  // It is the commit itself: nothing has to be stored.
  opened.lastWritten.tree = tree;
  return { commit: head };
}

/** `counts` are the changes since then; undefined if that commit is gone. */
async function commitCheckpoint(
  { opened, context, trees }: CommitContext,
  { last, since, title }: Omit<CheckpointRequest, "since"> & { readonly since?: string },
): Promise<{ readonly kept: CommittedFiles; readonly counts: ChangeCounts | undefined }> {
  const tree = trees.get(last) ?? (await treeOf(opened.repository.top, last));
  if (tree === undefined) throw new Error("the repository no longer has the last checkpoint");
  const ref = castRef(context.castId, context.hasBranch);
  const at = context.now().toISOString();
  const taken = await takeCheckpoint(opened, { ref, parent: { commit: last, tree }, since, message: title, at });
  trees.set(taken.commit, taken.tree);
  const left = Object.keys(taken.left).length === 0 ? {} : { left: taken.left };
  return { kept: { commit: taken.commit, ...left }, counts: taken.changed };
}

const MAX_STAT_CHARS = 4_000;
const MAX_PATCH_CHARS = 16_000;
const MAX_WIDE_PATCH_BYTES = 8_000;

/** [Y10, Y16] A table of files, and as much of the diff as a prompt may hold. */
async function describeChanges(
  cwd: string,
  { from, to, contextLines = 3 }: { from: string; to: string; contextLines: number | undefined },
): Promise<string> {
  if (from === to) return "";
  const span = { cwd, from, to };
  const patchWith = (lines: number, maxBytes: number) =>
    diffText(span, { form: "patch", contextLines: lines, maxBytes });
  const stat = await diffText(span, { form: "stat" });
  const wide = await patchWith(contextLines, contextLines > 3 ? MAX_WIDE_PATCH_BYTES : 4 * MAX_PATCH_CHARS);
  const patch = contextLines > 3 && !(wide.ok && !wide.isCut) ? await patchWith(3, 4 * MAX_PATCH_CHARS) : wide;
  if (!stat.ok || !patch.ok) return "(not known: the checkpoints are gone from the repository)";
  const table = truncate(stat.bytes.toString("utf8").trimEnd(), MAX_STAT_CHARS);
  const whole = patch.bytes.toString("utf8").replace(REPEATED_HEADERS, "").trimEnd();
  // A whole diff of one file needs no table.
  if (whole.length <= MAX_PATCH_CHARS && !patch.isCut && table.includes("\n 1 file changed")) return whole;
  return `${table}\n\n${truncate(whole, MAX_PATCH_CHARS)}`;
}

/** The names stand below them, and nobody can use the hashes. */
const REPEATED_HEADERS = /^(?:diff --git .*\n)?index .*\n(?=--- )/gm;
