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
import { errorText } from "../system/system-error.ts";
import { diffText, treeOf } from "./diff.ts";
import { takeCheckpoint } from "./take-checkpoint.ts";
import type { CachedWorktree } from "./cached-worktree.ts";
import { findRepository } from "./repository.ts";
import { castRef } from "./refs.ts";
import { openShadowIndex, type ShadowIndex } from "./shadow-index.ts";

/** The checkpoints of one cast, for as long as this process owns it. */
export interface CheckpointSession extends CastCheckpoints {
  /** What the cast begins from. */
  readonly takeFirst: () => Promise<InitialCheckpoint>;
  /** [Y6] What changed behind the last checkpoint while nobody drove the cast; nothing where nothing did. */
  readonly takeOutsideChanges: (last: string) => Promise<OutsideChanges | undefined>;
  readonly close: () => void;
}

export interface CheckpointContext {
  readonly castId: string;
  readonly cwd: string;
  /** Where casts are kept: no part of anybody's work. */
  readonly store: string;
  /** A folder of this cast for what nobody needs once it is driven no more. */
  readonly scratch: string;
  readonly now: () => Date;
  /** The tree that it works in, where this process has just made it. */
  readonly cachedWorktree?: CachedWorktree | undefined;
  /** Set where there is no room for more: so many bytes of changed files are read at the most. */
  readonly maxBytes?: number;
  /** [B36] Set where a checkpoint that does without a file is none: on another machine it would be gone. */
  readonly requiresAllFiles?: true;
}

type CommittedFiles = Exclude<InitialCheckpoint, MissingCheckpoint>;

/** Nothing here rejects: a cast goes on without what could not be kept. */
export function openCheckpointSession(place: CheckpointContext): CheckpointSession {
  let shadow: ShadowIndex | undefined;
  // What is known holds until something goes wrong; from then on git is asked.
  let { cachedWorktree: known } = place;
  const trees = new Map<string, string>();
  const close = (): void => {
    shadow?.close();
    shadow = undefined;
    known = undefined;
  };
  const open = async (): Promise<ShadowIndex | MissingCheckpoint> => {
    if (shadow) return shadow;
    const opened = await openShadowFor(place, known);
    if (!("problem" in opened)) shadow = opened;
    return opened;
  };
  const takeOnce = async (request: CheckpointRequest): Promise<Checkpoint | MissingCheckpoint | undefined> => {
    const { last, since, title } = request;
    // Until it is taken, what was kept before says nothing.
    const before = clearLastSnapshot(place.cachedWorktree);
    const opened = await open();
    if ("problem" in opened) return opened;
    const taken = await commitCheckpoint({ opened, place, trees }, { last, since, title });
    if ("problem" in taken) return taken;
    const { kept, counts } = taken;
    const missing = place.requiresAllFiles && describeMissing(kept.left);
    if (missing) return { problem: missing };
    const whole = matchesGitBytes(opened, kept) ? place.cachedWorktree : undefined;
    if (whole) recordLastSnapshot(whole, before, trees.get(kept.commit));
    if (kept.commit === since) return undefined;
    if (whole?.repository.head === since) whole.lastCheckpoint.changed = counts;
    if (counts === undefined)
      return { problem: "the checkpoint that its visit began from is gone from the repository" };
    // What was changed and changed back is no change of a visit.
    return counts.changed === 0 && kept.commit === last ? undefined : { ...kept, ...counts };
  };
  const take = async (request: CheckpointRequest): Promise<Checkpoint | MissingCheckpoint | undefined> => {
    const wasOpen = shadow !== undefined;
    const taken = await closeOnError(close, () => takeOnce(request));
    if (!taken || !("problem" in taken) || !wasOpen) return taken;
    // What was opened long ago may have been swept away, or damaged by a git that was killed: once more with a new one.
    close();
    return closeOnError(close, () => takeOnce(request));
  };
  return {
    take,
    close,
    takeFirst: () =>
      closeOnError(close, async () => {
        const opened = await open();
        if ("problem" in opened) return opened;
        return takeFirstCheckpoint({ opened, place, trees }, known);
      }),
    takeOutsideChanges: async (last) => withNames(await take({ last, since: last, title: "Meanwhile" })),
    describe: (from, to) => describeChanges(place.cwd, from, to),
  };
}

async function closeOnError<T>(close: () => void, work: () => Promise<T>): Promise<T | MissingCheckpoint> {
  try {
    return await work();
  } catch (thrown) {
    close();
    return { problem: errorText(thrown) };
  }
}

async function openShadowFor(
  place: CheckpointContext,
  known: CachedWorktree | undefined,
): Promise<ShadowIndex | MissingCheckpoint> {
  const how = { exclude: [place.store], folder: place.scratch, maxBytes: place.maxBytes };
  if (known)
    return openShadowIndex(known.repository, { ...how, settings: known.settings, attributes: known.attributes });
  const found = await findRepository(place.cwd);
  return found.kind === "none" ? { problem: found.why } : openShadowIndex(found.repository, how);
}

type LastSnapshot = CachedWorktree["lastCheckpoint"];

function clearLastSnapshot(known: CachedWorktree | undefined): LastSnapshot {
  const before = { tree: known?.lastCheckpoint.tree, changed: known?.lastCheckpoint.changed };
  if (known) Object.assign(known.lastCheckpoint, { tree: undefined, changed: undefined });
  return before;
}

/** A look that finds nothing changed leaves what was counted. */
function recordLastSnapshot(
  { lastCheckpoint: kept }: CachedWorktree,
  before: LastSnapshot,
  tree: string | undefined,
): void {
  Object.assign(kept, tree === before.tree ? before : { tree, changed: undefined });
}

/** Whether git itself would keep the same. */
function matchesGitBytes({ bytes }: ShadowIndex, { left }: CommittedFiles): boolean {
  return !bytes.differ && left === undefined;
}

/** What would be lost on the way; what nobody may read was never there for the cast. */
function describeMissing({ large = 0, nested = 0 }: OmittedFiles = {}): string | undefined {
  if (large + nested === 0) return undefined;
  const what = [
    ...(large > 0 ? [`${countedText(large, "new file")} of more than 50 MB`] : []),
    ...(nested > 0 ? [countedText(nested, "repository", "repositories")] : []),
  ];
  return `${what.join(" and ")} inside of the tree cannot travel: have git ignore them`;
}

function withNames(taken: Checkpoint | MissingCheckpoint | undefined): OutsideChanges | undefined {
  return taken && "commit" in taken ? { ...taken, names: taken.names ?? [] } : undefined;
}

interface CommitContext {
  readonly opened: ShadowIndex;
  readonly place: CheckpointContext;
  /** The trees of commits that were made here. */
  readonly trees: Map<string, string>;
}

async function takeFirstCheckpoint(
  keeping: CommitContext,
  known: CachedWorktree | undefined,
): Promise<CommittedFiles | MissingCheckpoint> {
  const { opened, trees } = keeping;
  const { head, tree } = opened.repository;
  trees.set(head, tree);
  if (known?.isClean !== true || opened.bytes.differ) {
    const taken = await commitCheckpoint(keeping, { last: head, title: "Begin" });
    return "problem" in taken ? taken : taken.kept;
  }
  // It is the commit itself: nothing has to be kept.
  opened.lastWritten.tree = tree;
  return { commit: head };
}

interface CountedCommit {
  readonly kept: CommittedFiles;
  /** What has changed since; nothing where that is gone. */
  readonly counts: ChangeCounts | undefined;
}

async function commitCheckpoint(
  { opened, place, trees }: CommitContext,
  { last, since, title }: Omit<CheckpointRequest, "since"> & { readonly since?: string },
): Promise<CountedCommit | MissingCheckpoint> {
  const tree = trees.get(last) ?? (await treeOf(opened.repository.top, last));
  if (tree === undefined) return { problem: "the checkpoint before it is gone from the repository" };
  const ref = castRef(place.castId);
  const at = place.now().toISOString();
  const from = since === undefined ? {} : { since };
  const taken = await takeCheckpoint(opened, { ref, parent: { commit: last, tree }, ...from, message: title, at });
  if (taken.kind === "failed") return { problem: taken.problem };
  trees.set(taken.commit, taken.tree);
  const left = Object.keys(taken.left).length === 0 ? {} : { left: taken.left };
  return { kept: { commit: taken.commit, ...left }, counts: taken.changed };
}

const MAX_STAT_CHARS = 4_000;
const MAX_PATCH_CHARS = 16_000;

/** [Y10] A table of files, and as much of the change itself as a prompt has room for. */
async function describeChanges(cwd: string, from: string, to: string): Promise<string> {
  if (from === to) return "(no file has been changed)";
  const span = { cwd, from, to };
  const stat = await diffText(span, { form: "stat" });
  const patch = await diffText(span, { form: "patch", maxBytes: 4 * MAX_PATCH_CHARS });
  if (!stat.ok || !patch.ok) return "(not known: the checkpoints are gone from the repository)";
  const text = (bytes: Buffer, most: number) => truncate(bytes.toString("utf8").trimEnd(), most);
  return `${text(stat.bytes, MAX_STAT_CHARS)}\n\n${text(patch.bytes, MAX_PATCH_CHARS)}`;
}
