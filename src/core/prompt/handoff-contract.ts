import type { Graph, GraphSocket } from "../compile/graph.ts";
import { feedsParallelLoop, refusalNeedsReason, requiredHandoffFields } from "../compile/socket-outputs.ts";
import { HANDOFF_FIELDS, type HandoffField } from "../model/handoff.ts";

/** [P3] The fields that the socket must return; empty for plain text. */
export function handoffContractText(graph: Graph, socket: GraphSocket): string {
  if (socket.parse === "text") return "";
  const needs = requiredHandoffFields(graph, socket);
  // A lone evaluator may answer `satisfied` even if no edge depends on it.
  const offered = HANDOFF_FIELDS.filter(
    (field) => needs.has(field) || field === "context" || (field === "satisfied" && !socket.generator),
  );
  const atOnce = needs.has("workItems") && feedsParallelLoop(graph, socket);
  const refusal = refusalNeedsReason(graph, socket) ? 'required when "satisfied" is false' : "optional";
  const lines = offered.map((field) => {
    const need = needs.has(field) ? "required" : field === "context" ? refusal : "optional";
    return `- "${field}" (${need}): ${describeField(field, needs, atOnce)}`;
  });
  return [
    "Answer with one JSON object and nothing else: no code fence, no words around it. Its fields:",
    ...lines,
    "Leave every other field out.",
  ].join("\n");
}

/** [V3] A planner must know which work an item can see. */
const PARALLEL_ITEMS_TEXT =
  'an ordered array of units of work, each { "title": string, "context": string, "after": [numbers] } and nothing else. ' +
  "Several are worked on at the same time, each on separate files, and merged in this order. An item sees the work of " +
  'others only where "after" names them, by their numbers from 1; it may name earlier items only. Leave "after" out where ' +
  "an item needs no other, and cut the work so that items touch different files.";

function describeField(field: HandoffField, needs: ReadonlyMap<HandoffField, string>, atOnce: boolean): string {
  switch (field) {
    case "workItems":
      if (atOnce) return PARALLEL_ITEMS_TEXT;
      return 'an ordered array of units of work, each { "title": string, "context": string } and nothing else.';
    case "satisfied":
      return "true when the work may go on, false when it must be done again.";
    case "context":
      return needs.has("satisfied")
        ? "plain text; when not satisfied, what must change and why."
        : "plain text that the next visit needs to know.";
  }
}
