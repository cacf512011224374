import { isWorkItem } from "../model/handoff.ts";
import type { WorkItem } from "../model/handoff.ts";
import { valueAt } from "../model/path.ts";
import type { CastState } from "./state.ts";

/** The loop's list as it is now, or what is wrong with it. */
export function listAt(state: CastState, path: readonly string[]): readonly WorkItem[] | string {
  const value = valueAt(state.data, path) ?? [];
  if (!Array.isArray(value)) return `state.${path.join(".")} is not a list`;
  const wrong = value.findIndex((item) => !isWorkItem(item));
  return wrong === -1
    ? (value as readonly WorkItem[])
    : `state.${path.join(".")}[${wrong}] has no "title" and "context" strings`; // every item was just checked
}
