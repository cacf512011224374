import type { Graph, GraphSocket } from "../compile/graph.ts";
import { neededFields } from "../compile/needs.ts";
import type { HandoffField } from "../model/handoff.ts";

/** [P3] What the socket must return, in words; empty for plain text. */
export function contractText(graph: Graph, socket: GraphSocket): string {
  if (socket.parse === "text") return "";
  const needs = neededFields(graph, socket);
  const fields: HandoffField[] = [...needs.keys()].filter((field) => field !== "context");
  const lines = [...fields, "context" as const].map((field) => `- "${field}" (${needs.has(field) ? "required" : "optional"}): ${describe(field, needs)}`);
  return ["Answer with one JSON object and nothing else: no code fence, no words around it. Its fields:", ...lines, "Leave every other field out."].join("\n");
}

function describe(field: HandoffField, needs: ReadonlyMap<HandoffField, string>): string {
  switch (field) {
    case "workItems":
      return 'an ordered array of units of work, each { "title": string, "context": string } and nothing else.';
    case "satisfied":
      return "true when the work may go on, false when it must be done again.";
    case "context":
      return needs.has("satisfied") ? "plain text; when not satisfied, what must change and why." : "plain text that whoever comes next needs to know.";
  }
}
