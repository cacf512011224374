import { join } from "node:path";
import type { CastId, SocketId } from "../../src/core/model/ids.ts";
import { realTimer } from "../../src/shell/agents/turn-guard.ts";
import { EMPTY_CREDENTIALS, loadPi, bareResources, createSettings } from "../../src/shell/agents/pi-sdk.ts";
import { createRehearsalHost } from "../../src/shell/agents/rehearsal-host.ts";
import { SCRIPTED_MODEL, createScriptedProvider, type ReplyScript } from "../../src/shell/agents/scripted-provider.ts";
import { withScratch, median } from "./process.ts";

export interface RehearsalFigures {
  readonly turns: number;
  /** A turn of a rehearsal, its transcript written to disk. */
  readonly oursMs: number;
  /** The same session and answer by Pi alone, nothing kept. */
  readonly piMs: number;
  readonly beyondMs: number;
}

const WARM_UP = 20;

/** What one isolated turn costs beyond what Pi itself takes for it. Both take turns, so that a busy machine is busy for both. */
export function measureRehearsal(turns: number): Promise<RehearsalFigures> {
  return withScratch(async (scratch) => {
    const ours = oursIn(scratch);
    const pi = await piIn(scratch);
    const times: { ours: number; pi: number }[] = [];
    for (let turn = 0; turn < WARM_UP + turns; turn += 1)
      times.push({ ours: await timed(() => ours(turn)), pi: await timed(pi) });
    const warm = times.slice(WARM_UP);
    const oursMs = median(warm.map((each) => each.ours));
    const piMs = median(warm.map((each) => each.pi));
    return { turns, oursMs, piMs, beyondMs: median(warm.map((each) => each.ours - each.pi)) };
  });
}

function oursIn(scratch: string): (turn: number) => Promise<void> {
  const reply = { text: "done", tools: [] };
  const host = createRehearsalHost({ replies: { Build: [reply] }, onEmpty: "repeat-last" });
  return async (turn) => {
    const outcome = await host.runTurn({
      castId: "bench" as CastId, // of an id's form
      socket: "Socket-1" as SocketId, // as above
      materia: "Build",
      visit: turn + 1,
      item: null,
      cwd: scratch,
      system: SYSTEM,
      prompt: PROMPT,
      tools: TOOLS,
      interactive: false,
      transcript: join(scratch, "sockets", "Socket-1", String(turn + 1), "transcript.jsonl"),
      history: "fresh",
      earlierTurns: () => [],
      isBudgetSpent: () => false,
      holdsClaim: async () => true,
      isSuperseded: () => false,
      instructions: "none",
      redact: (text: string) => text,
      env: {},
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    if (outcome.kind !== "said") throw new Error(outcome.message);
  };
}

async function piIn(scratch: string): Promise<() => Promise<void>> {
  const pi = await loadPi();
  const scripts = new Map<string, ReplyScript>();
  const modelRuntime = await pi.ModelRuntime.create({
    credentials: EMPTY_CREDENTIALS,
    modelsPath: null,
    refreshOnCreate: false,
  });
  modelRuntime.registerNativeProvider(createScriptedProvider(scripts, realTimer));
  const settingsManager = createSettings(pi, {}, { maxRetries: 3, baseDelayMs: 0 });
  const say = { does: { kind: "say", text: "done" }, delayMs: 0, usage: { input: 0, output: 0 } } as const;
  return async () => {
    const { session } = await pi.createAgentSession({
      cwd: scratch,
      modelRuntime,
      settingsManager,
      model: SCRIPTED_MODEL,
      tools: [...TOOLS],
      resourceLoader: bareResources(pi, SYSTEM),
      sessionManager: pi.SessionManager.inMemory(scratch),
    });
    scripts.set(session.sessionId, { next: () => say, missing: () => undefined });
    await session.prompt(PROMPT, { expandPromptTemplates: false });
    session.dispose();
    scripts.delete(session.sessionId);
  };
}

const SYSTEM = "You build. Do the current item and nothing else.";
const PROMPT = "## Request\n\nDo the work.";
const TOOLS = ["read", "bash", "edit", "write"];

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
