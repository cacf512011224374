import type { LoopPass } from "../../cast/state/state.ts";
import { totalTokens } from "../../cast/state/usage.ts";
import { titleText } from "../tell/handed.ts";
import type { VisitItem, VisitRecord } from "./visit.ts";

/** A row of the timeline: the visits of one item, or those before, between and after the loops. */
export interface TimelineRow {
  readonly key: string;
  /** The number of the item, as people count. */
  readonly number: number | null;
  readonly title: string;
  /** Why the item was given up, where it was. */
  readonly givenUp: string | null;
  readonly visits: readonly VisitRecord[];
  /** How often items had been worked on at once before it. */
  readonly parallelRunsBefore: number;
  readonly cost: number;
  readonly tokens: number;
}

/** One row per group, in the order in which they began; `forked` has the events with which items were worked on at once. */
export function timelineRows(visits: readonly VisitRecord[], forked: readonly number[] = []): readonly TimelineRow[] {
  const forksBefore = ({ firstSeq }: VisitRecord): number => forked.filter((seq) => seq < firstSeq).length;
  const groups: { readonly visits: VisitRecord[]; readonly forks: number; readonly item: VisitItem | null }[] = [];
  for (const visit of visits) {
    const last = groups.at(-1);
    const forks = forksBefore(visit);
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
  return groups.map(({ visits: group, forks, item }, index): TimelineRow => {
    return {
      key: `${itemRowKey(item)} ${index}`,
      number: item ? item.index + 1 : null,
      title: item ? titleText(item.title, 200) : placeText(index, forks),
      givenUp: group.at(-1)?.givenUp ?? null,
      visits: group,
      parallelRunsBefore: forks,
      cost: group.reduce((sum, { usage }) => sum + usage.cost, 0),
      tokens: group.reduce((sum, { usage }) => sum + totalTokens(usage), 0),
    };
  });
}

/** [W36] One row per socket, in the order in which they were first visited. */
export function socketTimelineRows(visits: readonly VisitRecord[]): readonly TimelineRow[] {
  return [...Map.groupBy(visits, ({ socket }) => socket)].map(([socket, own]) => ({
    key: socket,
    number: null,
    title: `${own[0]?.materia ?? ""} ${socket}`,
    givenUp: null,
    visits: own,
    parallelRunsBefore: 0,
    cost: own.reduce((sum, { usage }) => sum + usage.cost, 0),
    tokens: own.reduce((sum, { usage }) => sum + totalTokens(usage), 0),
  }));
}

function itemRowKey(item: VisitItem | null): string {
  return item ? `${item.loop} ${item.pass} ${item.index}` : "";
}

/** The items that are still to come, as one row: first and last number. */
export function pendingItemRange(pass: LoopPass | null, visits: readonly VisitRecord[]): readonly [number, number] | null {
  if (!pass) return null;
  const begun = visits.at(-1)?.item?.index === pass.cursor ? pass.cursor + 1 : pass.cursor;
  return begun < pass.items.length ? [begun + 1, pass.items.length] : null;
}
