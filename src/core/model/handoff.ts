import * as v from "valibot";

/** One generated unit of work. Its key (`WI-1`) is derived from its position and never written by an agent. */
export const WorkItem = v.object({ title: v.string(), context: v.string() });
export type WorkItem = v.InferOutput<typeof WorkItem>;

export function isWorkItem(value: unknown): value is WorkItem {
  return v.is(WorkItem, value);
}

/** All that an agent hands over. */
export const HANDOFF_FIELDS = ["workItems", "satisfied", "context"] as const;
export type HandoffField = (typeof HANDOFF_FIELDS)[number];

export function itemKey(index: number): string {
  return `WI-${index + 1}`;
}
