import type { WorkItem } from "../../model/handoff.ts";
import { truncate } from "../../model/values/text.ts";

const ITEM_TEXT_LIMITS = { title: 500, item: 6_000, list: 60_000 } as const;

/** A list as agents and people read it; one that is empty says so. */
export function workItemsText(items: readonly WorkItem[]): string {
  if (items.length === 0) return "Work items: none";
  const lines: string[] = [];
  let room: number = ITEM_TEXT_LIMITS.list;
  for (const [index, { title, context }] of items.entries()) {
    const line = `${index + 1}. ${truncate(title, ITEM_TEXT_LIMITS.title)}${context.trim() === "" ? "" : `\n   ${truncate(context.trim(), ITEM_TEXT_LIMITS.item)}`}`;
    if (line.length > room)
      return ["Work items:", ...lines, `… [cut: ${items.length - index} more work items]`].join("\n");
    lines.push(line);
    room -= line.length;
  }
  return ["Work items:", ...lines].join("\n");
}
