import { itemOrderProblems, isWorkItem } from "../model/handoff.ts";
import type { Json } from "../model/json.ts";
import { oneLine } from "../model/text.ts";

/** Why a value is no list of work items, as sentences. */
export function listProblems(workItems: Json): readonly string[] {
  if (!Array.isArray(workItems)) return [`"workItems" must be an array, not ${valueExcerpt(workItems)}`];
  const wrong = workItems.flatMap((item: Json, index) => (isWorkItem(item) ? [] : [index]));
  if (wrong.length === 0) return itemOrderProblems(workItems).slice(0, 5);
  const named = wrong.slice(0, 5).map((index) => `workItems[${index}]`);
  const more = wrong.length > named.length ? ` and ${wrong.length - named.length} more` : "";
  return [`${named.join(", ")}${more} must have a "title" string and a "context" string`];
}

export function valueExcerpt(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value)
    ? "an array"
    : typeof value === "object"
      ? "an object"
      : `the ${typeof value} ${oneLine(JSON.stringify(value), 40)}`;
}
