import { stateKeysWrittenBy } from "../../catalog/utilities.ts";
import { isGate, type Materia } from "../../model/materia.ts";
import type { GraphSocket } from "../graph.ts";

/** What a user's own program reads or sets, nobody can know from outside. */
export function isCustomUtility(materia: Materia): boolean {
  return materia.type === "utility" && materia.command !== undefined;
}

export function bundledStateWrites(materia: Materia): readonly string[] {
  return materia.type === "utility" && materia.script !== undefined ? stateKeysWrittenBy(materia.script) : [];
}

/** Whether a program may set this key of state. */
function mayWriteStateKey(materia: Materia, key: string): boolean {
  return (isCustomUtility(materia) && !isGate(materia)) || bundledStateWrites(materia).includes(key);
}

/** Whether a visit may put a whole list at this path of state. */
export function mayMakeList(materia: Materia, { assign, parse }: GraphSocket, list: readonly string[]): boolean {
  const [first = ""] = list;
  if (assign.some(({ target }) => target.every((key, index) => list[index] === key))) return true;
  // The `state` of a utility cannot set the work items.
  return first !== "workItems" && parse === "json" && mayWriteStateKey(materia, first);
}

/** Whether a visit may put a list anywhere at all. */
export function mayMakeAnyList(materia: Materia, { assign }: GraphSocket): boolean {
  return assign.length > 0 || materia.type === "utility";
}
