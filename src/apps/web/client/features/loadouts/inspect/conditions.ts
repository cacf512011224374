import type { Condition, Loadout } from "../../../../../../core/model/loadout.ts";
import { sortSocketIds } from "../../../../../../core/model/ids.ts";
import { conditionText } from "../../../../../../core/view/graph/words.ts";
import type { SelectOption } from "../../../parts/controls/fields.tsx";

export const CONDITION_OPTIONS: readonly SelectOption[] = (["always", "satisfied", "not_satisfied"] as const).map((when) => ({
  value: when,
  label: conditionText(when),
}));

/** Every socket by its id and materia. */
export function socketOptions(loadout: Loadout): readonly SelectOption[] {
  return sortSocketIds(Object.keys(loadout.sockets)).map((id) => ({
    value: id,
    label: `${id} ${loadout.sockets[id]?.materia ?? ""}`,
  }));
}

export function parseCondition(text: string): Condition {
  return text === "satisfied" || text === "not_satisfied" ? text : "always";
}
