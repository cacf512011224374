import type {
  Changed,
  Checkpoint,
  FirstCheckpoint,
  LeftOut,
  Meanwhile,
  NoCheckpoint,
} from "../../core/model/values/checkpoint.ts";
import { cut } from "../../core/model/values/text.ts";
import { countedText } from "../../core/view/numbers.ts";
import type { CastCheckpoints, CheckpointRequest } from "../ports.ts";
import { problemText } from "../system/problem.ts";
import { diffText, treeOf } from "./changes.ts";
import { takeCheckpoint } from "./checkpoint.ts";
import type { KnownTree } from "./known-tree.ts";
import { findRepository } from "./repository.ts";
import { castRef } from "./cast-ref.ts";
import { openShadow, type Shadow } from "./shadow.ts";

/** The checkpoints of one cast, for as long as this process owns it. */
export interface OpenCheckpoints extends CastCheckpoints {
  /** What the cast begins from. */
  readonly begin: () => Promise<FirstCheckpoint>;
  /** [Y6] What changed behind the last checkpoint while nobody drove the cast; nothing where nothing did. */
  readonly meanwhile: (last: string) => Promise<Meanwhile | undefined>;
  readonly close: () => void;
}

export interface CheckpointPlace {
  readonly castId: string;
  readonly cwd: string;
  /** Where casts are kept: no part of anybody's work. */
  readonly store: string;
  /** A folder of this cast for what nobody needs once it is driven no more. */
  readonly scratch: string;
  readonly now: () => Date;
  /** The tree that it works in, where this process has just made it. */
  readonly known?: KnownTree | undefined;
  /** Set where there is no room for more: so many bytes of changed files are read at the most. */
  readonly mostBytes?: number;
  /** [B8] Set where a checkpoint that does without a file is none: on another machine it would be gone. */
  readonly isWhole?: true;
}

type Kept = Exclude<FirstCheckpoint, NoCheckpoint>;

/** Nothing here rejects: a cast goes on without what could not be kept. */
export function openCheckpoints(place: CheckpointPlace): OpenCheckpoints {
  let shadow: Shadow | undefined;
  // What is known holds until something goes wrong; from then on git is asked.
  let { known } = place;
  const trees = new Map<string, string>();
  const close = (): void => {
    shadow?.close();
    shadow = undefined;
    known = undefined;
  };
  const open = async (): Promise<Shadow | NoCheckpoint> => {
    if (shadow) return shadow;
    const opened = await shadowOf(place, known);
    if (!("problem" in opened)) shadow = opened;
    return opened;
  };
  const takeOnce = async (request: CheckpointRequest): Promise<Checkpoint | NoCheckpoint | undefined> => {
    const { last, since, title } = request;
    // Until it is taken, what was kept before says nothing.
    const before = forgetKept(place.known);
    const opened = await open();
    if ("problem" in opened) return opened;
    const taken = await commitAfter({ opened, place, trees }, { last, since, title });
    if ("problem" in taken) return taken;
    const { kept, counts } = taken;
    const missing = place.isWhole && missingIn(kept.left);
    if (missing) return { problem: missing };
    const whole = isWhole(opened, kept) ? place.known : undefined;
    if (whole) rememberKept(whole, before, trees.get(kept.commit));
    if (kept.commit === since) return undefined;
    if (whole?.repository.head === since) whole.kept.changed = counts;
    if (counts === undefined)
      return { problem: "the checkpoint that its visit began from is gone from the repository" };
    // What was changed and changed back is no change of a visit.
    return counts.changed === 0 && kept.commit === last ? undefined : { ...kept, ...counts };
  };
  const take = async (request: CheckpointRequest): Promise<Checkpoint | NoCheckpoint | undefined> => {
    const wasOpen = shadow !== undefined;
    const taken = await guarded(close, () => takeOnce(request));
    if (!taken || !("problem" in taken) || !wasOpen) return taken;
    // What was opened long ago may have been swept away, or damaged by a git that was killed: once more with a new one.
    close();
    return guarded(close, () => takeOnce(request));
  };
  return {
    take,
    close,
    begin: () =>
      guarded(close, async () => {
        const opened = await open();
        if ("problem" in opened) return opened;
        return beginFrom({ opened, place, trees }, known);
      }),
    meanwhile: async (last) => namedOf(await take({ last, since: last, title: "Meanwhile" })),
    describe: (from, to) => describeChanges(place.cwd, from, to),
  };
}

async function guarded<T>(close: () => void, work: () => Promise<T>): Promise<T | NoCheckpoint> {
  try {
    return await work();
  } catch (thrown) {
    close();
    return { problem: problemText(thrown) };
  }
}

async function shadowOf(place: CheckpointPlace, known: KnownTree | undefined): Promise<Shadow | NoCheckpoint> {
  const how = { leaveOut: [place.store], folder: place.scratch, mostBytes: place.mostBytes };
  if (known) return openShadow(known.repository, { ...how, settings: known.settings, attributes: known.attributes });
  const found = await findRepository(place.cwd);
  return found.kind === "none" ? { problem: found.why } : openShadow(found.repository, how);
}

type LastKept = KnownTree["kept"];

function forgetKept(known: KnownTree | undefined): LastKept {
  const before = { tree: known?.kept.tree, changed: known?.kept.changed };
  if (known) Object.assign(known.kept, { tree: undefined, changed: undefined });
  return before;
}

/** A look that finds nothing changed leaves what was counted. */
function rememberKept({ kept }: KnownTree, before: LastKept, tree: string | undefined): void {
  Object.assign(kept, tree === before.tree ? before : { tree, changed: undefined });
}

/** Whether git itself would keep the same. */
function isWhole({ bytes }: Shadow, { left }: Kept): boolean {
  return !bytes.differ && left === undefined;
}

/** What would be lost on the way; what nobody may read was never there for the cast. */
function missingIn({ large = 0, nested = 0 }: LeftOut = {}): string | undefined {
  if (large + nested === 0) return undefined;
  const what = [
    ...(large > 0 ? [`${countedText(large, "new file")} of more than 50 MB`] : []),
    ...(nested > 0 ? [countedText(nested, "repository", "repositories")] : []),
  ];
  return `${what.join(" and ")} inside of the tree cannot travel: have git ignore them`;
}

function namedOf(taken: Checkpoint | NoCheckpoint | undefined): Meanwhile | undefined {
  return taken && "commit" in taken ? { ...taken, names: taken.names ?? [] } : undefined;
}

interface Keeping {
  readonly opened: Shadow;
  readonly place: CheckpointPlace;
  /** The trees of commits that were made here. */
  readonly trees: Map<string, string>;
}

async function beginFrom(keeping: Keeping, known: KnownTree | undefined): Promise<Kept | NoCheckpoint> {
  const { opened, trees } = keeping;
  const { head, tree } = opened.repository;
  trees.set(head, tree);
  if (known?.isClean !== true || opened.bytes.differ) {
    const taken = await commitAfter(keeping, { last: head, title: "Begin" });
    return "problem" in taken ? taken : taken.kept;
  }
  // It is the commit itself: nothing has to be kept.
  opened.written.tree = tree;
  return { commit: head };
}

interface Counted {
  readonly kept: Kept;
  /** What has changed since; nothing where that is gone. */
  readonly counts: Changed | undefined;
}

async function commitAfter(
  { opened, place, trees }: Keeping,
  { last, since, title }: Omit<CheckpointRequest, "since"> & { readonly since?: string },
): Promise<Counted | NoCheckpoint> {
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

const MOST_STAT = 4_000;
const MOST_PATCH = 16_000;

/** [Y10] A table of files, and as much of the change itself as a prompt has room for. */
async function describeChanges(cwd: string, from: string, to: string): Promise<string> {
  if (from === to) return "(no file has been changed)";
  const span = { cwd, from, to };
  const stat = await diffText(span, { form: "stat" });
  const patch = await diffText(span, { form: "patch", mostBytes: 4 * MOST_PATCH });
  if (!stat.ok || !patch.ok) return "(not known: the checkpoints are gone from the repository)";
  const text = (bytes: Buffer, most: number) => cut(bytes.toString("utf8").trimEnd(), most);
  return `${text(stat.bytes, MOST_STAT)}\n\n${text(patch.bytes, MOST_PATCH)}`;
}
