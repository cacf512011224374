import type { Condition, Loadout } from "../../../../../../core/model/loadout.ts";
import { sortSocketIds } from "../../../../../../core/model/ids.ts";
import { conditionText } from "../../../../../../core/view/graph/words.ts";
import type { Option } from "../../../parts/controls/fields.tsx";

export const CONDITIONS: readonly Option[] = (["always", "satisfied", "not_satisfied"] as const).map((when) => ({
  value: when,
  label: conditionText(when),
}));

/** Every socket by its id and materia. */
export function socketOptions(loadout: Loadout): readonly Option[] {
  return sortSocketIds(Object.keys(loadout.sockets)).map((id) => ({
    value: id,
    label: `${id} ${loadout.sockets[id]?.materia ?? ""}`,
  }));
}

export function asCondition(text: string): Condition {
  return text === "satisfied" || text === "not_satisfied" ? text : "always";
}
