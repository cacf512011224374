import type { AgentSession, AgentSessionEvent } from "@earendil-works/pi-coding-agent";
import type { Conversation } from "./conversations.ts";

/** The conversation of an agent that works in this process, up to the word that it is writing. */
export function sessionConversation(session: AgentSession, cwd: string, changed: () => void): Conversation {
  const partials = new Map<string, unknown>();
  session.subscribe((event) => {
    notePartial(partials, event);
    changed();
  });
  return {
    cwd,
    isWorking: () => session.isStreaming,
    messages: () => session.messages,
    streaming: () => session.state.streamingMessage,
    partialOutput: (callId) => partials.get(callId),
    toolOf: (name) => session.getToolDefinition(name),
  };
}

function notePartial(partials: Map<string, unknown>, event: AgentSessionEvent): void {
  if (event.type === "tool_execution_update") partials.set(event.toolCallId, event.partialResult);
  if (event.type === "tool_execution_end") partials.delete(event.toolCallId);
}
