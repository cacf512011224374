import type { AssignSources } from "../../handoff/assign.ts";
import type { JsonObject } from "../../model/json.ts";
import { itemKey, type WorkItem } from "../../model/handoff.ts";
import type { CastState } from "./state.ts";

/** [O4] The current item, only inside its loop. */
export function currentItem({ pass }: Pick<CastState, "pass">): WorkItem | null {
  return pass?.items[pass.cursor] ?? null;
}

/** [O4] State as materia see it: inside a loop with the current item and its index from 0. */
export function visibleState(state: CastState): JsonObject {
  const item = currentItem(state);
  if (item === null || state.pass === null) return state.data;
  const workItem = { title: item.title, context: item.context };
  return { ...state.data, workItem, workItemIndex: state.pass.cursor };
}

export function assignSourcesOf({ data, pass }: Pick<CastState, "data" | "pass">): AssignSources {
  const item = currentItem({ pass });
  return { data, item: item && pass ? { ...item, index: pass.cursor } : null };
}

export function currentItemKey({ pass, item }: Pick<CastState, "pass" | "item">): string | null {
  if (!pass) return null;
  const attempt = item?.window.attempt ?? 1;
  return `${itemKey(pass.cursor)}${attempt === 1 ? "" : `.${attempt}`}`;
}

export function itemIndexOf({ item }: Pick<CastState, "item">, key: string): number | undefined {
  const [, number, attempt = "1"] = /^WI-([1-9]\d*)(?:\.([1-9]\d*))?$/.exec(key) ?? [];
  return number === undefined || Number(attempt) !== (item?.window.attempt ?? 1) ? undefined : Number(number) - 1;
}
