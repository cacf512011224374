import type { AgentSession, AgentSessionEvent, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { visitText } from "../../../core/view/graph/words.ts";
import type { TurnRequest } from "../../../shell/ports.ts";

export type Message = AgentSession["messages"][number];

/** What an agent in a session of its own says and does. */
export interface Conversation {
  readonly title: string;
  readonly cwd: string;
  readonly isWorking: () => boolean;
  readonly messages: () => readonly Message[];
  /** The reply that is being written now. */
  readonly streaming: () => Message | undefined;
  /** What a tool that still runs has said so far. */
  readonly partial: (callId: string) => unknown;
  readonly toolOf: (name: string) => ToolDefinition | undefined;
}

/** The agents of a cast that work or have worked lately, in the order in which they began. */
export interface Conversations {
  readonly add: (session: AgentSession, turn: VisitOfTurn) => void;
  readonly all: () => readonly Conversation[];
  /** Calls back when any of them goes on; the answer stops it. */
  readonly onChange: (listener: () => void) => () => void;
}

export type VisitOfTurn = Pick<TurnRequest, "castId" | "socket" | "materia" | "visit" | "item" | "cwd">;

/** As many as are kept: a cast of a thousand visits must not keep a thousand conversations in memory. */
const KEPT = 12;

export function openConversations(): Conversations {
  const known = new Map<string, Conversation>();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    add: (session, turn) => {
      // A turn that goes on with a visit is the same conversation, whose session knows what was said before.
      known.delete(keyOf(turn));
      known.set(keyOf(turn), conversationOf(session, turn, changed));
      for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - KEPT))) known.delete(oldest);
      changed();
    },
    all: () => [...known.values()],
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function keyOf({ castId, socket, visit }: VisitOfTurn): string {
  return `${castId} ${socket} ${visit}`;
}

function conversationOf(session: AgentSession, turn: VisitOfTurn, changed: () => void): Conversation {
  const partials = new Map<string, unknown>();
  session.subscribe((event) => {
    notePartial(partials, event);
    changed();
  });
  const { socket, materia, visit, item, cwd } = turn;
  return {
    title: `${visitText(socket, materia)}, visit ${visit}${item === null ? "" : `, ${item}`}`,
    cwd,
    isWorking: () => session.isStreaming,
    messages: () => session.messages,
    streaming: () => session.state.streamingMessage,
    partial: (callId) => partials.get(callId),
    toolOf: (name) => session.getToolDefinition(name),
  };
}

function notePartial(partials: Map<string, unknown>, event: AgentSessionEvent): void {
  if (event.type === "tool_execution_update") partials.set(event.toolCallId, event.partialResult);
  if (event.type === "tool_execution_end") partials.delete(event.toolCallId);
}
