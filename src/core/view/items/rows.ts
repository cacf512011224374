import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import { itemKey } from "../../model/handoff.ts";
import { itemGitRef, type CastId } from "../../model/ids.ts";
import type { ChangeCounts } from "../../model/values/checkpoint.ts";

/** [V21] One item of a parallel loop: the cast that worked on it last, and what became of its work. */
export interface ItemRow {
  readonly loop: string;
  /** Which time the cast worked on items at once. */
  readonly fork: number;
  readonly index: number;
  readonly key: string;
  readonly title: string;
  readonly child: CastId;
  readonly attempt: number;
  readonly status: ItemStatus;
  /** Whether its own cast gave it up. */
  readonly gaveUp: boolean;
  /** Where its files began, its work, and where that is merged. */
  readonly base: string;
  readonly commit: string | null;
  readonly merged: string | null;
  readonly files: ChangeCounts | null;
  /** The files in which it conflicted last. */
  readonly conflicts: readonly string[];
  /** The name that keeps its work, where that is not on the branch. */
  readonly ref: string | null;
  /** [B12] The worker of a fleet that has it, or had it last. */
  readonly worker?: string;
}

/** `dropped`: its work stayed in conflict and is left out. */
export type ItemStatus = "running" | "failed" | "ended" | "conflicted" | "merged" | "joined" | "dropped";

/** What is merged of a fork and not yet on the branch. */
export interface PendingMerge {
  readonly loop: string;
  readonly base: string;
  readonly commit: string;
  readonly ref: string;
}

export interface ItemTable {
  readonly rows: readonly ItemRow[];
  /** Set while the last fork has merged items that the branch has not. */
  readonly waiting: PendingMerge | null;
}

/** Read off the events alone, in one pass. */
export function buildItemTable(castId: CastId, events: Iterable<CastEvent>): ItemTable {
  const rows = new Map<string, ItemRow>();
  let fork = 0;
  let waiting: PendingMerge | null = null;
  let base = "";
  const change = (index: number, next: (row: ItemRow) => ItemRow): void => {
    const row = rows.get(`${fork}/${index}`);
    if (row) rows.set(`${fork}/${index}`, next(row));
  };
  for (const event of events)
    switch (event.type) {
      case "loop_forked":
        if (event.base === null) break;
        fork += 1;
        ({ base } = event);
        break;
      case "item_started":
        rows.set(`${fork}/${event.index}`, startedRow(fork, event));
        break;
      case "item_ended":
        change(event.index, (row) => endedRow(castId, row, event));
        break;
      case "item_conflicted":
        change(event.index, (row) => ({ ...row, status: "conflicted", conflicts: event.files }));
        break;
      case "item_given_up":
        change(event.index, (row) => (row.status === "conflicted" ? { ...row, status: "dropped" } : row));
        break;
      case "item_merged":
        change(event.index, (row) => ({ ...row, status: "merged", merged: event.commit }));
        if (event.commit !== base)
          waiting = { loop: event.loop, base, commit: event.commit, ref: itemGitRef(castId, `merged-${fork}`) };
        break;
      case "loop_joined":
        waiting = null;
        for (const [key, row] of rows)
          if (row.fork === fork && row.status === "merged") rows.set(key, { ...row, status: "joined", ref: null });
        break;
      default:
        break;
    }
  return { rows: [...rows.values()].toSorted((a, b) => a.fork - b.fork || a.index - b.index), waiting };
}

function startedRow(fork: number, { loop, index, title, child, attempt, base }: EventOf<"item_started">): ItemRow {
  const none = { gaveUp: false, commit: null, merged: null, files: null, conflicts: [], ref: null };
  return { loop, fork, index, key: itemKey(index), title, child, attempt, status: "running", base, ...none };
}

function endedRow(castId: CastId, row: ItemRow, event: EventOf<"item_ended">): ItemRow {
  const { outcome, commit, files = null, gaveUp, worker } = event;
  const status = outcome === "failed" || outcome === "aborted" ? "failed" : "ended";
  const ref = commit === null ? null : itemGitRef(castId, row.child);
  return {
    ...row,
    status,
    commit,
    files,
    gaveUp: gaveUp !== undefined,
    ref,
    ...(worker === undefined ? {} : { worker }),
  };
}
