import type { EventOf } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { currentItem } from "../../cast/state/current-item.ts";
import { itemKey } from "../../model/handoff.ts";
import { oneLine } from "../../model/text.ts";
import { nameText } from "../graph/labels.ts";
import type { EventReport } from "./event-table.ts";
import { titleText } from "./handoff-lines.ts";

/** `item 2 of 3: Parse the flags`, of the current item; empty outside loops. */
export function currentItemText(state: CastState, limit: number): string {
  const item = currentItem(state);
  if (!item || !state.pass) return "";
  return `item ${state.pass.cursor + 1} of ${state.pass.items.length}: ${titleText(item.title, limit)}`;
}

/** `WI-2 of 3`: the items of a parallel loop end in any order, so reports name them by key. */
export function itemPosition({ pass }: CastState, index: number): string {
  return `${itemKey(index)} of ${pass?.items.length ?? 0}`;
}

/** [V15] The end of a cast that worked on one item of a parallel loop. */
export function itemEndedReport(before: CastState, event: EventOf<"item_ended">): EventReport {
  const { index, outcome, reason, commit, gaveUp, worker } = event;
  const at = itemPosition(before, index);
  const on = worker === undefined ? "" : ` on ${oneLine(worker, 80)}`;
  if (outcome === "failed" || outcome === "aborted")
    return { tone: "bad", words: `${at} ${outcome}${on}: `, quote: reason };
  if (gaveUp !== undefined) return { tone: "bad", words: `${at} given up by its own cast${on}` };
  const kept = commit === null ? ", without changes" : `, kept as ${shortCommit(commit)}`;
  return { tone: "plain", words: `${at} finished${on}${kept}` };
}

const MAX_FILES_NAMED = 5;

/** The files of a conflict: the first `most` by name, then how many more there are. */
export function conflictFilesText(files: readonly string[], most = MAX_FILES_NAMED): string {
  const named = files.slice(0, most).map((file) => oneLine(nameText(file), 80));
  const more = files.length > named.length ? [`${files.length - named.length} more`] : [];
  return [...named, ...more].join(", ") || "no file";
}

/** As much of a commit as people compare. */
export function shortCommit(commit: string): string {
  return nameText(commit.slice(0, 9));
}
