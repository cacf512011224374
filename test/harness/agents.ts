import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { onTestFinished, vi } from "vitest";
import { CastId, SocketId } from "../../src/core/model/ids.ts";
import { Rehearsal, type ScriptedReply } from "../../src/core/model/rehearsal.ts";
import type { AgentRequirement, TurnProgress, TurnRequest } from "../../src/shell/ports.ts";
import type { Timer } from "../../src/shell/agents/turn-guard.ts";
import type { ServerReply } from "./model-server.ts";

export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "materia-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface AgentRequest {
  readonly request: TurnRequest;
  readonly progress: readonly TurnProgress[];
  readonly abort: () => void;
}

/** A turn to ask for, and what is heard of it. */
export function ask(part: Partial<TurnRequest> = {}): AgentRequest {
  const cwd = part.cwd ?? scratchFolder();
  const progress: TurnProgress[] = [];
  const controller = new AbortController();
  const request: TurnRequest = {
    castId: v.parse(CastId, "cast-1"),
    socket: socket("Socket-1"),
    materia: "Build",
    visit: 1,
    item: null,
    cwd,
    system: "You build.",
    instructions: "none",
    prompt: "Build it.",
    tools: [],
    interactive: false,
    transcript: join(cwd, "visits", "1", "transcript.jsonl"),
    history: "fresh",
    redact: (text) => text,
    env: {},
    earlierTurns: () => [],
    isBudgetSpent: () => false,
    holdsClaim: async () => true,
    isSuperseded: () => false,
    signal: controller.signal,
    onProgress: (event) => progress.push(event),
    ...part,
  };
  return { request, progress, abort: () => controller.abort() };
}

export function socket(id: string): SocketId {
  return v.parse(SocketId, id);
}

export function need(part: Partial<AgentRequirement> = {}): AgentRequirement {
  return { socket: socket("Socket-1"), materia: "Build", tools: [], ...part };
}

export function rehearsal(
  replies: v.InferInput<typeof Rehearsal>["replies"],
  onEmpty?: Rehearsal["onEmpty"],
): Rehearsal {
  return v.parse(Rehearsal, { replies, ...(onEmpty ? { onEmpty } : {}) });
}

/** What a real provider would send for these replies. */
export function serverReplies(replies: readonly ScriptedReply[]): readonly ServerReply[] {
  return replies.flatMap((reply): readonly ServerReply[] => [
    ...reply.tools.map((call) => ({ call, usage: shareOf(reply) })),
    reply.error ? ERRORS[reply.error] : spoken(reply),
  ]);
}

/** What each request of a reply uses; tests choose amounts that can be shared out. */
function shareOf({ usage = { input: 0, output: 0 }, tools }: ScriptedReply): {
  readonly input: number;
  readonly output: number;
} {
  return { input: usage.input / (tools.length + 1), output: usage.output / (tools.length + 1) };
}

const ERRORS: Record<NonNullable<ScriptedReply["error"]>, ServerReply> = {
  provider: { status: 503, message: "the provider is down" },
  timeout: { status: 504, message: "the gateway timed out" },
  overflow: { status: 400, message: "this model's maximum context length is 8000 tokens" },
  overload: { status: 529, message: "overloaded" },
  limit: { status: 429, message: "rate limit" },
  quota: { status: 429, message: "insufficient_quota" },
};

function spoken(reply: ScriptedReply): ServerReply {
  if (reply.delayMs !== undefined) return { hang: "before" };
  const text = reply.text ?? JSON.stringify(reply.json);
  return { text, usage: reply.usage ? shareOf(reply) : { input: 1, output: 1 } };
}

/** A separate Pi configuration folder, without the keys of the person who runs the tests. */
export function piFolder(files: Readonly<Record<string, unknown>>): string {
  const folder = join(scratchFolder(), "agent");
  if (Object.keys(files).length > 0) mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  for (const name of Object.keys(process.env)) {
    if (/KEY|TOKEN|SECRET|CREDENTIAL|^AWS_|^GOOGLE_|^PI_/.test(name)) vi.stubEnv(name, undefined);
  }
  vi.stubEnv("HOME", folder);
  vi.stubEnv("PI_CODING_AGENT_DIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

/** Pi's models.json for the stand-in server. */
export function modelsFile(
  url: string,
  models: readonly object[] = [{ id: "small" }, { id: "org/deep", reasoning: true }],
): object {
  const common = {
    contextWindow: 100_000,
    maxTokens: 1000,
    cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
  };
  return {
    providers: {
      local: {
        baseUrl: url,
        api: "openai-completions",
        apiKey: "none",
        compat: { supportsDeveloperRole: false, supportsStore: false },
        models: models.map((model) => ({ ...common, ...model })),
      },
    },
  };
}

interface TranscriptLine {
  readonly type: string;
  readonly message?: { readonly role: string; readonly content: unknown };
}

/** The transcript as `role: text`, one per message. */
export function conversation(path: string): readonly string[] {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const { message } = JSON.parse(line) as TranscriptLine;
    return message && message.role !== "system" ? [`${message.role}: ${wordsOf(message.content)}`] : [];
  });
}

function wordsOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((part: { text?: string; name?: string }) => part.text ?? part.name ?? "").join("");
}

export interface HandTimer {
  readonly after: Timer;
  /** Resolves when something waits for that long. */
  readonly set: (ms: number) => Promise<void>;
  readonly waiting: () => readonly number[];
  readonly fire: (ms: number) => void;
}

/** Time that passes only by hand. */
export function handTimer(): HandTimer {
  const pending = new Set<{ readonly ms: number; readonly fire: () => void }>();
  const awaited = new Map<number, PromiseWithResolvers<void>>();
  const arrival = (ms: number) => {
    const known = awaited.get(ms) ?? Promise.withResolvers<void>();
    awaited.set(ms, known);
    return known;
  };
  const after: Timer = (ms, fire) => {
    const entry = { ms, fire };
    pending.add(entry);
    arrival(ms).resolve();
    return () => void pending.delete(entry);
  };
  const waiting = () => [...pending].map(({ ms }) => ms);
  const fire = (ms: number) => {
    for (const entry of pending) if (entry.ms === ms && pending.delete(entry)) entry.fire();
  };
  return { after, set: (ms) => arrival(ms).promise, waiting, fire };
}
