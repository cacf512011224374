import type { AgentSession, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { visitLabel } from "../../../core/view/graph/labels.ts";
import type { TurnRequest, TurnProgress } from "../../../shell/ports.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import { currentItemKey } from "../../../core/cast/state/current-item.ts";
import type { CastStep } from "../../../core/cast/timeline.ts";
import { materiaOf, socketOf } from "../../../core/compile/graph.ts";
import { type TranscriptMessage, ownTranscriptLines, parseTranscriptLine } from "../../../core/cast/transcript.ts";
import { createTranscriptProgress } from "../../../core/wire/stream.ts";
import { turnProgressFrom } from "../../../shell/casting/live-progress.ts";
import type { Pi } from "../../../shell/agents/pi-sdk.ts";
import { toolDefinitions } from "../../../shell/agents/tool-process.ts";
import type { CastStore, Subscription, TranscriptUpdate } from "../../../shell/store/cast-store.ts";
import { thrownMessage } from "../../../core/model/text.ts";

export type SessionMessage = AgentSession["messages"][number];

export interface Conversation {
  readonly cwd: string;
  readonly isWorking: () => boolean;
  readonly messages: () => readonly SessionMessage[];
  readonly streaming: () => SessionMessage | undefined;
  readonly partialOutput: (callId: string) => unknown;
  readonly startedAt?: (callId: string) => number | undefined;
  readonly toolOf: (name: string) => ToolDefinition | undefined;
  readonly close?: () => void;
}

export interface TitledConversation extends Conversation {
  readonly title: string;
}

export type Conversations = ReturnType<typeof createConversations>;

type ConversationVisit = Pick<TurnRequest, "castId" | "socket" | "materia" | "visit" | "item" | "cwd">;

/** Bound the memory: a cast of a thousand visits must not keep a thousand conversations. */
const MAX_CONVERSATIONS = 12;

/** The agents of casts that work now or worked recently, in the order in which they started. */
export function createConversations() {
  const conversations = new Map<string, TitledConversation>();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const forget = (key: string): void => {
    conversations.get(key)?.close?.();
    conversations.delete(key);
  };
  return {
    add: <T extends Conversation>(visit: ConversationVisit, open: (changed: () => void) => T): T => {
      const { castId, socket, materia, visit: number, item } = visit;
      const key = `${castId} ${socket} ${number}`;
      // A turn that continues a visit continues its conversation, which knows the earlier messages.
      forget(key);
      const opened = open(changed);
      const title = `${visitLabel(socket, materia)}, visit ${number}${item === null ? "" : `, ${item}`}`;
      conversations.set(key, { ...opened, title });
      for (const oldest of [...conversations.keys()].slice(0, Math.max(0, conversations.size - MAX_CONVERSATIONS)))
        forget(oldest);
      changed();
      return opened;
    },
    all: (): readonly TitledConversation[] => [...conversations.values()],
    onChange: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The conversation of an agent in this process, up to the word that it is writing. */
export function sessionConversation(session: AgentSession, cwd: string, changed: () => void): Conversation {
  const partials = new Map<string, unknown>();
  const starts = new Map<string, number>();
  session.subscribe((event) => {
    if (event.type === "tool_execution_start") starts.set(event.toolCallId, Date.now());
    if (event.type === "tool_execution_update") partials.set(event.toolCallId, event.partialResult);
    if (event.type === "tool_execution_end") for (const calls of [starts, partials]) calls.delete(event.toolCallId);
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

export type TranscriptFollower = ReturnType<typeof followTranscripts>;

interface FollowOptions {
  readonly pi: Pi;
  readonly store: CastStore;
  readonly cwd: string;
  readonly conversations: Conversations;
  readonly onProgress: (progress: TurnProgress, state: CastState) => void;
  readonly onProblem: (words: string) => void;
}

/** [X54] The agents of a cast that another process runs, read from disk. */
export function followTranscripts(followed: FollowOptions) {
  /** The current visit of each cast: of the cast itself, or of its items. */
  const working = new Map<string, TranscriptConversation>();
  const end = (castId: string): void => {
    working.get(castId)?.end();
    working.delete(castId);
  };
  return {
    follow: ({ event, after }: CastStep): void => {
      if (event.type === "visit_completed" || event.type === "cast_ended") end(after.castId);
      if (event.type !== "visit_started") return;
      end(after.castId);
      if (materiaOf(after.graph, socketOf(after.graph, event.socket)).type !== "agent") return;
      working.set(after.castId, addTranscriptConversation(followed, event, after));
    },
    read: async (): Promise<void> => void (await Promise.all([...working.values()].map(({ read }) => read()))),
    close: (): void => {
      for (const conversation of working.values()) conversation.close();
      working.clear();
    },
  };
}

function addTranscriptConversation(
  { pi, store, cwd, conversations, onProgress, onProblem }: FollowOptions,
  { socket, materia, visit }: Extract<CastStep["event"], { type: "visit_started" }>,
  state: CastState,
): TranscriptConversation {
  const { castId } = state;
  const progressOf = createTranscriptProgress({ socket, visit });
  const added = { castId, socket, materia, visit, item: currentItemKey(state), cwd };
  return conversations.add(added, (changed) => {
    const made = openTranscriptConversation(
      {
        pi,
        cwd,
        follow: (wake: () => void) => store.followTranscript(castId, { socket, visit }, wake),
        onMessage: (message: TranscriptMessage) => {
          // Text of a finished visit is no news.
          for (const note of progressOf(message)) if (made.isWorking()) onProgress(turnProgressFrom(note), state);
        },
        onProblem,
      },
      changed,
    );
    return made;
  });
}

/** A conversation read from disk: everything that its agent, in any process, has finished saying. */
interface TranscriptConversation extends Conversation {
  readonly read: () => Promise<void>;
  readonly end: () => void;
  readonly close: () => void;
}

interface TranscriptSource extends Pick<FollowOptions, "pi" | "cwd" | "onProblem"> {
  /** Open it on demand: of a long cast nobody reads every conversation. */
  readonly follow: (wake: () => void) => Subscription<TranscriptUpdate>;
  readonly onMessage: (message: TranscriptMessage) => void;
}

function openTranscriptConversation(reading: TranscriptSource, changed: () => void): TranscriptConversation {
  const { pi, cwd, follow, onMessage, onProblem } = reading;
  const messages: SessionMessage[] = [];
  let tools: readonly ToolDefinition[] | undefined;
  let isWorking = true;
  let lines: Subscription<TranscriptUpdate> | undefined;
  let isLookedAt = false;
  let isClosed = false;
  let last = Promise.resolve();
  const take = async (): Promise<void> => {
    isLookedAt = true;
    if (isClosed) return;
    lines ??= follow(() => void read());
    for (let news = await lines.next(); news.kind !== "nothing"; news = await lines.next()) {
      if (news.kind === "restarted") messages.length = 0;
      for (const line of ownTranscriptLines(news.kind === "lines" ? news.lines : [])) {
        const message = parseTranscriptLine(line);
        if (!message || (message.role === "assistant" && typeof message.content === "string")) continue;
        messages.push((JSON.parse(line) as { readonly message: SessionMessage }).message); // has the shape that was just parsed
        onMessage(message);
      }
    }
    if (!isWorking) lines.close();
    changed();
  };
  // One after the other: two readers of one file would each get half of it.
  const read = (): Promise<void> =>
    (last = last.then(take).catch((thrown: unknown) => onProblem(`materia: ${thrownMessage(thrown)}`)));
  return {
    cwd,
    read,
    isWorking: () => isWorking,
    messages: () => {
      if (!isLookedAt) void read();
      return messages;
    },
    streaming: () => undefined,
    partialOutput: () => undefined,
    // Pi's own tools are drawn as Pi does; of a tool of an extension only the name and the output.
    toolOf: (name) => (tools ??= toolDefinitions(pi, cwd)).find((tool) => tool.name === name),
    end: () => {
      isWorking = false;
      lines?.close();
      changed();
    },
    close: () => {
      isClosed = true;
      lines?.close();
    },
  };
}
