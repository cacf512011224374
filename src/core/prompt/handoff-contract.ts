import type { Graph, GraphSocket } from "../compile/graph.ts";
import {
  feedsParallelLoop,
  handoffModeOf,
  refusalNeedsReason,
  requiredHandoffFields,
} from "../compile/socket-outputs.ts";
import { HAND_OVER, HANDOFF_FIELDS, type HandoffField } from "../model/handoff.ts";
import type { JsonObject } from "../model/json.ts";

interface ContractField {
  readonly field: HandoffField;
  readonly need: string;
  readonly text: string;
}

/** [P3] The fields that the socket must return; empty for plain text. */
export function handoffContractText(graph: Graph, socket: GraphSocket): string {
  if (socket.parse === "text") return "";
  const mode = handoffModeOf(graph, socket);
  // [H24] The tool describes the fields.
  if (mode !== "text") return mode === "tool" ? CALL_TEXT : `${CALL_TEXT} ${OR_TEXT}`;
  return [
    `Answer with ${OBJECT_TEXT} Its fields, and no others:`,
    ...contractFields(graph, socket).map(({ field, need, text }) => `- "${field}" (${need}): ${text}`),
  ].join("\n");
}

const OBJECT_TEXT = "one JSON object and nothing else: no code fence, no words around it.";
const CALL_TEXT = `When you are done, call the tool ${HAND_OVER} with your result, alone in its reply. It ends your turn.`;
const OR_TEXT = `If you cannot call it, answer with ${OBJECT_TEXT} Its fields are those of the tool.`;

export interface HandOverTool {
  readonly description: string;
  readonly parameters: JsonObject;
}

/** [H24] Absent where no handoff is due or text is wanted. */
export function handOverTool(graph: Graph, socket: GraphSocket): HandOverTool | undefined {
  if (socket.parse === "text" || handoffModeOf(graph, socket) === "text") return undefined;
  const fields = contractFields(graph, socket);
  const order = feedsParallelLoop(graph, socket) ? { after: { type: "array", items: { type: "integer" } } } : {};
  const item = { title: STRING_SCHEMA, context: STRING_SCHEMA, ...order };
  const items = { type: "object", properties: item, required: ["title", "context"] };
  const schemas = { workItems: { type: "array", items }, satisfied: { type: "boolean" }, context: STRING_SCHEMA };
  const properties = fields.map(({ field, need, text }): [string, JsonObject] => [
    field,
    { ...schemas[field], description: need === "required" ? text : `(${need}) ${text}` },
  ]);
  const required = fields.flatMap(({ field, need }) => (need === "required" ? [field] : []));
  return {
    description: "Hands your result over and ends your turn.",
    parameters: { type: "object", properties: Object.fromEntries(properties), required },
  };
}

const STRING_SCHEMA = { type: "string" };

function contractFields(graph: Graph, socket: GraphSocket): readonly ContractField[] {
  const needs = requiredHandoffFields(graph, socket);
  // A lone evaluator may answer `satisfied` even if no edge depends on it.
  const offered = HANDOFF_FIELDS.filter(
    (field) => needs.has(field) || field === "context" || (field === "satisfied" && !socket.generator),
  );
  const atOnce = needs.has("workItems") && feedsParallelLoop(graph, socket);
  const refusal = refusalNeedsReason(graph, socket) ? 'required when "satisfied" is false' : "optional";
  return offered.map((field) => ({
    field,
    need: needs.has(field) ? "required" : field === "context" ? refusal : "optional",
    text: describeField(field, needs, atOnce),
  }));
}

/** [V3] A planner must know which work an item can see. */
const PARALLEL_ITEMS_TEXT =
  'an ordered array of units of work, each { "title": string, "context": string, "after": [numbers] } and nothing else. ' +
  "Several are worked on at the same time, each apart, and merged in this order: cut the work so that items touch different " +
  'files. An item sees the work of others only where "after" names them, by their numbers from 1, earlier ones only; leave ' +
  "it out where an item needs no other.";

function describeField(field: HandoffField, needs: ReadonlyMap<HandoffField, string>, atOnce: boolean): string {
  switch (field) {
    case "workItems":
      if (atOnce) return PARALLEL_ITEMS_TEXT;
      return 'an ordered array of units of work, each { "title": string, "context": string } and nothing else.';
    case "satisfied":
      return "true when the work may go on, false when it must be done again.";
    case "context":
      return needs.has("satisfied")
        ? "plain text; if not satisfied, what must change and why."
        : "plain text that the next visit needs to know.";
  }
}
