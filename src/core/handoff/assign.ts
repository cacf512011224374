import type { Assignment } from "../compile/assignment.ts";
import type { WorkItem } from "../model/handoff.ts";
import { isJsonObject } from "../model/json.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { never } from "../model/never.ts";
import { valueAt, withValueAt } from "../model/path.ts";

/** What `assign` can read besides the output itself. */
export interface Surroundings {
  readonly data: JsonObject;
  readonly item: WorkItem | null;
}

/** [H18] State with a utility's own patch merged in, one level deep; an agent's handoff never has one. */
export function patchState(data: JsonObject, handoff: JsonObject): JsonObject {
  const patch = handoff["state"];
  return isJsonObject(patch) ? { ...data, ...patch } : data;
}

export interface Assigned {
  readonly assignment: Assignment;
  readonly value: Json | undefined;
}

export function assignedValues(
  assignments: readonly Assignment[],
  output: Json,
  around: Surroundings,
): readonly Assigned[] {
  return assignments.map((assignment) => ({
    assignment,
    value: valueAt(sourceOf(assignment, output, around), assignment.path),
  }));
}

/** [H16] Sources that lead nowhere, in sentences. */
export function missingSources(
  assignments: readonly Assignment[],
  output: Json,
  around: Surroundings,
): readonly string[] {
  return assignedValues(assignments, output, around).flatMap(({ assignment: { target, from, path }, value }) =>
    value === undefined
      ? [`nothing to put into state.${target.join(".")}: ${[from, ...path].join(".")} is not there`]
      : [],
  );
}

/** State with a visit's values put in; `workItems` stands at `state.workItems` like any other value. */
export function assign(assignments: readonly Assignment[], output: Json, around: Surroundings): JsonObject {
  return assignedValues(assignments, output, around).reduce(
    (data, { assignment, value }) => (value === undefined ? data : withValueAt(data, assignment.target, value)),
    around.data,
  );
}

function sourceOf({ from }: Assignment, output: Json, { data, item }: Surroundings): Json | undefined {
  switch (from) {
    case "output":
      return output;
    case "state":
      return data;
    case "item":
      return item === null ? undefined : { title: item.title, context: item.context };
    default:
      return never(from);
  }
}
