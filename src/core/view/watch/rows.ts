import type { Pass } from "../../cast/state/state.ts";
import { tokensOf } from "../../cast/state/usage.ts";
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
  readonly cost: number;
  readonly tokens: number;
}

/** One row per group, in the order in which they began. */
export function timelineRows(visits: readonly VisitRecord[]): readonly TimelineRow[] {
  const groups: VisitRecord[][] = [];
  for (const visit of visits) {
    const last = groups.at(-1);
    if (last?.[0] && keyOf(last[0].item) === keyOf(visit.item)) last.push(visit);
    else groups.push([visit]);
  }
  const firstItem = groups.findIndex(([visit]) => visit?.item);
  const lastItem = groups.findLastIndex(([visit]) => visit?.item);
  const placeText = (index: number): string => {
    if (firstItem === -1) return "The whole cast";
    return index < firstItem ? "Before the loop" : index > lastItem ? "After the loop" : "Between the loops";
  };
  return groups.map((group, index): TimelineRow => {
    const item = group[0]?.item ?? null;
    return {
      key: `${keyOf(item)} ${index}`,
      number: item ? item.index + 1 : null,
      title: item ? titleText(item.title, 200) : placeText(index),
      givenUp: group.at(-1)?.givenUp ?? null,
      visits: group,
      cost: group.reduce((sum, { usage }) => sum + usage.cost, 0),
      tokens: group.reduce((sum, { usage }) => sum + tokensOf(usage), 0),
    };
  });
}

/** [W36] One row per socket, in the order in which they were first visited. */
export function socketRows(visits: readonly VisitRecord[]): readonly TimelineRow[] {
  return [...Map.groupBy(visits, ({ socket }) => socket)].map(([socket, own]) => ({
    key: socket,
    number: null,
    title: `${own[0]?.materia ?? ""} ${socket}`,
    givenUp: null,
    visits: own,
    cost: own.reduce((sum, { usage }) => sum + usage.cost, 0),
    tokens: own.reduce((sum, { usage }) => sum + tokensOf(usage), 0),
  }));
}

function keyOf(item: VisitItem | null): string {
  return item ? `${item.loop} ${item.pass} ${item.index}` : "";
}

/** The items that are still to come, as one row: first and last number. */
export function itemsToCome(pass: Pass | null, visits: readonly VisitRecord[]): readonly [number, number] | null {
  if (!pass) return null;
  const begun = visits.at(-1)?.item?.index === pass.cursor ? pass.cursor + 1 : pass.cursor;
  return begun < pass.items.length ? [begun + 1, pass.items.length] : null;
}
