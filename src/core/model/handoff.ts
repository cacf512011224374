import * as v from "valibot";

/** One generated unit of work. Its key (`WI-1`) is derived from its position and never written by an agent. */
export const WorkItem = v.object({ title: v.string(), context: v.string() });

/** As it stands in a list; one that feeds a parallel loop may name what an item builds on. */
export interface WorkItem extends v.InferOutput<typeof WorkItem> {
  /** Numbers of earlier items, from 1. */
  readonly after?: readonly number[];
}

/** [V3] What is wrong with `after` in a list: an item can only build on items before it. */
export function itemOrderProblems(items: readonly unknown[]): readonly string[] {
  return items.flatMap((item, index) => {
    const after: unknown = typeof item === "object" && item !== null && "after" in item ? item.after : undefined;
    if (after === undefined) return [];
    const isEarlier = (number: unknown): boolean =>
      Number.isInteger(number) && Number(number) >= 1 && Number(number) <= index;
    if (Array.isArray(after) && after.every(isEarlier)) return [];
    const may = index === 0 ? "the first item can name none" : `numbers from 1 to ${index}`;
    return [`workItems[${index}].after must name items before it (${may})`];
  });
}

export function isWorkItem(value: unknown): value is WorkItem {
  return v.is(WorkItem, value);
}

/** All that an agent hands over. */
export const HANDOFF_FIELDS = ["workItems", "satisfied", "context"] as const;
export type HandoffField = (typeof HANDOFF_FIELDS)[number];

export function itemKey(index: number): string {
  return `WI-${index + 1}`;
}
