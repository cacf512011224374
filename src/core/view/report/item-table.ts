import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import { itemKey } from "../../model/handoff.ts";
import { itemGitRef, type CastId } from "../../model/ids.ts";
import type { ChangeCounts } from "../../model/checkpoint.ts";
import { sanitizeForTerminal } from "../../model/text.ts";
import { fileCountsText } from "../file-changes.ts";
import { titleText, conflictFilesText, shortCommit } from "./handoff-lines.ts";
import { padColumns, line, shortenToFit, toned, type Line, type Tone } from "../line.ts";

/** [V21] One item of a parallel loop: its last cast, and the outcome of its work. */
export interface ItemRow {
  readonly loop: string;
  /** The number of the parallel run, from 1. */
  readonly fork: number;
  readonly index: number;
  readonly key: string;
  readonly title: string;
  readonly child: CastId;
  readonly attempt: number;
  readonly status: ItemStatus;
  readonly gaveUp: boolean;
  /** The commit of its start, of its work, and of its merge. */
  readonly base: string;
  readonly commit: string | null;
  readonly merged: string | null;
  readonly files: ChangeCounts | null;
  /** The files of its last conflict. */
  readonly conflicts: readonly string[];
  /** The git ref of its work, if that is not on the branch. */
  readonly ref: string | null;
  /** [B54] Its current or last worker. */
  readonly worker?: string;
}

/** `dropped`: the conflict stayed unresolved, so the branch lacks its work. */
export type ItemStatus = "running" | "failed" | "ended" | "conflicted" | "merged" | "joined" | "dropped";

export interface PendingMerge {
  readonly loop: string;
  readonly base: string;
  readonly commit: string;
  readonly ref: string;
}

export interface ItemTable {
  readonly rows: readonly ItemRow[];
  /** Set while the branch lacks merged items of the last parallel run. */
  readonly waiting: PendingMerge | null;
}

/** Reads the events once; needs no state. */
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
  const ended = { ...row, status, commit, files, gaveUp: gaveUp !== undefined, ref } as const;
  return worker === undefined ? ended : { ...ended, worker };
}

export interface ItemTableOptions {
  readonly alive: boolean;
  readonly width: number;
  /** The worktrees of item casts, by cast id; only those with work that no commit has. */
  readonly trees: ReadonlyMap<string, string>;
  /** Quarantined files that no commit can hold, by cast id. */
  readonly aside: ReadonlyMap<string, readonly string[]>;
  /** [V39] The command that fetches these commits, if they are on another machine. */
  readonly fetch?: string;
}

/** [V21, V39] One line for each item, with git commands for work that is not on the branch. */
export function itemTableLines({ rows, waiting }: ItemTable, shown: ItemTableOptions): readonly Line[] {
  if (rows.length === 0) return [];
  const { alive, width, trees, aside, fetch } = shown;
  const ids = rows.reduce((most, { child }) => Math.max(most, child.length), 0);
  const isAway = waiting !== null || rows.some((row) => itemAccessLines(row, trees).length > 0);
  return [
    [],
    line(toned("strong", "Items")),
    ...rows.flatMap((row) => [
      shortenToFit(itemRowParts(row, ids, alive), width),
      ...itemAccessLines(row, trees),
      ...(aside.get(row.child) ?? []).map((place) => placeLine("set aside", place)),
    ]),
    ...(waiting
      ? [line(toned("rework", "What is merged is not on the branch yet:")), ...gitCommandLines(waiting)]
      : []),
    ...(fetch !== undefined && isAway
      ? [line(toned("dim", "These commits come here with "), toned("accent", sanitizeForTerminal(fetch)))]
      : []),
  ];
}

/** The cast id comes first and uncut: people copy it, and it names item and attempt. */
function itemRowParts(row: ItemRow, ids: number, alive: boolean): Parameters<typeof shortenToFit>[0] {
  const [tone, mark, words] = itemStatusWords(row, alive);
  const outcome = row.files === null ? words : `${words} · ${fileCountsText(row.files)}`;
  // In little space the title matters more than the worker.
  const by = row.worker === undefined ? "" : `  on ${sanitizeForTerminal(row.worker)}`;
  const before = line(toned(tone, `${mark} `), `${padColumns(row.child, ids)}  `, toned(tone, `${outcome}  `));
  return { before, long: toned("dim", `${titleText(row.title, 200)}${by}`), after: [] };
}

function itemStatusWords(row: ItemRow, alive: boolean): readonly [Tone, string, string] {
  const { status, gaveUp, commit, merged, conflicts } = row;
  switch (status) {
    case "running":
      return alive ? ["accent", "▸", "at work"] : ["rework", "‖", "stopped in the middle"];
    case "failed":
      return ["bad", "✗", "failed"];
    case "ended":
      return ["plain", "·", commit === null ? "finished, no change" : "finished, not merged"];
    case "conflicted":
    case "dropped":
      return ["bad", "✗", `left out: conflicts in ${conflictFilesText(conflicts, 1)}`];
    case "merged":
    case "joined": {
      const words = commit === null ? "no change" : `merged as ${shortCommit(merged ?? "")}`;
      return gaveUp ? ["bad", "✗", `given up, ${words}`] : ["ok", "✓", words];
    }
  }
}

/** Only work that is not on the branch needs commands. */
function itemAccessLines({ status, base, ref, child }: ItemRow, trees: ItemTableOptions["trees"]): readonly Line[] {
  const tree = trees.get(child);
  if (tree !== undefined) return [placeLine("its files", tree)];
  const isOut = status === "dropped" || status === "conflicted" || status === "ended";
  return isOut && ref !== null ? gitCommandLines({ base, ref }) : [];
}

function placeLine(what: string, place: string): Line {
  return line("      ", toned("dim", `${what}: `), toned("accent", sanitizeForTerminal(place)));
}

/** Never cut: people copy these commands. */
function gitCommandLines({ base, ref }: Pick<PendingMerge, "base" | "ref">): readonly Line[] {
  const from = shortCommit(base);
  return [`git diff ${from} ${ref}`, `git cherry-pick ${from}..${ref}`].map((command) =>
    line("      ", toned("accent", command)),
  );
}
