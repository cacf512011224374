import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { itemKey } from "../../model/handoff.ts";
import { never } from "../../model/values/never.ts";
import { oneLine } from "../../model/values/text.ts";
import { countedText } from "../numbers.ts";
import { nameText } from "../graph/words.ts";
import type { Tone } from "../text/line.ts";
import { titleText } from "./handed.ts";

const ITEM_EVENTS = [
  "loop_forked",
  "item_started",
  "item_ended",
  "item_merged",
  "item_conflicted",
  "loop_joined",
] as const;
export type ItemEvent = Extract<CastEvent, { type: (typeof ITEM_EVENTS)[number] }>;

export interface ItemWords {
  readonly tone: Tone;
  /** Ours, and what follows of theirs. */
  readonly ours: string;
  readonly theirs: string;
}

/** [V15] What happens to the items of a parallel loop, in a few words. */
export function itemWords(before: CastState, event: ItemEvent): ItemWords {
  switch (event.type) {
    case "loop_forked":
      return event.base === null
        ? say("rework", "one item after another: ", event.reason ?? "")
        : say("plain", `up to ${countedText(event.lanes, "item")} at once, from ${shortCommit(event.base)}`, "");
    case "item_started":
      return event.attempt === 1
        ? say("plain", `${place(before, event)} begins: `, titleText(event.title, 200))
        : say(
            "rework",
            `${place(before, event)} begins again, attempt ${event.attempt}: `,
            titleText(event.title, 200),
          );
    case "item_ended":
      return endedWords(before, event);
    case "item_merged":
      return say("ok", `${place(before, event)} merged at ${shortCommit(event.commit)}`, "");
    case "item_conflicted":
      return say("rework", `${place(before, event)} conflicts: `, conflictText(event));
    case "loop_joined":
      return say("ok", `the merged items are joined at ${shortCommit(event.commit)}`, "");
    default:
      return never(event);
  }
}

function endedWords(before: CastState, event: EventOf<"item_ended">): ItemWords {
  const at = place(before, event);
  const on = event.worker === undefined ? "" : ` on ${oneLine(event.worker, 80)}`;
  if (event.outcome === "failed" || event.outcome === "aborted")
    return say("bad", `${at} ${event.outcome}${on}: `, event.reason);
  if (event.gaveUp !== undefined) return say("bad", `${at} given up by its own cast${on}`, "");
  return say(
    "plain",
    `${at} worked out${on}${event.commit === null ? ", without changes" : `, kept as ${shortCommit(event.commit)}`}`,
    "",
  );
}

const FILES_NAMED = 5;

function conflictText({ files, round }: EventOf<"item_conflicted">): string {
  const named = files.slice(0, FILES_NAMED).map((file) => oneLine(nameText(file), 80));
  const more = files.length > named.length ? [`${files.length - named.length} more`] : [];
  return `${[...named, ...more].join(", ") || "no file"} (round ${round})`;
}

function place({ pass }: CastState, { index }: { readonly index: number }): string {
  return `${itemKey(index)} of ${pass?.items.length ?? 0}`;
}

/** As much of a commit as people compare. */
export function shortCommit(commit: string): string {
  return nameText(commit.slice(0, 9));
}

function say(tone: Tone, ours: string, theirs: string): ItemWords {
  return { tone, ours, theirs };
}
