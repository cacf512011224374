import * as v from "valibot";

/** One unit of work. Its key (`WI-1`) comes from its position; no agent writes it. */
export const WorkItem = v.object({ title: v.string(), context: v.string() });

/** An item of a list. In a list for a parallel loop it may name items that it builds on. */
export interface WorkItem extends v.InferOutput<typeof WorkItem> {
  /** Numbers of earlier items, from 1. */
  readonly after?: readonly number[];
}

/** [V3] Problems of `after`: an item can build only on items before it. */
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

export const HANDOFF_FIELDS = ["workItems", "satisfied", "context"] as const;
export type HandoffField = (typeof HANDOFF_FIELDS)[number];

/** [H24] The tool by which an agent may hand over. */
export const HAND_OVER = "hand_over";

export function itemKey(index: number): string {
  return `WI-${index + 1}`;
}
