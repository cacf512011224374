import type { CastId } from "../core/model/ids.ts";
import type { ItemResult, ItemCommit, MergeOutcome } from "../core/cast/decide-items.ts";
import type { ItemResume, ItemCastInput, ItemRunFields, ParallelRun } from "../core/cast/state/parallel-run.ts";
import type { CastStart, CastState, SleepingPhase } from "../core/cast/state/state.ts";
import type { Usage } from "../core/cast/state/usage.ts";

/** Runs the items of a parallel loop. Every function is idempotent. */
export interface ItemRunner {
  /** [V16] The commit from which items start, or why they cannot run at once. */
  readonly findBase: (signal: AbortSignal) => Promise<ParallelBase>;
  readonly run: (item: ItemRequest) => Promise<ItemOutcome>;
  readonly merge: (item: MergeRequest) => Promise<MergeOutcome | ItemsFailure>;
  readonly join: (tip: JoinRequest) => Promise<JoinOutcome>;
  /** [V14] Present when other workers run the items: aborts them, and resolves when they have ended. */
  readonly abort?: (children: readonly CastId[]) => Promise<void>;
}

export type ParallelBase =
  | { readonly kind: "forked"; readonly base: string; readonly branch?: string | null }
  | ItemsRefusal;

export interface ItemsRefusal {
  readonly kind: "refused";
  /** The end of a sentence. */
  readonly reason: string;
}

export interface ItemsFailure {
  readonly kind: "broken";
  readonly problem: string;
}

export interface ItemRequest {
  readonly fork: number;
  readonly work: ItemRunFields;
  readonly start: CastStart;
  readonly title: string;
  readonly parent: Pick<CastState, "budget" | "usage" | "largest">;
  readonly countedUsage: Usage;
  /** Set when a failed item continues. */
  readonly resume: ItemResume | null;
  readonly signal: AbortSignal;
}

export type ItemOutcome =
  | { readonly kind: "ended"; readonly end: ItemResult }
  | { readonly kind: "aborted" }
  /** [Z12] Its provider refuses until a time. */
  | { readonly kind: "asleep"; readonly sleep: SleepingPhase }
  | ItemsFailure;

export interface MergeRequest {
  readonly fork: number;
  readonly work: ItemRunFields;
  readonly title: string;
  readonly commit: string | null;
  readonly tip: string;
}

export interface JoinRequest {
  readonly fork: number;
  readonly base: string;
  /** The branch that was checked out when the loop was entered. */
  readonly branch: ParallelRun["branch"];
  readonly tip: string;
  readonly unmerged: readonly CastId[];
}

export type JoinOutcome = { readonly kind: "joined"; readonly commit: string } | ItemsRefusal | ItemsFailure;

/** Working trees of items, and the merge of their work. Every function is idempotent. */
export interface ItemWorktrees extends Pick<ItemRunner, "findBase" | "merge" | "join"> {
  /** A folder with the files of an item; created again for an item that has not started. */
  readonly prepare: (
    child: CastId,
    window: ItemCastInput,
    progress: ItemTreeProgress,
  ) => Promise<PreparedWorktree | ItemsFailure>;
  /** Commits all work in the tree under a ref; the commit is null when nothing changed. */
  readonly saveWork: (request: SaveWorkRequest) => Promise<SavedWork | ItemsFailure>;
}

/** How far an item is. A lost tree of a begun item is rebuilt from its checkpoint, if it has one. */
export type ItemTreeProgress = "not begun" | { readonly checkpoint: string | undefined; readonly hasWorked: boolean };

export interface SaveWorkRequest {
  readonly child: CastId;
  readonly window: ItemCastInput;
  readonly title: string;
  readonly checkpoint: string | undefined;
}

export interface PreparedWorktree {
  readonly kind: "ready";
  readonly cwd: string;
}

export interface SavedWork extends ItemCommit {
  readonly kind: "kept";
}
