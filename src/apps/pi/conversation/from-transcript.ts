import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { parseTranscriptLine, type TranscriptMessage } from "../../../core/wire/transcript.ts";
import type { Pi } from "../../../shell/agents/pi/pi.ts";
import { thrownMessage } from "../../../core/model/values/text.ts";
import type { Subscription, TranscriptUpdate } from "../../../shell/store/cast-store.ts";
import type { Conversation, SessionMessage } from "./conversations.ts";

/** A conversation that is read from the disk: as much of it as its agent, in whatever process, has finished saying. */
export interface TranscriptConversation extends Conversation {
  /** Takes in what has been written until now. */
  readonly read: () => Promise<void>;
  /** The visit is over: nothing more will come. */
  readonly end: () => void;
  readonly close: () => void;
}

interface TranscriptSource {
  readonly pi: Pi;
  readonly cwd: string;
  /** Opened when somebody looks: of a long cast nobody reads every conversation. */
  readonly follow: (wake: () => void) => Subscription<TranscriptUpdate>;
  readonly onMessage: (message: TranscriptMessage) => void;
  readonly onProblem: (words: string) => void;
}

export function openTranscriptConversation(reading: TranscriptSource, changed: () => void): TranscriptConversation {
  const { pi, cwd, follow, onMessage, onProblem } = reading;
  const messages: SessionMessage[] = [];
  const tools = new Map<string, ToolDefinition | undefined>();
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
      for (const line of news.kind === "lines" ? news.lines : []) {
        const message = parseTranscriptLine(line);
        if (!message || (message.role === "assistant" && typeof message.content === "string")) continue;
        messages.push((JSON.parse(line) as { readonly message: SessionMessage }).message); // of the shape that was just read
        onMessage(message);
      }
    }
    if (!isWorking) lines.close();
    changed();
  };
  // One after the other: two readers of one file would each take half of it.
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
    toolOf: (name) => {
      if (!tools.has(name)) tools.set(name, piToolDefinition(pi, name, cwd));
      return tools.get(name);
    },
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

/** How Pi draws its own tools; of a tool of an extension only the name and the output are shown. */
function piToolDefinition(pi: Pi, name: string, cwd: string): ToolDefinition | undefined {
  const tools: Readonly<Record<string, (cwd: string) => unknown>> = {
    read: pi.createReadToolDefinition,
    write: pi.createWriteToolDefinition,
    edit: pi.createEditToolDefinition,
    bash: pi.createBashToolDefinition,
    ls: pi.createLsToolDefinition,
    grep: pi.createGrepToolDefinition,
    find: pi.createFindToolDefinition,
  };
  return Object.hasOwn(tools, name) ? (tools[name]?.(cwd) as ToolDefinition) : undefined; // each makes one
}
