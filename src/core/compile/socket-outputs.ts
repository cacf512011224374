import { type Graph, type GraphSocket, isAlways, loopOf, materiaOf } from "./graph.ts";
import type { HandoffField } from "../model/handoff.ts";
import { stateKeysWrittenBy } from "../catalog/bundled-utilities.ts";
import { isGate, type HandoffMode, type Materia } from "../model/materia.ts";

/** Required fields, each with its reason. Prompt, validation and repair turn share this, so that they cannot disagree. */
export function requiredHandoffFields(graph: Graph, socket: GraphSocket): ReadonlyMap<HandoffField, string> {
  const needs = new Map<HandoffField, string>();
  if (socket.parse === "text") return needs;
  if (socket.generator) needs.set("workItems", "it is a generator");
  const asked = reasonForSatisfied(graph, socket);
  if (asked !== undefined) needs.set("satisfied", asked);
  for (const { from, path } of socket.assign) {
    const [field] = path;
    // [H22] `context` is optional: without one, empty text is stored.
    if (from === "output" && (field === "workItems" || field === "satisfied") && !needs.has(field))
      needs.set(field, "it is kept in state");
  }
  return needs;
}

/** [H21] Whether a refusal of this agent sends work back, so that it needs a reason. */
export function refusalNeedsReason(graph: Graph, socket: GraphSocket): boolean {
  if (socket.parse === "text" || materiaOf(graph, socket).type !== "agent") return false;
  if (socket.edges.some(({ when }) => when === "not_satisfied")) return true;
  const exits = loopOf(graph, socket)?.exits ?? [];
  // [R5] A route that joins two parts of a chain sends nothing back.
  return exits.some((exit) => exit.from === socket.id && exit.condition === "not_satisfied" && !exit.stitched);
}

/** [H24] How an agent gives its handoff. */
export function handoffModeOf(graph: Graph, socket: GraphSocket): HandoffMode {
  const materia = materiaOf(graph, socket);
  return materia.type === "agent" ? (materia.handoff ?? "text") : "text";
}

/** Whether `satisfied` is required. The check asks for every socket, so no map is built. */
export function requiresSatisfied(graph: Graph, socket: GraphSocket): boolean {
  if (socket.parse === "text") return false;
  return (
    reasonForSatisfied(graph, socket) !== undefined ||
    socket.assign.some(({ from, path }) => from === "output" && path[0] === "satisfied")
  );
}

function reasonForSatisfied(graph: Graph, socket: GraphSocket): string | undefined {
  const advancesAlways = socket.advance === null || socket.advance === "always";
  if (!advancesAlways || !socket.edges.every(isAlways)) return "the way on depends on it";
  return hasConditionalExits(graph, socket) ? "the way out of the loop depends on it" : undefined;
}

/** An exit for one answer makes the answer matter, even if another exit takes all answers. */
function hasConditionalExits(graph: Graph, socket: GraphSocket): boolean {
  if (socket.advance === null) return false;
  return loopOf(graph, socket)?.exits.some((exit) => exit.from === socket.id && exit.condition !== "always") ?? false;
}

/** [V3] Whether a parallel loop walks its list, so that items may have `after`. */
export function feedsParallelLoop({ loops }: Graph, socket: GraphSocket): boolean {
  return Object.values(loops).some(({ parallel, from, items }) => {
    if (parallel === undefined || items === null) return false;
    if (from !== null) return from === socket.id;
    return socket.assign.some(({ target }) => target.join(".") === items.join("."));
  });
}

/** State that a user's own program reads or sets is unknown. */
export function isCustomUtility(materia: Materia): boolean {
  return materia.type === "utility" && materia.command !== undefined;
}

export function bundledStateWrites(materia: Materia): readonly string[] {
  return materia.type === "utility" && materia.script !== undefined ? stateKeysWrittenBy(materia.script) : [];
}

export function mayMakeList(materia: Materia, { assign, parse }: GraphSocket, list: readonly string[]): boolean {
  const [first = ""] = list;
  if (assign.some(({ target }) => target.every((key, index) => list[index] === key))) return true;
  // The `state` of a utility cannot set work items.
  if (first === "workItems" || parse === "text") return false;
  return (isCustomUtility(materia) && !isGate(materia)) || bundledStateWrites(materia).includes(first);
}

export function mayMakeAnyList(materia: Materia, { assign }: GraphSocket): boolean {
  return assign.length > 0 || materia.type === "utility";
}
