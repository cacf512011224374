import type { LoopPass } from "../../cast/state/state.ts";
import { totalTokens, addUsage, NO_USAGE, type Usage } from "../../cast/state/usage.ts";
import { titleText } from "../report/handoff-lines.ts";
import type { VisitItem } from "../../history/visits.ts";
import type { TimelineVisit } from "./playback.ts";
import type { CastEvent, EventOf } from "../../cast/state/event.ts";
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
  readonly parallelStarts: readonly number[];
}

export const NO_ITEM_TIMELINES: ItemTimelines = { items: [], parallelStarts: [] };

/** Needs only events; `workedAt` gives the work done until an event. */
export function itemTimelines(events: Iterable<CastEvent>, workedAt: (seq: number) => number): ItemTimelines {
  const lanes = new Map<string, ItemTimeline>();
  const forked: number[] = [];
  const change = (index: number, next: (lane: ItemTimeline) => Partial<ItemTimeline>): void => {
    const key = `${forked.length} ${index}`;
    const lane = lanes.get(key);
    if (lane) lanes.set(key, { ...lane, ...next(lane) });
  };
  const mark = ({ index }: { readonly index: number }, merge: ItemMergeMark): void =>
    change(index, ({ marks }) => ({ marks: [...marks, merge] }));
  for (const event of events) {
    const at = workedAt(event.seq);
    if (event.type === "loop_forked" && event.base !== null) forked.push(event.seq);
    if (event.type === "item_started") {
      const { loop, index, title, child } = event;
      const key = `${forked.length} ${index}`;
      const none = { attempts: [], marks: [], usage: NO_USAGE };
      if (!lanes.has(key)) lanes.set(key, { key, parallelRun: forked.length, loop, number: index + 1, title, ...none });
      const begun: ItemAttempt = { child, from: at, to: null, outcome: "running" };
      change(index, ({ attempts }) => ({ attempts: [...attempts, begun] }));
    }
    if (event.type === "item_ended")
      change(event.index, ({ attempts, usage }) => ({
        attempts: attempts.map((each) => (each.child === event.child ? endAttempt(each, event, at) : each)),
        usage: addUsage(usage, event.usage),
      }));
    if (event.type === "item_merged") mark(event, { kind: "merged", at, what: event.commit.slice(0, 9) });
    if (event.type === "item_conflicted") mark(event, { kind: "conflicted", at, what: event.files.join(", ") });
  }
  return {
    items: [...lanes.values()].toSorted((a, b) => a.parallelRun - b.parallelRun || a.number - b.number),
    parallelStarts: forked,
  };
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

/** A row of the timeline: the visits of one item, or those before, between and after the loops. */
export interface TimelineRow {
  readonly key: string;
  /** The number of the item, from 1. */
  readonly number: number | null;
  readonly title: string;
  /** Why the item was given up; null if it was not. */
  readonly givenUp: string | null;
  readonly visits: readonly TimelineVisit[];
  /** How many parallel runs came before it. */
  readonly parallelRunsBefore: number;
  readonly cost: number;
  readonly tokens: number;
}

/** One row per group, in the order of their start; `forked` has the events that began parallel runs. */
export function timelineRows(visits: readonly TimelineVisit[], forked: readonly number[] = []): readonly TimelineRow[] {
  const groups: { readonly visits: TimelineVisit[]; readonly forks: number; readonly item: VisitItem | null }[] = [];
  for (const visit of visits) {
    const last = groups.at(-1);
    const forks = forked.filter((seq) => seq < visit.firstSeq).length;
    if (last && last.forks === forks && itemRowKey(last.item) === itemRowKey(visit.item)) last.visits.push(visit);
    else groups.push({ visits: [visit], forks, item: visit.item });
  }
  const firstItem = groups.findIndex(({ item }) => item);
  const lastItem = groups.findLastIndex(({ item }) => item);
  const placeText = (index: number, forks: number): string => {
    const isBehind = forks > 0 || (firstItem !== -1 && index > firstItem);
    const isBefore = forks < forked.length || index < lastItem;
    if (!isBehind) return isBefore ? "Before the loop" : "The whole cast";
    return isBefore ? "Between the loops" : "After the loop";
  };
  return groups.map(({ visits: group, forks, item }, index) => ({
    key: `${itemRowKey(item)} ${index}`,
    number: item ? item.index + 1 : null,
    title: item ? titleText(item.title, 200) : placeText(index, forks),
    givenUp: group.at(-1)?.givenUp ?? null,
    parallelRunsBefore: forks,
    ...visitsWithTotals(group),
  }));
}

function visitsWithTotals(visits: readonly TimelineVisit[]): Pick<TimelineRow, "visits" | "cost" | "tokens"> {
  const usage = visits.reduce((sum, visit) => addUsage(sum, visit.usage), NO_USAGE);
  return { visits, cost: usage.cost, tokens: totalTokens(usage) };
}

/** [W36] One row per socket, in the order of their first visit. */
export function socketTimelineRows(visits: readonly TimelineVisit[]): readonly TimelineRow[] {
  return [...Map.groupBy(visits, ({ socket }) => socket)].map(([socket, own]) => ({
    key: socket,
    number: null,
    title: `${own[0]?.materia ?? ""} ${socket}`,
    givenUp: null,
    parallelRunsBefore: 0,
    ...visitsWithTotals(own),
  }));
}

function itemRowKey(item: VisitItem | null): string {
  return item ? `${item.loop} ${item.pass} ${item.index}` : "";
}

/** Items that have not started, by number. Parallel items between them may have started. */
export interface PendingItems {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** The pending items as one row; `lanes` are the rows of the parallel items that have started. */
export function pendingItems(
  pass: LoopPass | null,
  visits: readonly TimelineVisit[],
  lanes: readonly ItemTimeline[],
): PendingItems | null {
  if (!pass) return null;
  // Only the latest parallel run counts: an earlier walk of the same loop had other items.
  const run = lanes.at(-1)?.parallelRun;
  const own = lanes.filter(({ loop, parallelRun }) => loop === pass.loop && parallelRun === run);
  const started = new Set(pass.oneByOne ? [] : own.map(({ number }) => number));
  let first = (visits.at(-1)?.item?.index === pass.cursor ? pass.cursor + 1 : pass.cursor) + 1;
  let last = pass.end;
  while (started.has(first)) first += 1;
  while (started.has(last)) last -= 1;
  if (first > last) return null;
  const between = [...started].filter((number) => number > first && number < last).length;
  return { first, last, count: last - first + 1 - between };
}

/** What a cast cost, by materia and by row of the timeline. */
export type CostTable = ReturnType<typeof costTable>;

export function costTable(rows: readonly TimelineRow[]) {
  const sum = (usages: readonly Usage[]): Usage => usages.reduce(addUsage, NO_USAGE);
  const isPaid = ({ usage }: TimelineVisit): boolean => totalTokens(usage) > 0 || usage.cost > 0;
  const columns = rows
    .map((row) => ({ ...row, visits: row.visits.filter(isPaid) }))
    .filter(({ visits }) => visits.length > 0);
  const all = columns.flatMap(({ visits }) => visits);
  return {
    columns: columns.map(({ key, number, title, visits }) => ({
      key,
      title: number === null ? title.replace(/ the (loops?|whole cast)$/, "") : `Item ${number}`,
      usage: sum(visits.map(({ usage }) => usage)),
    })),
    lines: [...Map.groupBy(all, ({ materia }) => materia)].map(([materia, [first]]) => {
      const cells = columns.map(({ visits }) => {
        const own = visits.filter((visit) => visit.materia === materia);
        return own.length === 0 ? null : sum(own.map(({ usage }) => usage));
      });
      return { materia, socket: first?.socket ?? "", cells, usage: sum(cells.flatMap((cell) => cell ?? [])) };
    }),
    total: sum(all.map(({ usage }) => usage)),
  };
}

/** [B28] The events from `seq` on, which one worker wrote. */
export interface WorkerStretch {
  readonly worker: string;
  readonly seq: number;
}

/** The workers of a cast in order; empty without a fleet. */
export function workerStretches(events: readonly CastEvent[]): readonly WorkerStretch[] {
  const stretches: WorkerStretch[] = [];
  for (const event of events) {
    if ((event.type !== "cast_started" && event.type !== "cast_resumed") || event.worker === undefined) continue;
    if (stretches.at(-1)?.worker !== event.worker) stretches.push({ worker: event.worker, seq: event.seq });
  }
  return stretches;
}
