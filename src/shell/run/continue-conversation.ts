import type { EventOf, FreshReason, CastEvent } from "../../core/cast/state/event.ts";
import type { SocketConversation } from "../../core/cast/state/conversations.ts";
import { type CastState, phaseBeforeEnd, type Visit } from "../../core/cast/state/state.ts";
import { materiaOf, socketOf } from "../../core/compile/graph.ts";
import { isFree } from "../../core/cast/decide-refusal.ts";
import { splitModels } from "../../core/model/materia.ts";
import { limitOf } from "../../core/model/config.ts";
import type { VisitRef, CastStore } from "../store/cast-store.ts";
import { continueTranscript, readConversation, readTranscript } from "../agents/transcript.ts";
import type { Ports } from "../ports.ts";
import type { EffectContext, RunOptions, Interruption } from "../context/run-context.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";
import type { OutsideChanges } from "../../core/model/checkpoint.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import type { Usage } from "../../core/cast/state/usage.ts";
import { filesChangedSince } from "../system/folders.ts";
import { subtractUsage } from "../items/shared-budget.ts";

type VisitStarted = EventOf<"visit_started">;

/** [I4] The start of a visit that would continue a conversation: as it is, or why it starts a new one. */
export async function settleContinuation(
  started: VisitStarted,
  state: CastState,
  ports: Ports,
  options: RunOptions,
): Promise<VisitStarted> {
  const { continues, continuesFrom, ...visit } = started;
  if (continues === undefined) return started;
  const place = { castId: continuesFrom ?? state.castId, socket: visit.socket, visit: continues };
  const model = await expectedModel(visit, state, ports, options);
  const fresh = freshReason(await ports.readTranscript?.(place), state, model);
  return fresh === undefined ? started : { ...visit, fresh };
}

function freshReason(
  transcript: string | undefined,
  { limits }: CastState,
  model: string | undefined,
): FreshReason | undefined {
  const conversation = transcript === undefined ? undefined : readConversation(transcript);
  if (!conversation) return "missing";
  if (conversation.tokens > limitOf(limits, "maxConversationTokens")) return "length";
  return model === undefined || conversation.model === model ? undefined : "model";
}

/** The model that will answer, if the host knows it. */
async function expectedModel(
  { socket }: Pick<VisitStarted, "socket">,
  { graph, providers }: CastState,
  { agents, now }: Ports,
  options: RunOptions,
): Promise<string | undefined> {
  const materia = materiaOf(graph, socketOf(graph, socket));
  const named = options.model ?? (materia.type === "agent" ? materia.model : undefined);
  const models = named === undefined ? [] : splitModels(named);
  const free = models.find((model) => isFree(providers.refused, model, now().getTime()));
  return agents.resolveModel?.(free ?? models[0]);
}

/** [I5] Copies the conversation into the files of this visit; a problem, or whether there was one to copy. */
export async function copyConversation(
  at: VisitRef,
  { visit, castId }: SocketConversation,
  { state, ports }: EffectContext,
): Promise<{ readonly isCopied: boolean } | { readonly problem: string }> {
  const earlier = await ports.readTranscript?.({ castId: castId ?? state.castId, socket: at.socket, visit });
  // It was there when the visit started: somebody has removed it since.
  if (earlier === undefined || !readConversation(earlier)) return { isCopied: false };
  const problem = await ports.artifacts.write(at.socket, at.visit, TRANSCRIPT_FILE, continueTranscript(earlier, visit));
  return problem === undefined ? { isCopied: true } : { problem };
}

export function visitInProgress({ phase }: Pick<CastState, "phase">): Visit | undefined {
  const stood = phaseBeforeEnd(phase);
  return stood.kind === "visiting" ? stood.visit : undefined;
}

/** [D2, D3, D4] Reads the transcript of the current visit: what its agent was asked, has answered, and has used. */
export async function readInterruptedVisit(
  store: CastStore,
  state: CastState,
  // The working folder, and what others changed there since the last checkpoint.
  { cwd, changes }: { readonly cwd: string; readonly changes: OutsideChanges | undefined },
): Promise<{ readonly interruption?: Interruption; readonly usage?: Usage }> {
  const visit = visitInProgress(state);
  if (!visit) return {};
  const at = { socket: visit.socket, visit: visit.number, name: TRANSCRIPT_FILE };
  const transcript = await store.readArtifact(state.castId, at);
  if (!transcript) return {};
  const conversation = readTranscript(Buffer.from(transcript.bytes).toString("utf8"));
  if (conversation.requests === 0) return {};
  // Usage that the journal has not counted.
  const usage = subtractUsage(conversation.usage, visit.usage);
  const reply = conversation.replies[await countJournaledReplies(store, state, visit)];
  // [Y6] Without checkpoints the modification times of files give an estimate.
  const changed = state.files
    ? (changes?.names ?? [])
    : filesChangedSince(cwd, transcript.changedAt, store.locationOf(state.castId));
  return {
    interruption: { note: interruptionNote(changed), ...withoutUndefined({ reply, model: conversation.model }) },
    ...(usage.input + usage.output + usage.cost > 0 ? { usage } : {}),
  };
}

/** Each of these events stands for one finished reply of the visit. */
async function countJournaledReplies(
  store: CastStore,
  { castId }: CastState,
  { socket, number }: Visit,
): Promise<number> {
  const isOf = (event: CastEvent, ...types: readonly CastEvent["type"][]): boolean =>
    types.includes(event.type) && "visit" in event && event.socket === socket && event.visit === number;
  const { last } = await store.readEnds(castId, (events) => events.some((event) => isOf(event, "visit_started")));
  return last.filter((event) => isOf(event, "handoff_rejected", "turn_answered")).length;
}

function interruptionNote(changed: readonly string[]): string {
  const files =
    changed.length === 0
      ? "No file has changed since then."
      : `Files that changed since then:\n${changed.map((name) => `- ${name}`).join("\n")}`;
  return `You were interrupted in the middle of this work. Look at what is already done before you go on, and finish it.\n\n${files}`;
}
