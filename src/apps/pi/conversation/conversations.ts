import type { AgentSession, ToolDefinition, AgentSessionEvent } from "@earendil-works/pi-coding-agent";
import { visitLabel } from "../../../core/view/graph/labels.ts";
import type { TurnRequest } from "../../../shell/ports.ts";

export type SessionMessage = AgentSession["messages"][number];

/** The conversation of an agent in a separate session. */
export interface Conversation {
  readonly cwd: string;
  readonly isWorking: () => boolean;
  readonly messages: () => readonly SessionMessage[];
  /** The reply that is being written now. */
  readonly streaming: () => SessionMessage | undefined;
  /** Partial output of a running tool. */
  readonly partialOutput: (callId: string) => unknown;
  /** When a running tool started, in milliseconds, if known. */
  readonly startedAt?: (callId: string) => number | undefined;
  readonly toolOf: (name: string) => ToolDefinition | undefined;
  /** Closes it: it is no longer shown. */
  readonly close?: () => void;
}

export interface TitledConversation extends Conversation {
  readonly title: string;
}

/** The agents of casts that work now or worked recently, in the order in which they started. */
export interface Conversations {
  /** `runOpen` receives the callback for changes of the conversation. */
  readonly add: (visit: ConversationVisit, open: (changed: () => void) => Conversation) => void;
  readonly all: () => readonly TitledConversation[];
  /** Calls back when any of them changes; the returned function stops it. */
  readonly onChange: (listener: () => void) => () => void;
}

export type ConversationVisit = Pick<TurnRequest, "castId" | "socket" | "materia" | "visit" | "item" | "cwd">;

/** Bound the memory: a cast of a thousand visits must not keep a thousand conversations. */
const MAX_CONVERSATIONS = 12;

export function createConversations(): Conversations {
  const known = new Map<string, TitledConversation>();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const forget = (key: string): void => {
    known.get(key)?.close?.();
    known.delete(key);
  };
  return {
    add: (visit, open) => {
      // A turn that continues a visit continues its conversation, which knows the earlier messages.
      forget(conversationKey(visit));
      known.set(conversationKey(visit), { ...open(changed), title: conversationTitle(visit) });
      for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - MAX_CONVERSATIONS))) forget(oldest);
      changed();
    },
    all: () => [...known.values()],
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function conversationKey({ castId, socket, visit }: ConversationVisit): string {
  return `${castId} ${socket} ${visit}`;
}

function conversationTitle({ socket, materia, visit, item }: ConversationVisit): string {
  return `${visitLabel(socket, materia)}, visit ${visit}${item === null ? "" : `, ${item}`}`;
}

/** The conversation of an agent in this process, up to the word that it is writing. */
export function sessionConversation(session: AgentSession, cwd: string, changed: () => void): Conversation {
  const partials = new Map<string, unknown>();
  const starts = new Map<string, number>();
  session.subscribe((event) => {
    if (event.type === "tool_execution_start") starts.set(event.toolCallId, Date.now());
    if (event.type === "tool_execution_end") starts.delete(event.toolCallId);
    notePartial(partials, event);
    changed();
  });
  return {
    cwd,
    isWorking: () => session.isStreaming,
    messages: () => session.messages,
    streaming: () => session.state.streamingMessage,
    partialOutput: (callId) => partials.get(callId),
    startedAt: (callId) => starts.get(callId),
    toolOf: (name) => session.getToolDefinition(name),
  };
}

function notePartial(partials: Map<string, unknown>, event: AgentSessionEvent): void {
  if (event.type === "tool_execution_update") partials.set(event.toolCallId, event.partialResult);
  if (event.type === "tool_execution_end") partials.delete(event.toolCallId);
}
