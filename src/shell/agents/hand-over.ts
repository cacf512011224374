import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { HAND_OVER } from "../../core/model/handoff.ts";
import type { HandOverTool } from "../../core/prompt/handoff-contract.ts";

/** Pi's check must pass: the engine reads the real arguments, and its repair turns are counted and limited. */
const ANY_HANDOFF = { workItems: [], satisfied: false, context: "" };

/** [H25] The tool of one turn. A good call ends the turn; beside other calls it is refused, since their results are not known yet. */
export function handOverDefinition(
  { description, parameters }: HandOverTool,
  { last }: { readonly last: () => AssistantMessage | undefined },
): ToolDefinition {
  return {
    name: HAND_OVER,
    label: "Hand over",
    description,
    parameters, // a JSON Schema, which Pi takes as it is
    prepareArguments: () => ANY_HANDOFF,
    execute: async () => {
      if (toolCallsOf(last()).some(({ name }) => name !== HAND_OVER))
        throw new Error(
          `Not handed over: call ${HAND_OVER} alone, after you have seen the results of the other calls.`,
        );
      return { content: [{ type: "text", text: "Handed over." }], details: {}, terminate: true };
    },
  };
}

/** The arguments of the last call, as JSON. */
export function handOverArguments(reply: AssistantMessage | undefined): string {
  return JSON.stringify(toolCallsOf(reply).at(-1)?.arguments ?? {});
}

function toolCallsOf(reply: AssistantMessage | undefined) {
  return (reply?.content ?? []).filter((part) => part.type === "toolCall");
}
