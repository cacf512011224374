import { materiaOf, socketsOf } from "../../core/compile/graph.ts";
import type { Effect } from "../../core/cast/next.ts";
import { itemCount } from "../../core/cast/state/item-counts.ts";
import type { TurnReason, CastState } from "../../core/cast/state/state.ts";
import { currentItemKey, itemIndexOf } from "../../core/cast/state/current-item.ts";
import { endVisitProcesses, idempotencyKeyOf, visitEnvironment } from "../process/processes.ts";
import { checkLimitDuringTurn } from "../../core/cast/limits.ts";
import { NO_USAGE, soundUsage, type Usage } from "../../core/cast/state/usage.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { equipmentOf, toolsInScope } from "../../core/model/materia.ts";
import { truncate } from "../../core/model/text.ts";
import { writeAgentPrompt } from "../../core/prompt/agent-prompt.ts";
import { handOverTool } from "../../core/prompt/handoff-contract.ts";
import type { TurnOutcome, TurnProgress, TurnRequest, SocketTurnCount } from "../ports.ts";
import { readPromptFacts, type PromptFacts } from "./prompt-facts.ts";
import { describeContext } from "./context-parts.ts";
import { limitOf } from "../../core/model/config.ts";
import { chooseModel, readRefusedTurn } from "./refused-turn.ts";
import { copyConversation } from "./continue-conversation.ts";
import { checkpointsDuringTurn } from "./visit-checkpoints.ts";
import { visitSandbox, type Interruption, type EffectResult, type EffectContext } from "../context/run-context.ts";
import { countOf } from "../../core/cast/state/persistent-map.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";

const GRACE_MS = 1000;

type AgentEffect = Extract<Effect, { kind: "agent" }>;

export async function runAgentTurn(due: AgentEffect, context: EffectContext): Promise<EffectResult> {
  const opened = await openConversation(due, context);
  if ("problem" in opened) return { kind: "broken", problem: opened.problem };
  const { effect, isContinued } = opened;
  const { ports, options } = context;
  const { socket, visit } = effect;
  const promptWrites: Promise<string | undefined>[] = [];
  const checkpoints = checkpointsDuringTurn(visit, context);
  const repeats = countRepeatedCalls();
  // 0 allows any number.
  const mostRepeats = limitOf(context.state.limits, "maxRepeatedCalls") || Infinity;
  const isRepeating = () => repeats.count() >= mostRepeats;
  let dialogMs = 0;
  const choice = await chooseModel(effect, context);
  if (choice.kind !== "model") return choice;
  const request = turnRequest(effect, context, {
    facts: await readPromptFacts(effect, context),
    model: choice.model,
    isContinued,
    writePrompt: (text) => promptWrites.push(ports.artifacts.append(socket.id, visit.number, "prompt.md", text)),
    onProgress: (progress) => {
      checkpoints?.onProgress(progress);
      repeats.onProgress(progress);
      if (progress.kind === "extension_asked") dialogMs += progress.ms;
    },
  });
  const since = ports.now().getTime();
  // [YP20] The time of a person is not that of the agent.
  const elapsed = () => ports.now().getTime() - since - dialogMs;
  // [A25] The same check as in `next`: a turn that stops here hits its limit there.
  const isBudgetSpent = (reported: Usage): boolean => {
    const usage = soundUsage(reported);
    const hit = checkLimitDuringTurn(context.state, visit, { usage, ms: elapsed() });
    return hit !== undefined || isRepeating() || (context.admission?.isBudgetSpent(usage) ?? false);
  };
  const ended = recoveredReply(context) ?? (await ports.agents.runTurn({ ...request, isBudgetSpent }));
  const outcome: TurnOutcome = { ...ended, usage: soundUsage(ended.usage) };
  // [V13] The host may not have reported its usage during the turn.
  context.admission?.reportUsage(outcome.usage);
  const unkept = checkpoints && (await checkpoints.finish());
  // [D28] Another process owns the cast: drop the result.
  if (outcome.kind === "failed" && outcome.reason === "taken_over") return { kind: "broken", problem: outcome.message };
  // [D37] End commands that left the process group, too.
  if (outcome.kind === "failed" && (outcome.reason === "aborted" || outcome.reason === "timeout"))
    await endVisitProcesses(options.secretOf?.(socket.id, visit.number), GRACE_MS);
  const problem = unkept ?? (await writeTurn(effect, context, outcome, promptWrites));
  if (problem !== undefined) return { kind: "broken", problem };
  if (outcome.kind === "said") {
    await ports.limits?.clear(choice.model ?? choice.models[0] ?? outcome.model);
    const { text, usage, byTool } = outcome;
    const model = outcome.model === "" ? undefined : outcome.model;
    return { kind: "replied", text, ...withoutUndefined({ model, byTool }), usage };
  }
  const failure = outcome.reason === "overflow" ? await withContextParts(outcome, request, context) : outcome;
  const refused = await readRefusedTurn(failure, { choice, context, ms: elapsed(), wasAsked: promptWrites.length > 0 });
  if (refused) return refused;
  if (outcome.reason === "limit") {
    const repeated = isRepeating() ? { repeated: repeats.count() } : {};
    return { kind: "stopped", usage: outcome.usage, ms: elapsed(), ...repeated };
  }
  // [D9] A full disk is no fault of the agent: the cast stays where it is and can resume.
  if (outcome.reason === "disk") return { kind: "broken", problem: outcome.message };
  return outcome.reason === "aborted" && options.signal.aborted ? { kind: "aborted" } : failure;
}

type FailedOutcome = Extract<TurnOutcome, { kind: "failed" }>;

/** [Z13] A person needs to know what to shorten. */
async function withContextParts(
  outcome: FailedOutcome,
  { system, castId, socket, visit }: Omit<TurnRequest, "isBudgetSpent">,
  { ports }: EffectContext,
): Promise<FailedOutcome> {
  const transcript = await ports.readTranscript?.({ castId, socket, visit });
  if (transcript === undefined) return outcome;
  return { ...outcome, message: `${outcome.message}\n${describeContext(system, transcript)}` };
}

interface TurnHooks {
  readonly facts: PromptFacts;
  readonly model: string | undefined;
  readonly isContinued: boolean;
  readonly writePrompt: (text: string) => void;
  readonly onProgress: (progress: TurnProgress) => void;
}

/** [I5] The first turn of a visit that continues a conversation begins with a copy of it. */
async function openConversation(effect: AgentEffect, context: EffectContext) {
  const { continues } = effect.visit;
  if (!continues || effect.ask.kind !== "begin" || context.interruption) return { effect, isContinued: false };
  const { continues: _gone, ...visit } = effect.visit;
  const copied = await copyConversation({ socket: visit.socket, visit: visit.number }, continues, context);
  if ("problem" in copied) return copied;
  return copied.isCopied ? { effect, isContinued: true } : { effect: { ...effect, visit }, isContinued: false };
}

function turnRequest(
  effect: AgentEffect,
  context: EffectContext,
  { facts, model, isContinued, writePrompt, onProgress }: TurnHooks,
): Omit<TurnRequest, "isBudgetSpent"> {
  const { state, options, interruption } = context;
  const { socket, visit, ask } = effect;
  const materia = materiaOf(state.graph, socket);
  if (materia.type !== "agent") throw new Error(`${socket.id} holds no agent`);
  const text = writeAgentPrompt(state, { socket, visit, ask, ...facts });
  const prompt = withInterruptionNote(ask, text.prompt, interruption);
  return {
    castId: state.castId,
    socket: socket.id,
    materia: socket.materia,
    visit: visit.number,
    item: currentItemKey(state),
    cwd: options.cwd,
    system: text.system,
    // [A29] An agent without tools does not need the project's instructions.
    instructions: materia.instructions ?? (materia.tools === "none" ? "none" : "project"),
    prompt,
    tools: toolsInScope(materia.tools),
    ...equipmentOf(materia),
    sandbox: visitSandbox(materia, context),
    handOver: handOverTool(state.graph, socket),
    model,
    thinking: materia.thinking,
    // A turn that only writes the agreed handoff is not interactive.
    interactive: socket.interactive && (ask.kind === "begin" || ask.kind === "answer"),
    transcript: context.ports.artifacts.pathOf(socket.id, visit.number, TRANSCRIPT_FILE),
    history: ask.kind === "begin" && interruption === undefined && !isContinued ? "fresh" : "continued",
    env: visitEnvironment({
      secret: options.secretOf?.(socket.id, visit.number),
      idempotencyKey: idempotencyKeyOf(state.castId, socket.id, visit.number),
    }),
    redact: context.ports.redact,
    holdsClaim: context.ports.holdsClaim,
    isSuperseded: context.ports.isSuperseded,
    earlierTurns: () => earlierTurns(state),
    signal: options.signal,
    askPerson: options.askPerson,
    onProgress: (progress) => {
      onProgress(progress);
      if (progress.kind === "asked")
        writePrompt(
          `${ask.kind === "begin" ? `# System\n\n${progress.system ?? ""}\n` : ""}\n# Prompt\n\n${progress.prompt ?? prompt}\n`,
        );
      reportProgress(progress, effect, context);
    },
  };
}

/** [D2] Reuse a reply that a kill kept from the journal: it is not paid twice. */
function recoveredReply({ interruption }: EffectContext): TurnOutcome | undefined {
  if (interruption?.reply === undefined) return undefined;
  return { kind: "said", ...interruption.reply, usage: NO_USAGE, model: interruption.model ?? "" };
}

/** [D3] The transcript has the prompt of the visit already; it may lack the latest request. */
function withInterruptionNote(ask: TurnReason, prompt: string, interruption: Interruption | undefined): string {
  if (interruption === undefined) return prompt;
  return ask.kind === "begin" || interruption.isAsked ? interruption.note : `${interruption.note}\n\n${prompt}`;
}

function reportProgress(progress: TurnProgress, { socket, visit }: AgentEffect, context: EffectContext): void {
  const place = { socket: socket.id, visit: visit.number };
  if (progress.kind === "retrying") {
    const { attempt, error, delayMs } = progress;
    context.report({ type: "turn_retried", ...place, attempt, error, delayMs });
  }
  if (progress.kind === "compacted") {
    const { reason, tokensBefore } = progress;
    context.report({ type: "turn_compacted", ...place, reason, tokensBefore });
  }
  if (progress.kind === "extension_asked") {
    const { kind: type, question, ...outcome } = progress;
    context.report({ type, ...place, question: truncate(question, MAX_QUESTION_CHARS), ...outcome });
  }
  if (progress.kind === "used") context.admission?.reportUsage(soundUsage(progress.usage));
  context.options.onProgress?.(progress, context.state);
}

const MAX_QUESTION_CHARS = 2_000;

async function writeTurn(
  { socket, visit }: AgentEffect,
  { ports }: EffectContext,
  outcome: TurnOutcome,
  prompts: readonly Promise<string | undefined>[],
): Promise<string | undefined> {
  const problem = (await Promise.all(prompts)).find((each) => each !== undefined);
  if (outcome.kind !== "said") return problem;
  const unwritten = await ports.artifacts.write(socket.id, visit.number, "output.md", outcome.text);
  return problem ?? unwritten;
}

/** Turns of each socket so far: of its agent, or answers of its person. */
export function earlierTurns(state: CastState): readonly SocketTurnCount[] {
  return socketsOf(state.graph).flatMap(({ id, materia }) => {
    const turns = countOf(state.turns, id);
    const turnsFor = (item: string): number => {
      const index = itemIndexOf(state, item);
      return index === undefined ? 0 : itemCount(state.itemTurns, index, id);
    };
    return turns === 0 ? [] : [{ socket: id, materia, turns, turnsFor }];
  });
}

/** [Z15] How often in a row the agent made the same call and got the same result: a circle would use up its budget for nothing. */
function countRepeatedCalls() {
  const open = new Map<string, string>();
  let last = "";
  let count = 0;
  return {
    count: (): number => count,
    onProgress: (progress: TurnProgress): void => {
      if (progress.kind === "tool_started")
        open.set(progress.id, JSON.stringify([progress.name, progress.args]).slice(0, MAX_CALL_CHARS));
      if (progress.kind !== "tool_ended") return;
      const call = `${open.get(progress.id) ?? progress.name}\n${progress.said.slice(0, MAX_CALL_CHARS)}`;
      open.delete(progress.id);
      count = call === last ? count + 1 : 1;
      last = call;
    },
  };
}

/** Longer calls that differ only behind this count as the same. */
const MAX_CALL_CHARS = 20_000;
