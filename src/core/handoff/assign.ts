import type { Assignment } from "../compile/assignment.ts";
import type { WorkItem } from "../model/handoff.ts";
import { isJsonObject, type Json, type JsonObject, valueAt, withValueAt } from "../model/json.ts";
import { assertNever } from "../model/assert-never.ts";

/** What `assign` can read besides the output itself. */
export interface AssignSources {
  readonly data: JsonObject;
  /** The item in hand and its place, inside a loop. */
  readonly item: (WorkItem & { readonly index: number }) | null;
}

/** [H18] State with a utility's own patch merged in, one level deep; an agent's handoff never has one. */
export function applyStatePatch(data: JsonObject, handoff: JsonObject): JsonObject {
  const patch = handoff["state"];
  return isJsonObject(patch) ? { ...data, ...patch } : data;
}

export interface AssignedValue {
  readonly assignment: Assignment;
  readonly value: Json | undefined;
}

export function readAssignedValues(
  assignments: readonly Assignment[],
  output: Json,
  around: AssignSources,
): readonly AssignedValue[] {
  return assignments.map((assignment) => ({
    assignment,
    value: valueAt(sourceOf(assignment, output, around), assignment.path),
  }));
}

/** What `assign` cannot do, in sentences: because of what was said, or because of how state stands. */
export interface AssignProblems {
  readonly inReply: readonly string[];
  readonly inState: readonly string[];
}

/** [H16] Sources that lead nowhere, and targets that lead into a list. */
export function findAssignProblems(
  assignments: readonly Assignment[],
  output: Json,
  around: AssignSources,
): AssignProblems {
  const said: string[] = [];
  const state: string[] = [];
  let { data } = around;
  for (const { assignment, value } of readAssignedValues(assignments, output, around)) {
    const { target, from, path } = assignment;
    const into = `state.${target.join(".")}`;
    const list = listInsidePath(data, target);
    if (list !== undefined) state.push(`nothing can be put at ${into}: state.${list} is a list`);
    else if (value !== undefined) data = withValueAt(data, target, value);
    else if (from === "output") said.push(`nothing to put into ${into}: ${["output", ...path].join(".")} is not there`);
    else state.push(`nothing to put into ${into}: ${[from, ...path].join(".")} is not there`);
  }
  return { inReply: said, inState: state };
}

/** The part of a path that is a list, where more follows: a value put there would turn the list into something else. */
function listInsidePath(data: JsonObject, target: readonly string[]): string | undefined {
  const steps = target.slice(0, -1).map((_, index) => target.slice(0, index + 1));
  return steps.find((path) => Array.isArray(valueAt(data, path)))?.join(".");
}

/** State with a visit's values put in; `workItems` stands at `state.workItems` like any other value. */
export function assign(assignments: readonly Assignment[], output: Json, around: AssignSources): JsonObject {
  // Most sockets put nothing anywhere.
  if (assignments.length === 0) return around.data;
  return readAssignedValues(assignments, output, around).reduce(
    (data, { assignment, value }) => (value === undefined ? data : withValueAt(data, assignment.target, value)),
    around.data,
  );
}

function sourceOf({ from }: Assignment, output: Json, { data, item }: AssignSources): Json | undefined {
  switch (from) {
    case "output":
      return output;
    case "state":
      // [O4] Inside a loop state shows the item as well.
      return item === null ? data : { ...data, workItem: itemFields(item), workItemIndex: item.index };
    case "item":
      return item === null ? undefined : itemFields(item);
    default:
      return assertNever(from);
  }
}

function itemFields({ title, context }: WorkItem): JsonObject {
  return { title, context };
}
