import type { AgentSession, ResourceLoader, SessionManager, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { NO_USAGE, type Usage } from "../../core/cast/state/usage.ts";
import type { ThinkingLevel } from "../../core/model/materia.ts";
import { truncate, thrownMessage } from "../../core/model/values/text.ts";
import { isDiskError, errorText } from "../system/problem.ts";
import type { TurnOutcome, TurnRequest } from "../ports.ts";
import { guardTurn, type TurnGuard, type TurnStop, type Timer } from "./guard.ts";
import { systemPromptFor } from "./pi/instructions.ts";
import { bareResources, type SessionHooks, type PiModel, type PiContext } from "./pi/pi.ts";
import { currentToolsUser } from "../process/tools-user.ts";
import { toolsRunAsUser, type TurnTools } from "./tools/tools-as.ts";
import { openTranscript, type OpenedTranscript } from "./transcript.ts";
import { createTurnRecord, type TurnRecord } from "./turn-record.ts";

interface PiTurnSetup extends PiContext {
  readonly model: PiModel;
  /** How hard it thinks; as Pi's own settings say where that is left open. */
  readonly thinking?: ThinkingLevel | undefined;
  readonly after: Timer;
  readonly silenceMs: number | undefined;
  readonly hooks?: SessionHooks;
  readonly onOpened?: (sessionId: string) => void;
}

/** [A1] One turn in a Pi session of its own; whatever Pi throws becomes a failed outcome. */
export async function runPiTurn(setup: PiTurnSetup, request: TurnRequest): Promise<TurnOutcome> {
  if (request.signal.aborted) return failedTurn("aborted", "the turn was aborted before it began", NO_USAGE);
  const transcript = openTranscript(setup.pi, request);
  const outcome = transcript.session ? await runSession(setup, request, transcript, transcript.session) : undefined;
  return diskFailure(transcript, outcome) ?? outcome ?? failedTurn("provider", "the agent was not asked", NO_USAGE);
}

async function runSession(
  setup: PiTurnSetup,
  request: TurnRequest,
  transcript: OpenedTranscript,
  kept: SessionManager,
): Promise<TurnOutcome> {
  const seen = createTurnRecord(request.onProgress);
  const user = currentToolsUser();
  const other = user && toolsRunAsUser(user, setup, request);
  try {
    const session = await openPiSession(setup, request, { kept, other });
    const { after, silenceMs } = setup;
    // It settles with the prompt, which is awaited and tells of any failure.
    const halt = () => void session.abort().catch(() => {});
    const guard = guardTurn({ halt, signal: request.signal, after, silenceMs });
    const goesOn = () => continueIfOwned(guard, transcript, request);
    checkOwnerBeforeActing(session, goesOn);
    session.subscribe((event) => {
      guard.onEvent(event);
      seen.hear(event);
      if (event.type === "turn_end") stopAtLimit(guard, seen, request);
    });
    try {
      setup.onOpened?.(session.sessionId);
      await setup.hooks?.opened?.(session, { request, suspendTimeout: guard.suspendTimeout });
      // [A17] All that the agent is told is known before the first request leaves.
      request.onProgress({ kind: "told", system: session.systemPrompt });
      await Promise.race([session.prompt(request.prompt, { expandPromptTemplates: false }), guard.graceExpired]);
      return turnOutcome(seen, guard.stopReason(), setup.model);
    } catch (error) {
      const stop = guard.stopReason();
      return stop ? failedTurn(stop.reason, stop.message, seen.usage()) : failureFromError(error, seen.usage());
    } finally {
      guard.release();
      session.dispose();
    }
  } catch (error) {
    return failureFromError(error, seen.usage());
  } finally {
    await other?.close();
  }
}

/** [D28] Before each request, retries included, and before each call of a tool: the process may have slept meanwhile. */
function checkOwnerBeforeActing({ agent }: AgentSession, goesOn: () => Promise<boolean>): void {
  const { streamFunction, beforeToolCall } = agent;
  agent.streamFunction = async (...given) => {
    if (!(await goesOn())) throw new Error(TAKEN_OVER_MESSAGE);
    return streamFunction(...given);
  };
  agent.beforeToolCall = async (...given) =>
    (await goesOn()) ? beforeToolCall?.(...given) : { block: true, reason: TAKEN_OVER_MESSAGE, terminate: true };
}

const TAKEN_OVER_MESSAGE = "another process has taken this cast over meanwhile";

/** [D28] Ends the turn of a cast that another process has taken, and writes nothing more for it. */
export async function continueIfOwned(guard: TurnGuard, { close }: OpenedTranscript, { holdsClaim: holds }: TurnRequest): Promise<boolean> {
  if (await holds()) return true;
  close();
  guard.end({ reason: "taken_over", message: TAKEN_OVER_MESSAGE });
  return false;
}

/** [A25] Between two requests, when the tools that a reply asked for have run: nothing is in flight that could be lost. */
export function stopAtLimit(guard: TurnGuard, seen: TurnRecord, { isBudgetSpent: isUsedUp }: TurnRequest): void {
  if (seen.last()?.stopReason === "stop" || !isUsedUp(seen.usage())) return;
  guard.end({ reason: "limit", message: "the turn has used up what it may" });
}

export function failedTurn(reason: TurnFailureReason, message: string, usage: Usage): TurnOutcome {
  return { kind: "failed", reason, message: truncate(message, 2000), usage };
}

/** [D9] A disk that cannot keep the conversation is no fault of the provider, whatever Pi made of it. */
export function diskFailure({ problem }: OpenedTranscript, outcome?: TurnOutcome): TurnOutcome | undefined {
  const found = problem();
  if (found === undefined) return undefined;
  return failedTurn("disk", `the transcript cannot be written: ${errorText(found)}`, outcome?.usage ?? NO_USAGE);
}

function failureFromError(error: unknown, usage: Usage): TurnOutcome {
  return isDiskError(error)
    ? failedTurn("disk", errorText(error), usage)
    : failedTurn("provider", thrownMessage(error), usage);
}

type TurnFailureReason = Extract<TurnOutcome, { kind: "failed" }>["reason"];

async function openPiSession(
  setup: PiTurnSetup,
  request: TurnRequest,
  { kept, other }: { readonly kept: SessionManager; readonly other: TurnTools | undefined },
): Promise<AgentSession> {
  const bare = bareResources(setup.pi, systemPromptFor(setup.pi, request));
  const resources = (await setup.hooks?.resources?.(bare, request)) ?? bare;
  const { session } = await setup.pi.createAgentSession({
    cwd: request.cwd,
    modelRuntime: setup.runtime,
    settingsManager: setup.settings,
    model: setup.model,
    // [B25] A tool that the other user's process does not have would run here.
    tools: other ? other.tools.map(({ name }) => name) : [...request.tools],
    resourceLoader: resources,
    customTools: other?.tools ?? shellToolWithEnvironment(setup, request, resources),
    sessionManager: kept,
    ...(setup.thinking === undefined ? {} : { thinkingLevel: setup.thinking }),
  });
  return session;
}

/** [U42] Pi's own shell with the visit in its environment; one that the user's extensions bring stays as it is. */
function shellToolWithEnvironment({ pi, settings }: PiContext, { cwd, env }: TurnRequest, resources: ResourceLoader): ToolDefinition[] {
  if (resources.getExtensions().extensions.some(({ tools }) => tools.has("bash"))) return [];
  const [commandPrefix, shellPath] = [settings.getShellCommandPrefix(), settings.getShellPath()];
  return [
    pi.createBashToolDefinition(cwd, {
      ...(commandPrefix === undefined ? {} : { commandPrefix }),
      ...(shellPath === undefined ? {} : { shellPath }),
      spawnHook: (spawned) => ({ ...spawned, env: { ...spawned.env, ...env } }),
    }) as ToolDefinition, // of one tool's own parameters, which only it reads
  ];
}

export function turnOutcome(
  seen: TurnRecord,
  stop: TurnStop | undefined,
  model: Pick<PiModel, "provider" | "id">,
): TurnOutcome {
  const last = seen.last();
  const usage = seen.usage();
  if (last?.stopReason === "stop") {
    const text = last.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { kind: "said", text, usage, model: `${model.provider}/${model.id}` };
  }
  if (stop) return failedTurn(stop.reason, stop.message, usage);
  if (last?.stopReason === "length") {
    return failedTurn("overflow", `the reply was cut off after ${last.usage.output} tokens`, usage);
  }
  const message = last?.errorMessage ?? "the agent ended without an answer";
  if (seen.overflowed()) return failedTurn("overflow", message, usage);
  // A connection that could not be opened for want of file descriptors says nothing about the provider.
  if (/\bE[MN]FILE\b/.test(message)) return failedTurn("disk", message, usage);
  // [A18] Only the words of the message tell a time-out from another failure of the provider.
  return failedTurn(/time(?:d)?[ -]?out|ETIMEDOUT/i.test(message) ? "timeout" : "provider", message, usage);
}
