import type { ContextWithSystemEvent, ExtensionAPI, SessionManager } from "@earendil-works/pi-coding-agent";
import { NO_USAGE } from "../../../core/cast/state/usage.ts";
import { VISIT_VARIABLE } from "../../../shell/process/processes.ts";
import { systemPromptFor, loadPi } from "../../../shell/agents/pi-sdk.ts";
import { openTranscript, type OpenedTranscript } from "../../../shell/agents/transcript.ts";
import { thrownMessage } from "../../../core/model/text.ts";
import { diskFailure, failedTurn, continueIfOwned, stopAtLimit, turnOutcome } from "../../../shell/agents/pi-turn.ts";
import { createTurnRecord, type TurnRecord } from "../../../shell/agents/turn-record.ts";
import { endTurnAtRefusal } from "../../../shell/agents/provider-responses.ts";
import { guardTurn, type TurnGuard, type TurnStop, type Timer } from "../../../shell/agents/turn-guard.ts";
import type { AgentRetryOptions } from "../../../shell/workspace/agent-hosts.ts";
import type { TurnOutcome, TurnRequest } from "../../../shell/ports.ts";
import {
  turnCard,
  turnMessages,
  turnEntriesToHide,
  failedAnswerToHide,
  type TurnContext,
  createTurnRetries,
  type TurnRetries,
} from "./turn-context.ts";
import { redirectTyping } from "../session/dialogs.ts";
import { runUnlessReplaced, type UserSession, TURN_ENTRY } from "../session/user-session.ts";
import { applyTurnSettings } from "../session/turn-settings.ts";

type Messages = ContextWithSystemEvent["messages"];

export type VisibleTurnTiming = AgentRetryOptions & { readonly after: Timer };

export type VisibleTurns = ReturnType<typeof createVisibleTurns>;

export function createVisibleTurns(user: UserSession) {
  let running = false;
  let answered = false;
  return {
    isRunning: () => running,
    /** Whether its last turn was answered, so that the person has seen the answer. */
    hasAnswered: () => answered,
    runTurn: async (request: TurnRequest, patience: VisibleTurnTiming): Promise<TurnOutcome> => {
      answered = false;
      try {
        if (!(await waitUntilIdle(user, request.signal))) return ABORTED;
        running = true;
        const outcome = await runVisibleTurn(user, request, patience);
        answered = outcome.kind === "said";
        return outcome;
      } catch (thrown) {
        return failedTurn("provider", thrownMessage(thrown), NO_USAGE);
      } finally {
        running = false;
      }
    },
  };
}

const ABORTED = failedTurn("aborted", "the turn was aborted before it began", NO_USAGE);

let turnCount = 0;

/** [X18, X20] Runs one turn with its own tools, model, system text and history, then restores the user's in every case. */
async function runVisibleTurn(user: UserSession, request: TurnRequest, patience: VisibleTurnTiming) {
  const own = await loadPi();
  const transcript = openTranscript(own, request);
  const { session } = transcript;
  if (!session) return diskFailure(transcript) ?? ABORTED;
  turnCount += 1;
  const context: TurnContext = {
    turn: `${request.castId}/${turnCount}`,
    system: `${systemPromptFor(own, request)}\n\nCurrent working directory: ${request.cwd}`,
    earlier: session.buildSessionContext().messages.filter(({ role }) => role !== "system"),
  };
  let seen: TurnRecord | undefined;
  const settings = await applyTurnSettings(user, request, { last: () => seen?.last() });
  try {
    if (settings.problem !== undefined) return failedTurn("provider", settings.problem, NO_USAGE);
    const restore = applyEnvironment(request.env);
    // With the model that the session has now.
    seen = createTurnRecord(request, user.ctx.model?.cost);
    const setup = { context, opened: transcript, transcript: session, patience, seen };
    const outcome = await askInSession(user, request, setup).finally(restore);
    return diskFailure(transcript, outcome) ?? outcome;
  } finally {
    await settings.restore();
  }
}

/** [U42] The session's shell takes its environment from this process, and no other turn runs in the session now. Without the visit's secret: programs that the person starts must not end with the visit. */
function applyEnvironment({ [VISIT_VARIABLE]: _secret, ...env }: TurnRequest["env"]): () => void {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

interface TurnSetup {
  readonly context: TurnContext;
  readonly opened: OpenedTranscript;
  readonly transcript: SessionManager;
  readonly patience: VisibleTurnTiming;
  readonly seen: TurnRecord;
}

async function askInSession({ pi, ctx }: UserSession, request: TurnRequest, setup: TurnSetup): Promise<TurnOutcome> {
  const { context, opened, transcript, patience, seen } = setup;
  const { after, silenceMs } = { silenceMs: undefined, ...patience };
  const { signal, onProgress } = request;
  // Resolves when the next run is idle.
  const settled = Promise.withResolvers<void>();
  const offSettled = pi.on("agent_settled", () => settled.resolve());
  const guard = guardTurn({ halt: () => runUnlessReplaced(() => ctx.abort()), signal, after, silenceMs });
  const retries = createTurnRetries(patience, after, onProgress);
  const goesOn = () => continueIfOwned(guard, opened, request);
  const stop = subscribeToTurn(pi, { context, retries, guard, goesOn, signal }, (event) => {
    guard.onEvent(event);
    if (event.type === "turn_end") return stopAtLimit(guard, seen, request);
    seen.hear(event);
    if (event.type !== "message_end") return;
    endTurnAtRefusal(guard, seen.last(), {});
    appendToTranscript(transcript, event.message);
    if (event.message.role === "assistant" && event.message.stopReason === "error")
      retries.recordFailure(event.message);
  });
  try {
    const model = ctx.model ?? { provider: "", id: "" };
    onProgress({ kind: "asked", system: context.system });
    const details = { turn: context.turn, ...turnCard(request) };
    pi.sendMessage({ customType: TURN_ENTRY, content: request.prompt, display: true, details }, { triggerTurn: true });
    await Promise.race([settled.promise, guard.graceExpired]);
    return turnOutcome(seen, guard.stopReason() ?? stopByPerson(seen), model);
  } finally {
    guard.release();
    runUnlessReplaced(offSettled);
    stop();
  }
}

/** The person ended it with Pi's own keys. */
function stopByPerson(seen: TurnRecord): TurnStop | undefined {
  return seen.last()?.stopReason === "aborted" ? { reason: "aborted", message: "the turn was aborted" } : undefined;
}

/** [A16] The visit's transcript grows with the turn, as in a separate session. */
function appendToTranscript(transcript: SessionManager, message: Messages[number]): void {
  if (message.role === "assistant" || message.role === "toolResult") transcript.appendMessage(message);
  if (message.role === "custom")
    transcript.appendMessage({ role: "user", content: message.content, timestamp: message.timestamp });
}

type RecordedEvent = Parameters<TurnRecord["hear"]>[0];

interface TurnListeners {
  readonly context: TurnContext;
  readonly retries: TurnRetries;
  readonly guard: TurnGuard;
  /** [D28] Whether this process still owns the cast; if not, the turn has ended. */
  readonly goesOn: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Listens to Pi's events of one turn. The returned function removes the listeners. */
function subscribeToTurn(pi: ExtensionAPI, listening: TurnListeners, hear: (event: RecordedEvent) => void) {
  const { context, retries, guard, goesOn, signal } = listening;
  let release: (() => void) | undefined;
  let stopKeeping: (() => void) | undefined;
  const offs = [
    pi.on("context_with_system", async (event) => {
      await goesOn();
      return { messages: turnMessages(event.messages, context, activeTools(pi)) };
    }),
    pi.on("tool_call", async () =>
      (await goesOn()) ? undefined : { block: true, reason: guard.stopReason()?.message ?? "" },
    ),
    // [X23] A cast must not compact the user's history.
    pi.on("session_before_compact", ({ reason }) => (reason === "manual" ? undefined : { cancel: true })),
    pi.on("agent_before_settle", async (event, ctx) => {
      const branch = () => ctx.sessionManager.getBranch();
      if (event.outcome === "error" && !guard.stopReason() && (await retries.waitForRetry(signal)) && (await goesOn()))
        return { entries: [...event.entries, ...failedAnswerToHide(branch())], continue: true };
      return { entries: [...event.entries, ...turnEntriesToHide(branch(), context.turn)] };
    }),
    // Pi forgets an abort that comes before its run starts; its retry is a run, too.
    pi.on("agent_start", (event) => {
      const error = retries.exhaustedError();
      if (error !== undefined) guard.end({ reason: "provider", message: error });
      guard.onEvent(event);
    }),
    pi.on("message_update", (event) => hear(event)),
    pi.on("message_end", (event) => hear(event)),
    pi.on("turn_end", ({ message, toolResults }) => hear({ type: "turn_end", message, toolResults })),
    pi.on("tool_execution_start", (event) => hear(event)),
    pi.on("tool_execution_update", (event) => hear(event)),
    pi.on("tool_execution_end", (event) => hear(event)),
    pi.on("ui_prompt_start", ({ kind }, ctx) => {
      release ??= guard.suspendTimeout();
      if (ctx.mode === "tui" && (kind === "select" || kind === "confirm")) stopKeeping ??= redirectTyping(ctx.ui);
    }),
    pi.on("ui_prompt_end", () => {
      release?.();
      stopKeeping?.();
      [release, stopKeeping] = [undefined, undefined];
    }),
  ];
  return (): void => {
    for (const off of [...offs, () => stopKeeping?.()]) runUnlessReplaced(off);
  };
}

function activeTools(pi: ExtensionAPI) {
  const active = new Set(pi.getActiveTools());
  const tools = pi.getAllTools().filter(({ name }) => active.has(name));
  return tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
}

/** Whether the session was idle before the cast was aborted, as when the session is left. */
async function waitUntilIdle(user: UserSession, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  if (user.ctx.isIdle()) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = () => resolve(false);
  signal.addEventListener("abort", stop);
  const off = user.pi.on("agent_settled", () => resolve(true));
  return promise.finally(() => {
    signal.removeEventListener("abort", stop);
    runUnlessReplaced(off);
  });
}
