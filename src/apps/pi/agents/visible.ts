import type { ContextWithSystemEvent, ExtensionAPI, SessionManager } from "@earendil-works/pi-coding-agent";
import { NO_USAGE } from "../../../core/cast/state/usage.ts";
import { VISIT_VARIABLE } from "../../../shell/process/visit-secret.ts";
import { systemOf } from "../../../shell/agents/pi/instructions.ts";
import { loadPi } from "../../../shell/agents/pi/pi.ts";
import { openTranscript, type OpenedTranscript } from "../../../shell/agents/transcript.ts";
import { thrownText } from "../../../core/model/values/text.ts";
import { brokenDisk, failed, stillHolds, stopWhenUsedUp, turnOutcome } from "../../../shell/agents/turn.ts";
import { openTurnRecord, type TurnRecord } from "../../../shell/agents/turn-record.ts";
import { guardTurn, type Guard, type TurnStop, type Timer } from "../../../shell/agents/guard.ts";
import type { Patience } from "../../../shell/casting/workspace/hosts.ts";
import type { TurnOutcome, TurnRequest } from "../../../shell/ports.ts";
import { turnCard } from "../cards/turn-card.ts";
import { keepTyping } from "../tui/calm-dialogs.ts";
import { unlessReplaced, type UserSession } from "../session/user-session.ts";
import { TURN } from "../session/marks.ts";
import { useTurnSettings } from "../session/settings.ts";
import { messagesOfTurn, entriesToHide, failedEntries, type TurnContext } from "./turn-context.ts";
import { turnRetries, type Retries } from "./retries.ts";
import { untilIdle, untilSettled } from "./settle.ts";

type Messages = ContextWithSystemEvent["messages"];

export type VisiblePatience = Patience & { readonly after: Timer };

/** Turns that run in the user's own session, where the person sees and steers them. */
export interface VisibleBody {
  readonly runTurn: (request: TurnRequest, patience: VisiblePatience) => Promise<TurnOutcome>;
  /** Whether the session is in such a turn now. */
  readonly isRunning: () => boolean;
  /** Whether its last turn was answered, so that the person has seen it. */
  readonly hasAnswered: () => boolean;
}

export function visibleBody(user: UserSession): VisibleBody {
  let running = false;
  let answered = false;
  return {
    isRunning: () => running,
    hasAnswered: () => answered,
    runTurn: async (request, patience) => {
      answered = false;
      try {
        if (!(await untilIdle(user, request.signal))) return aborted();
        running = true;
        const outcome = await runInSession(user, request, patience);
        answered = outcome.kind === "said";
        return outcome;
      } catch (thrown) {
        return failed("provider", thrownText(thrown), NO_USAGE);
      } finally {
        running = false;
      }
    },
  };
}

function aborted(): TurnOutcome {
  return failed("aborted", "the turn was aborted before it began", NO_USAGE);
}

let turns = 0;

/** [X18, X20] One turn with its own tools, model, system text and history; whatever happens, the user's are put back. */
async function runInSession(user: UserSession, request: TurnRequest, patience: VisiblePatience): Promise<TurnOutcome> {
  const own = await loadPi();
  const transcript = openTranscript(own, request);
  const { session } = transcript;
  if (!session) return brokenDisk(transcript) ?? aborted();
  turns += 1;
  const context: TurnContext = {
    turn: `${request.castId}/${turns}`,
    system: `${systemOf(own, request)}\n\nCurrent working directory: ${request.cwd}`,
    earlier: session.buildSessionContext().messages.filter(({ role }) => role !== "system"),
  };
  const settings = await useTurnSettings(user, request);
  try {
    if (settings.problem !== undefined) return failed("provider", settings.problem, NO_USAGE);
    const restore = lendEnvironment(request.env);
    const outcome = await ask(user, request, { context, opened: transcript, transcript: session, patience }).finally(
      restore,
    );
    return brokenDisk(transcript, outcome) ?? outcome;
  } finally {
    await settings.restore();
  }
}

/**
 * [U42] The session's own shell takes its environment from this process, and no other turn runs in the session meanwhile.
 * Without the visit's secret: what the person starts beside it is not to be ended with the visit.
 */
function lendEnvironment({ [VISIT_VARIABLE]: _secret, ...env }: TurnRequest["env"]): () => void {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

interface Asked {
  readonly context: TurnContext;
  readonly opened: OpenedTranscript;
  readonly transcript: SessionManager;
  readonly patience: VisiblePatience;
}

async function ask({ pi, ctx }: UserSession, request: TurnRequest, asked: Asked): Promise<TurnOutcome> {
  const { context, opened, transcript, patience } = asked;
  const { after, silenceMs } = { silenceMs: undefined, ...patience };
  const seen = openTurnRecord(request.onProgress);
  const settled = untilSettled({ pi, ctx });
  const guard = guardTurn({ halt: () => unlessReplaced(() => ctx.abort()), signal: request.signal, after, silenceMs });
  const retries = turnRetries({ patience, after, onProgress: request.onProgress });
  const goesOn = () => stillHolds(guard, opened, request);
  const stop = listen(pi, { context, retries, guard, goesOn, signal: request.signal }, (event) => {
    guard.hear(event);
    if (event.type === "turn_end") return stopWhenUsedUp(guard, seen, request);
    seen.hear(event);
    if (event.type !== "message_end") return;
    keep(transcript, event.message);
    if (event.message.role === "assistant" && event.message.stopReason === "error") retries.failed(event.message);
  });
  try {
    const model = ctx.model ?? { provider: "", id: "" };
    request.onProgress({ kind: "told", system: context.system });
    const details = { turn: context.turn, ...turnCard(request) };
    pi.sendMessage({ customType: TURN, content: request.prompt, display: true, details }, { triggerTurn: true });
    await Promise.race([settled.done, guard.gaveUp]);
    return turnOutcome(seen, guard.stop() ?? stopOf(seen), model);
  } finally {
    guard.release();
    settled.release();
    stop();
  }
}

/** The person has ended it with Pi's own means. */
function stopOf(seen: TurnRecord): TurnStop | undefined {
  return seen.last()?.stopReason === "aborted" ? { reason: "aborted", message: "the turn was aborted" } : undefined;
}

/** [A16] The visit's transcript grows with the turn, as in a session of its own. */
function keep(transcript: SessionManager, message: Messages[number]): void {
  if (message.role === "assistant" || message.role === "toolResult") transcript.appendMessage(message);
  if (message.role === "custom")
    transcript.appendMessage({ role: "user", content: message.content, timestamp: message.timestamp });
}

type Heard = Parameters<ReturnType<typeof openTurnRecord>["hear"]>[0];

interface Listening {
  readonly context: TurnContext;
  readonly retries: Retries;
  readonly guard: Guard;
  /** [D28] Whether the cast is still ours; where it is not, the turn is at its end. */
  readonly goesOn: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Everything Pi asks or tells during one turn. The answer takes the listeners away again. */
function listen(pi: ExtensionAPI, listening: Listening, hear: (event: Heard) => void) {
  const { context, retries, guard, goesOn, signal } = listening;
  let release: (() => void) | undefined;
  let stopKeeping: (() => void) | undefined;
  const offs = [
    pi.on("context_with_system", async (event) => {
      await goesOn();
      return { messages: messagesOfTurn(event.messages, context, toolsNow(pi)) };
    }),
    pi.on("tool_call", async () =>
      (await goesOn()) ? undefined : { block: true, reason: guard.stop()?.message ?? "" },
    ),
    // [X23] A cast must not cost the user their history, whatever its turn would need.
    pi.on("session_before_compact", ({ reason }) => (reason === "manual" ? undefined : { cancel: true })),
    pi.on("agent_before_settle", async (event, ctx) => {
      const branch = () => ctx.sessionManager.getBranch();
      if (event.outcome === "error" && !guard.stop() && (await retries.again(signal)) && (await goesOn()))
        return { entries: [...event.entries, ...failedEntries(branch())], continue: true };
      return { entries: [...event.entries, ...entriesToHide(branch(), context.turn)] };
    }),
    // Pi forgets an abort that comes before its run has begun; a retry of its own is a run, too.
    pi.on("agent_start", (event) => {
      const error = retries.tooMany();
      if (error !== undefined) guard.end({ reason: "provider", message: error });
      guard.hear(event);
    }),
    pi.on("message_update", (event) => hear(event)),
    pi.on("message_end", (event) => hear(event)),
    pi.on("turn_end", ({ message, toolResults }) => hear({ type: "turn_end", message, toolResults })),
    pi.on("tool_execution_start", (event) => hear(event)),
    pi.on("tool_execution_update", (event) => hear(event)),
    pi.on("tool_execution_end", (event) => hear(event)),
    pi.on("ui_prompt_start", ({ kind }, ctx) => {
      release ??= guard.hold();
      if (ctx.mode === "tui" && (kind === "select" || kind === "confirm")) stopKeeping ??= keepTyping(ctx.ui);
    }),
    pi.on("ui_prompt_end", () => {
      release?.();
      stopKeeping?.();
      [release, stopKeeping] = [undefined, undefined];
    }),
  ];
  return (): void => {
    for (const off of [...offs, () => stopKeeping?.()]) unlessReplaced(off);
  };
}

function toolsNow(pi: ExtensionAPI) {
  const active = new Set(pi.getActiveTools());
  return pi
    .getAllTools()
    .filter(({ name }) => active.has(name))
    .map(({ name, description, parameters }) => ({ name, description, parameters }));
}
