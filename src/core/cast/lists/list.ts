import { materiaOf, type GraphLoop, type GraphSocket } from "../../compile/graph.ts";
import { itemOrderProblems, isWorkItem, type WorkItem } from "../../model/handoff.ts";
import type { JsonObject } from "../../model/values/json.ts";
import { valueAt, withValueAt } from "../../model/values/path.ts";
import type { CastState } from "../state/state.ts";

/** [G26] State in which a list that a program handed on as it found it, to judge its titles, is still the same list. */
export function keepListsOfPrograms(state: CastState, socket: GraphSocket, data: JsonObject): JsonObject {
  return materiaOf(state.graph, socket).type === "agent" ? data : keepUnchangedLists(state, data);
}

/** State in which a list that holds the same as before is the one from before. */
export function keepUnchangedLists(
  { graph, data: before }: Pick<CastState, "graph" | "data">,
  data: JsonObject,
): JsonObject {
  return Object.values(graph.loops).reduce((kept, { items }) => {
    const found = items ? valueAt(before, items) : undefined;
    const list = items ? valueAt(kept, items) : undefined;
    if (!items || found === list || !Array.isArray(found)) return kept;
    return JSON.stringify(found) === JSON.stringify(list) ? withValueAt(kept, items, found) : kept;
  }, data);
}

/** The loop's list as it is now, or what is wrong with it. Only a parallel loop asks what its items build on. */
export function readLoopList(
  state: CastState,
  { items: path, parallel }: Pick<GraphLoop, "items" | "parallel">,
): readonly WorkItem[] | string {
  if (path === null) return "the loop walks no list";
  // [V6] The cast of an item walks the list of its parent, whatever stands in state by now.
  const given = state.item?.window.list;
  if (given) return given.items;
  const isOrdered = parallel !== undefined;
  const value = valueAt(state.data, path) ?? [];
  if (!Array.isArray(value)) return `state.${path.join(".")} is not a list`;
  const [misplaced] = itemOrderProblems(value);
  if (isOrdered && misplaced !== undefined) return `state.${path.join(".")}: ${misplaced}`;
  const wrong = value.findIndex((item) => !isWorkItem(item));
  return wrong === -1
    ? (value as readonly WorkItem[])
    : `state.${path.join(".")}[${wrong}] has no "title" and "context" strings`; // every item was just checked
}
