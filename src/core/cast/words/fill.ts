import type { Json } from "../../model/values/json.ts";
import { never } from "../../model/values/never.ts";
import { valueAt } from "../../model/values/path.ts";
import { fillTemplate, type Variable } from "../../model/values/template.ts";
import { cut } from "../../model/values/text.ts";
import { currentItem, visibleState, type CastState } from "../state/state.ts";

const LIMITS = { request: 12_000, item: 6_000, list: 60_000, value: 40_000 } as const;

/** [P8] A prompt or a question with its variables filled. A value that is not text is written as JSON, a missing one as nothing. */
export function fill(state: CastState, template: string, changes = ""): string {
  return fillTemplate(template, (variable) => (variable.kind === "changes" ? changes : valueOf(state, variable)));
}

function valueOf(state: CastState, variable: Exclude<Variable, { kind: "changes" }>): string {
  switch (variable.kind) {
    case "request":
      return cut(state.request, LIMITS.request);
    case "workItems":
      return written(valueAt(state.data, ["workItems"]), LIMITS.list);
    case "item":
      return cut(currentItem(state)?.[variable.field] ?? "", LIMITS.item);
    case "state":
      return written(valueAt(visibleState(state), variable.path), LIMITS.value);
    case "unknown":
      return "";
    default:
      return never(variable);
  }
}

function written(value: Json | undefined, limit: number): string {
  if (value === undefined) return "";
  return cut(typeof value === "string" ? value : JSON.stringify(value, undefined, 1), limit);
}
