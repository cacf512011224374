import type { ContextWithSystemEvent, ExtensionAPI, SessionManager } from "@earendil-works/pi-coding-agent";
import { NO_USAGE } from "../../../core/cast/usage.ts";
import { loadPi } from "../../../shell/agents/pi.ts";
import { openTranscript } from "../../../shell/agents/transcript.ts";
import { failed, outcomeOf, textOf } from "../../../shell/agents/turn.ts";
import { witness } from "../../../shell/agents/witness.ts";
import type { TurnOutcome, TurnRequest } from "../../../shell/ports.ts";
import { turnCard } from "../live/turn-card.ts";
import { ifHere, type Here } from "../session/here.ts";
import { TURN } from "../session/marks.ts";
import { borrowSettings } from "../session/settings.ts";
import { curated, entriesToHide, type Curation } from "./curation.ts";
import { untilIdle, untilSettled } from "./settle.ts";

type Messages = ContextWithSystemEvent["messages"];

/** Turns that run in the user's own session, where the person sees and steers them. */
export interface VisibleBody {
  readonly runTurn: (request: TurnRequest) => Promise<TurnOutcome>;
  /** Whether the session is in such a turn now. */
  readonly isRunning: () => boolean;
  /** Whether its last turn was answered, so that the person has seen it. */
  readonly hasAnswered: () => boolean;
}

/** `onAbort` is told when the person ends the turn with Pi's own means. */
export function visibleBody(here: Here, onAbort: () => void): VisibleBody {
  let running = false;
  let answered = false;
  return {
    isRunning: () => running,
    hasAnswered: () => answered,
    runTurn: async (request) => {
      answered = false;
      try {
        if (!(await untilIdle(here, request.signal))) return aborted();
        running = true;
        const outcome = await runInSession(here, request);
        answered = outcome.kind === "said";
        if (outcome.kind === "failed" && outcome.reason === "aborted") onAbort();
        return outcome;
      } catch (thrown) {
        return failed("provider", textOf(thrown), NO_USAGE);
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
async function runInSession(here: Here, request: TurnRequest): Promise<TurnOutcome> {
  const transcript = openTranscript(await loadPi(), request);
  turns += 1;
  const curation: Curation = {
    turn: `${request.castId}/${turns}`,
    system: `${request.system}\n\nCurrent working directory: ${request.cwd}`,
    earlier: transcript.buildSessionContext().messages.filter(({ role }) => role !== "system"),
  };
  const borrowed = await borrowSettings(here, request);
  try {
    if (borrowed.problem !== undefined) return failed("provider", borrowed.problem, NO_USAGE);
    return await ask(here, request, { curation, transcript });
  } finally {
    await borrowed.giveBack();
  }
}

interface Asking {
  readonly curation: Curation;
  readonly transcript: SessionManager;
}

async function ask({ pi, ctx }: Here, request: TurnRequest, { curation, transcript }: Asking): Promise<TurnOutcome> {
  const seen = witness(request.onProgress);
  const settled = untilSettled({ pi, ctx }, request.signal);
  const stop = listen(pi, curation, (event) => {
    seen.hear(event);
    if (event.type === "message_end") keep(transcript, event.message);
  });
  try {
    const model = ctx.model ?? { provider: "", id: "" };
    request.onProgress({ kind: "told", system: curation.system });
    const details = { turn: curation.turn, ...turnCard(request) };
    pi.sendMessage({ customType: TURN, content: request.prompt, display: true, details }, { triggerTurn: true });
    const how = await settled.done;
    const isAborted = how === "aborted" || seen.last()?.stopReason === "aborted";
    return outcomeOf(seen, isAborted ? { reason: "aborted", message: "the turn was aborted" } : undefined, model);
  } finally {
    settled.release();
    stop();
  }
}

/** [A16] The visit's transcript grows with the turn, as in a session of its own. */
function keep(transcript: SessionManager, message: Messages[number]): void {
  if (message.role === "assistant" || message.role === "toolResult") transcript.appendMessage(message);
  if (message.role === "custom")
    transcript.appendMessage({ role: "user", content: message.content, timestamp: message.timestamp });
}

type Heard = Parameters<ReturnType<typeof witness>["hear"]>[0];

/** Everything Pi asks or tells during one turn. The answer takes the listeners away again. */
function listen(pi: ExtensionAPI, curation: Curation, hear: (event: Heard) => void): () => void {
  const offs = [
    pi.on("context_with_system", (event) => ({ messages: curated(event.messages, curation, toolsNow(pi)) })),
    // [X23] A cast must not cost the user their history, whatever its turn would need.
    pi.on("session_before_compact", ({ reason }) => (reason === "manual" ? undefined : { cancel: true })),
    pi.on("agent_before_settle", (event, ctx) => ({
      entries: [...event.entries, ...entriesToHide(ctx.sessionManager.getBranch(), curation.turn)],
    })),
    pi.on("message_update", (event) => hear(event)),
    pi.on("message_end", (event) => hear(event)),
    pi.on("tool_execution_start", (event) => hear(event)),
    pi.on("tool_execution_end", (event) => hear(event)),
  ];
  return () => {
    for (const off of offs) ifHere(off);
  };
}

function toolsNow(pi: ExtensionAPI) {
  const active = new Set(pi.getActiveTools());
  return pi
    .getAllTools()
    .filter(({ name }) => active.has(name))
    .map(({ name, description, parameters }) => ({ name, description, parameters }));
}
