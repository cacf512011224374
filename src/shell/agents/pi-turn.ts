import type { AgentSession, ResourceLoader, SessionManager, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { createTurnRecord, type TurnRecord, joinedText, handOverDefinition } from "./turn-record.ts";
import { childEnvironment } from "../process/processes.ts";
import { NO_USAGE, type Usage } from "../../core/cast/state/usage.ts";
import { truncate, thrownMessage } from "../../core/model/text.ts";
import { isDiskError, errorText } from "../system/files.ts";
import type { TurnOutcome, TurnRequest } from "../ports.ts";
import { guardTurn, type TurnGuard, type TurnStop } from "./turn-guard.ts";
import { systemPromptFor, bareResources, type PiModel, type PiContext } from "./pi-sdk.ts";
import { bindSession, endSession, equippedResources, type EquippedSetup } from "./equipped-session.ts";
import { requestedTools } from "./mcp-servers.ts";
import { unavailableTools } from "./search-programs.ts";
import { toolsRunApart, type TurnTools } from "./tool-process.ts";
import { plainProviderError } from "../../core/cast/provider-refusal.ts";
import { openTranscript, type OpenedTranscript } from "./transcript.ts";
import { recordResponses, endTurnAtRefusal, type ResponseRecord } from "./provider-responses.ts";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { withoutUndefined } from "../../core/model/json.ts";

interface PiTurnSetup extends PiContext, EquippedSetup {
  readonly model: PiModel;
  readonly thinking?: TurnRequest["thinking"] | undefined;
  readonly silenceMs: number | undefined;
  readonly onOpened?: (sessionId: string) => void;
}

/** [A1] Runs one turn in a new Pi session. Every error of Pi becomes a failed outcome. */
export async function runPiTurn(setup: PiTurnSetup, asked: TurnRequest): Promise<TurnOutcome> {
  if (asked.signal.aborted) return failedTurn("aborted", "the turn was aborted before it began", NO_USAGE);
  // [A32] A tool that cannot work would cost tokens in every request.
  const missing = unavailableTools();
  const tools = requestedTools(asked, setup.scripted).filter((tool) => !missing.includes(tool));
  const transcript = openTranscript(setup.pi, asked);
  const request = { ...asked, tools, prompt: transcript.hasMoved ? `${MOVED}\n\n${asked.prompt}` : asked.prompt };
  const outcome = await runSession(setup, request, transcript);
  return diskFailure(transcript, outcome) ?? outcome;
}

/** [A33] Earlier paths of the agent would lead to the other folder. */
const MOVED = "You work in another folder now, named in your instructions: use no path into the earlier one.";

async function runSession(
  setup: PiTurnSetup,
  request: TurnRequest,
  transcript: OpenedTranscript,
): Promise<TurnOutcome> {
  const { session: kept } = transcript;
  if (!kept) return failedTurn("provider", "the agent was not asked", NO_USAGE);
  // [B56] Files with the work of a tool and a conversation without its result would repeat the tool.
  const onProgress: TurnRequest["onProgress"] = (progress) =>
    progress.kind === "tools_over" && !transcript.isComplete() ? undefined : request.onProgress(progress);
  const seen = createTurnRecord({ ...request, onProgress }, setup.model.cost);
  const other = toolsRunApart(setup, request);
  try {
    const session = await openPiSession(setup, request, { kept, other, seen });
    const { after, silenceMs } = setup;
    // It settles with the prompt, which is awaited and reports failures.
    const halt = () => void session.abort().catch(() => {});
    const guard = guardTurn({ halt, signal: request.signal, after, silenceMs });
    const goesOn = () => continueIfOwned(guard, transcript, request);
    const responses: ResponseRecord = {};
    checkOwnerBeforeActing(session, goesOn, responses);
    session.subscribe((event) => {
      guard.onEvent(event);
      seen.hear(event);
      if (event.type === "message_end") endTurnAtRefusal(guard, seen.last(), responses);
      if (event.type === "turn_end") stopAtLimit(guard, seen, request);
    });
    try {
      setup.onOpened?.(session.sessionId);
      const absent = await bindSession(setup, session, { request, ...guard });
      if (absent !== undefined) return failedTurn("provider", absent, NO_USAGE);
      // [A17] Report the whole prompt before the first request.
      request.onProgress({ kind: "asked", system: session.systemPrompt, prompt: request.prompt });
      await Promise.race([session.prompt(request.prompt, { expandPromptTemplates: false }), guard.graceExpired]);
      const outcome = turnOutcome(seen, guard.stopReason(), setup.model);
      return { ...outcome, ...withoutUndefined({ response: responses.refused }) };
    } catch (error) {
      const stop = guard.stopReason();
      return stop ? failedTurn(stop.reason, stop.message, seen.usage()) : failureFromError(error, seen.usage());
    } finally {
      guard.release();
      await endSession(session, setup.after);
    }
  } catch (error) {
    return failureFromError(error, seen.usage());
  } finally {
    await other?.close();
  }
}

/** [D28] Checks the claim before each request, retries included, and before each tool call: the process may have slept. */
function checkOwnerBeforeActing(
  { agent }: AgentSession,
  goesOn: () => Promise<boolean>,
  responses: ResponseRecord,
): void {
  const { streamFunction, beforeToolCall } = agent;
  agent.streamFunction = async (...given) => {
    if (!(await goesOn())) throw new Error(TAKEN_OVER_MESSAGE);
    return recordResponses(responses, () => streamFunction(...given));
  };
  agent.beforeToolCall = async (...given) =>
    (await goesOn()) ? beforeToolCall?.(...given) : { block: true, reason: TAKEN_OVER_MESSAGE, terminate: true };
}

const TAKEN_OVER_MESSAGE = "another process owns this cast now";

/** [D28] Ends the turn of a cast that another process owns, and writes nothing more for it. */
export async function continueIfOwned(
  guard: TurnGuard,
  { close }: OpenedTranscript,
  { holdsClaim: holds }: TurnRequest,
): Promise<boolean> {
  if (await holds()) return true;
  close();
  guard.end({ reason: "taken_over", message: TAKEN_OVER_MESSAGE });
  return false;
}

/** [A25] Between two requests, after the tools have run: no work is lost. */
export function stopAtLimit(guard: TurnGuard, seen: TurnRecord, { isBudgetSpent: isUsedUp }: TurnRequest): void {
  if (seen.last()?.stopReason === "stop" || seen.handedOver() !== undefined || !isUsedUp(seen.usage())) return;
  guard.end({ reason: "limit", message: "the turn has used up what it may" });
}

type FailedTurn = Extract<TurnOutcome, { kind: "failed" }>;

export function failedTurn(reason: FailedTurn["reason"], message: string, usage: Usage): FailedTurn {
  return { kind: "failed", reason, message: truncate(message, 2000), usage };
}

/** [D9] A disk error is no fault of the provider, even if Pi reports it so. */
export function diskFailure({ problem }: OpenedTranscript, outcome?: TurnOutcome): FailedTurn | undefined {
  const found = problem();
  if (found === undefined) return undefined;
  return failedTurn("disk", `the transcript cannot be written: ${errorText(found)}`, outcome?.usage ?? NO_USAGE);
}

export function failureFromError(error: unknown, usage: Usage): TurnOutcome {
  return isDiskError(error)
    ? failedTurn("disk", errorText(error), usage)
    : failedTurn("provider", plainProviderError(thrownMessage(error)), usage);
}

async function openPiSession(
  setup: PiTurnSetup,
  request: TurnRequest,
  { kept, other, seen }: { readonly kept: SessionManager; readonly other: TurnTools | undefined; seen: TurnRecord },
): Promise<AgentSession> {
  const handOver = request.handOver ? [handOverDefinition(request.handOver, seen)] : [];
  const bare = bareResources(setup.pi, systemPromptFor(setup.pi, request));
  const resources = await equippedResources(setup, bare, request);
  const { session } = await setup.pi.createAgentSession({
    cwd: request.cwd,
    modelRuntime: setup.runtime,
    settingsManager: setup.settings,
    model: setup.model,
    // [B25] A tool that the other user's process lacks would run here: refuse it.
    tools: [...(other?.names ?? request.tools), ...handOver.map(({ name }) => name)],
    resourceLoader: resources,
    customTools: [...(other?.tools ?? shellToolWithEnvironment(setup, request, resources)), ...handOver],
    sessionManager: kept,
    ...withoutUndefined({ thinkingLevel: setup.thinking }),
  });
  return session;
}

/** [U42] Pi's shell with the visit in its environment; a shell of the user's extensions stays unchanged. */
function shellToolWithEnvironment(
  { pi, settings }: PiContext,
  { cwd, env, isEnvironmentCurated }: TurnRequest,
  resources: ResourceLoader,
): ToolDefinition[] {
  if (resources.getExtensions().extensions.some(({ tools }) => tools.has("bash"))) return [];
  const [commandPrefix, shellPath] = [settings.getShellCommandPrefix(), settings.getShellPath()];
  return [
    pi.createBashToolDefinition(cwd, {
      ...withoutUndefined({ commandPrefix, shellPath }),
      spawnHook: (spawned) => ({
        ...spawned,
        env: { ...(isEnvironmentCurated ? childEnvironment() : spawned.env), ...env },
      }),
    }) as ToolDefinition, // typed by its own parameters, which only the tool reads
  ];
}

export function turnOutcome(
  seen: TurnRecord,
  stop: TurnStop | undefined,
  model: Pick<PiModel, "provider" | "id">,
): TurnOutcome {
  const last = seen.last();
  const name = `${model.provider}/${model.id}`;
  const handed = seen.handedOver();
  if (handed !== undefined) return { kind: "said", text: handed, byTool: true, usage: seen.usage(), model: name };
  if (last?.stopReason === "stop") {
    const text = joinedText(last);
    // [A31] A handoff of nothing would complete a visit that did nothing.
    // [Z18] A virtual model routes each request: the reply names the model that answered.
    const answered = `${last.provider}/${last.model}`;
    if (text.trim() !== "" || seen.hasActed()) return { kind: "said", text, usage: seen.usage(), model: answered };
    return { ...failedTurn("provider", "the model gave an empty reply", seen.usage()), model: name };
  }
  return { ...turnFailure(seen, stop, last), model: name };
}

function turnFailure(seen: TurnRecord, stop: TurnStop | undefined, last: AssistantMessage | undefined): FailedTurn {
  const usage = seen.usage();
  if (stop) return failedTurn(stop.reason, stop.message, usage);
  if (last?.stopReason === "length")
    return failedTurn("overflow", `the reply was cut off after ${last.usage.output} tokens`, usage);
  const message = plainProviderError(last?.errorMessage ?? "the agent ended without an answer");
  if (seen.overflowed()) return failedTurn("overflow", message, usage);
  // A lack of file descriptors is no failure of the provider.
  if (/\bE[MN]FILE\b/.test(message)) return failedTurn("disk", message, usage);
  // [A18] Only the text of the message distinguishes a timeout from other failures.
  return failedTurn(/time(?:d)?[ -]?out|ETIMEDOUT/i.test(message) ? "timeout" : "provider", message, usage);
}
