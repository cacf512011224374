import type { Assignment } from "../compile/assignment.ts";
import { type WorkItem, isWorkItem } from "../model/handoff.ts";
import { isJsonObject, type Json, type JsonObject, valueAt, withValueAt } from "../model/json.ts";
import { oneLine } from "../model/text.ts";

export function listProblems(workItems: Json): readonly string[] {
  if (!Array.isArray(workItems)) return [`"workItems" must be an array, not ${valueExcerpt(workItems)}`];
  const wrong = workItems.flatMap((item: Json, index) => (isWorkItem(item) ? [] : [index]));
  if (wrong.length === 0) return [];
  const named = wrong.slice(0, 5).map((index) => `workItems[${index}]`);
  const more = wrong.length > named.length ? ` and ${wrong.length - named.length} more` : "";
  return [`${named.join(", ")}${more} must have a "title" string and a "context" string`];
}

export function valueExcerpt(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "object") return Array.isArray(value) ? "an array" : "an object";
  return `the ${typeof value} ${oneLine(JSON.stringify(value), 40)}`;
}

export interface AssignSources {
  readonly data: JsonObject;
  readonly item: (WorkItem & { readonly index: number }) | null;
}

/** [H18] State with the patch of a utility merged in, one level deep. A handoff of an agent never has a patch. */
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

/** Problems of `assign` as sentences, caused by the reply or by the state. */
interface AssignProblems {
  readonly inReply: readonly string[];
  readonly inState: readonly string[];
}

/** [H16] Sources without a value, and targets inside a list. */
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
    const [unusable] =
      value === undefined || from === "output" || into !== "state.workItems" ? [] : listProblems(value);
    if (list !== undefined) state.push(`nothing can be put at ${into}: state.${list} is a list`);
    else if (unusable !== undefined) state.push(`${[from, ...path].join(".")} cannot be put into ${into}: ${unusable}`);
    else if (value !== undefined) data = withValueAt(data, target, value);
    else if (from === "output") said.push(`nothing to put into ${into}: ${["output", ...path].join(".")} is not there`);
    else state.push(`nothing to put into ${into}: ${[from, ...path].join(".")} is not there`);
  }
  return { inReply: said, inState: state };
}

/** The part of a path that is a list and has more steps after it: a value there would replace the list. */
function listInsidePath(data: JsonObject, target: readonly string[]): string | undefined {
  const steps = target.slice(0, -1).map((_, index) => target.slice(0, index + 1));
  return steps.find((path) => Array.isArray(valueAt(data, path)))?.join(".");
}

export function assign(assignments: readonly Assignment[], output: Json, around: AssignSources): JsonObject {
  // Most sockets assign nothing.
  if (assignments.length === 0) return around.data;
  let { data } = around;
  for (const { assignment, value } of readAssignedValues(assignments, output, around))
    if (value !== undefined) data = withValueAt(data, assignment.target, value);
  return data;
}

function sourceOf({ from, path }: Assignment, output: Json, { data, item }: AssignSources): Json | undefined {
  switch (from) {
    case "output":
      // [H22] `context` is optional in the contract: a handoff without one has an empty one.
      return path[0] === "context" && isJsonObject(output) ? { context: "", ...output } : output;
    case "state":
      // [O4] Inside a loop state also shows the item.
      return item === null ? data : { ...data, workItem: itemFields(item), workItemIndex: item.index };
    case "item":
      return item === null ? undefined : itemFields(item);
  }
}

function itemFields({ title, context }: WorkItem): JsonObject {
  return { title, context };
}
