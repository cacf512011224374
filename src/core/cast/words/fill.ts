import type { Json } from "../../model/values/json.ts";
import { assertNever } from "../../model/values/never.ts";
import { valueAt } from "../../model/values/path.ts";
import { fillTemplate, type TemplateVariable } from "../../model/values/template.ts";
import { truncate } from "../../model/values/text.ts";
import { currentItem, visibleState, type CastState } from "../state/state.ts";

const VARIABLE_LIMITS = { request: 12_000, item: 6_000, list: 60_000, value: 40_000 } as const;

/** [P8] A prompt or a question with its variables filled. A value that is not text is written as JSON, a missing one as nothing. */
export function fillFromState(state: CastState, template: string, changes = ""): string {
  return fillTemplate(template, (variable) => (variable.kind === "changes" ? changes : valueOf(state, variable)));
}

function valueOf(state: CastState, variable: Exclude<TemplateVariable, { kind: "changes" }>): string {
  switch (variable.kind) {
    case "request":
      return truncate(state.request, VARIABLE_LIMITS.request);
    case "workItems":
      return valueText(valueAt(state.data, ["workItems"]), VARIABLE_LIMITS.list);
    case "item":
      return truncate(currentItem(state)?.[variable.field] ?? "", VARIABLE_LIMITS.item);
    case "state":
      return valueText(valueAt(visibleState(state), variable.path), VARIABLE_LIMITS.value);
    case "unknown":
      return "";
    default:
      return assertNever(variable);
  }
}

function valueText(value: Json | undefined, limit: number): string {
  if (value === undefined) return "";
  return truncate(typeof value === "string" ? value : JSON.stringify(value, undefined, 1), limit);
}
