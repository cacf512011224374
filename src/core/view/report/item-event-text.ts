import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { itemKey } from "../../model/handoff.ts";
import { assertNever } from "../../model/assert-never.ts";
import { oneLine, countedText } from "../../model/text.ts";
import { nameText } from "../graph/labels.ts";
import type { Tone } from "../line.ts";
import { titleText } from "./handoff-lines.ts";

const PARALLEL_ITEM_EVENTS = [
  "loop_forked",
  "item_started",
  "item_ended",
  "item_merged",
  "item_conflicted",
  "loop_joined",
] as const;
export type ParallelItemEvent = Extract<CastEvent, { type: (typeof PARALLEL_ITEM_EVENTS)[number] }>;

export interface ItemEventText {
  readonly tone: Tone;
  /** Ours, and what follows of theirs. */
  readonly ours: string;
  readonly theirs: string;
}

/** [V15] What happens to the items of a parallel loop, in a few words. */
export function itemEventText(before: CastState, event: ParallelItemEvent): ItemEventText {
  switch (event.type) {
    case "loop_forked":
      return event.base === null
        ? itemEventTextOf("rework", "one item after another: ", event.reason ?? "")
        : itemEventTextOf(
            "plain",
            `up to ${countedText(event.lanes, "item")} at once, from ${shortCommit(event.base)}`,
            "",
          );
    case "item_started":
      return event.attempt === 1
        ? itemEventTextOf("plain", `${itemPosition(before, event)} begins: `, titleText(event.title, 200))
        : itemEventTextOf(
            "rework",
            `${itemPosition(before, event)} begins again, attempt ${event.attempt}: `,
            titleText(event.title, 200),
          );
    case "item_ended":
      return itemEndedText(before, event);
    case "item_merged":
      return itemEventTextOf("ok", `${itemPosition(before, event)} merged at ${shortCommit(event.commit)}`, "");
    case "item_conflicted":
      return itemEventTextOf("rework", `${itemPosition(before, event)} conflicts: `, conflictFilesText(event));
    case "loop_joined":
      return itemEventTextOf("ok", `the merged items are joined at ${shortCommit(event.commit)}`, "");
    default:
      return assertNever(event);
  }
}

function itemEndedText(before: CastState, event: EventOf<"item_ended">): ItemEventText {
  const at = itemPosition(before, event);
  const on = event.worker === undefined ? "" : ` on ${oneLine(event.worker, 80)}`;
  if (event.outcome === "failed" || event.outcome === "aborted")
    return itemEventTextOf("bad", `${at} ${event.outcome}${on}: `, event.reason);
  if (event.gaveUp !== undefined) return itemEventTextOf("bad", `${at} given up by its own cast${on}`, "");
  return itemEventTextOf(
    "plain",
    `${at} worked out${on}${event.commit === null ? ", without changes" : `, kept as ${shortCommit(event.commit)}`}`,
    "",
  );
}

const FILES_NAMED = 5;

function conflictFilesText({ files, round }: EventOf<"item_conflicted">): string {
  const named = files.slice(0, FILES_NAMED).map((file) => oneLine(nameText(file), 80));
  const more = files.length > named.length ? [`${files.length - named.length} more`] : [];
  return `${[...named, ...more].join(", ") || "no file"} (round ${round})`;
}

function itemPosition({ pass }: CastState, { index }: { readonly index: number }): string {
  return `${itemKey(index)} of ${pass?.items.length ?? 0}`;
}

/** As much of a commit as people compare. */
export function shortCommit(commit: string): string {
  return nameText(commit.slice(0, 9));
}

function itemEventTextOf(tone: Tone, ours: string, theirs: string): ItemEventText {
  return { tone, ours, theirs };
}
