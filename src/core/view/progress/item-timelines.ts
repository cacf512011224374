import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import { NO_USAGE, addUsage, type Usage } from "../../cast/state/usage.ts";
import type { CastId } from "../../model/ids.ts";

/** [V23] An item of a parallel loop on the timeline: its attempts with their durations, and its outcome. */
export interface ItemTimeline {
  readonly key: string;
  /** The number of the parallel run, from 1. */
  readonly parallelRun: number;
  readonly loop: string;
  readonly number: number;
  readonly title: string;
  readonly attempts: readonly ItemAttempt[];
  readonly marks: readonly ItemMergeMark[];
  readonly usage: Usage;
}

export interface ItemAttempt {
  readonly child: CastId;
  /** In milliseconds of work of the cast; null while it runs. */
  readonly from: number;
  readonly to: number | null;
  readonly outcome: "running" | "done" | "failed" | "given_up";
  /** [B54] The worker of a fleet that ended it. */
  readonly worker?: string;
}

export interface ItemMergeMark {
  readonly kind: "merged" | "conflicted";
  readonly at: number;
  /** The commit, or the files. */
  readonly what: string;
}

export interface ItemTimelines {
  readonly items: readonly ItemTimeline[];
  /** The events that began parallel runs. */
  readonly parallelStarts: readonly number[];
}

export const NO_ITEM_TIMELINES: ItemTimelines = { items: [], parallelStarts: [] };

/** Needs only events; `workedAt` gives the work done until an event. */
export function itemTimelines(events: Iterable<CastEvent>, workedAt: (seq: number) => number): ItemTimelines {
  const lanes = new Map<string, ItemTimeline>();
  const forked: number[] = [];
  const change = (index: number, next: (lane: ItemTimeline) => ItemTimeline): void => {
    const key = `${forked.length} ${index}`;
    const lane = lanes.get(key);
    if (lane) lanes.set(key, next(lane));
  };
  for (const event of events) {
    const at = workedAt(event.seq);
    switch (event.type) {
      case "loop_forked":
        if (event.base !== null) forked.push(event.seq);
        break;
      case "item_started": {
        const key = `${forked.length} ${event.index}`;
        const begun: ItemAttempt = { child: event.child, from: at, to: null, outcome: "running" };
        const lane = lanes.get(key) ?? startItemTimeline(key, forked.length, event);
        lanes.set(key, { ...lane, attempts: [...lane.attempts, begun] });
        break;
      }
      case "item_ended":
        change(event.index, (lane) => ({
          ...lane,
          attempts: lane.attempts.map((each) => (each.child === event.child ? endAttempt(each, event, at) : each)),
          usage: addUsage(lane.usage, event.usage),
        }));
        break;
      case "item_merged":
        change(event.index, (lane) => withMergeMark(lane, { kind: "merged", at, what: event.commit.slice(0, 9) }));
        break;
      case "item_conflicted":
        change(event.index, (lane) => withMergeMark(lane, { kind: "conflicted", at, what: event.files.join(", ") }));
        break;
      default:
        break;
    }
  }
  return {
    items: [...lanes.values()].toSorted((a, b) => a.parallelRun - b.parallelRun || a.number - b.number),
    parallelStarts: forked,
  };
}

function startItemTimeline(key: string, fork: number, { loop, index, title }: EventOf<"item_started">): ItemTimeline {
  return { key, parallelRun: fork, loop, number: index + 1, title, attempts: [], marks: [], usage: NO_USAGE };
}

function endAttempt(
  attempt: ItemAttempt,
  { outcome: how, gaveUp, worker }: EventOf<"item_ended">,
  at: number,
): ItemAttempt {
  const failed = how === "failed" || how === "aborted";
  const outcome = failed ? "failed" : gaveUp === undefined ? "done" : "given_up";
  return { ...attempt, to: at, outcome, ...(worker === undefined ? {} : { worker }) };
}

function withMergeMark(lane: ItemTimeline, mark: ItemMergeMark): ItemTimeline {
  return { ...lane, marks: [...lane.marks, mark] };
}
