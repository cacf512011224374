import type { EventOf, FreshReason } from "../../core/cast/state/event.ts";
import type { SocketConversation } from "../../core/cast/state/conversations.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import { materiaOf, socketOf } from "../../core/compile/graph.ts";
import { isFree } from "../../core/cast/decide-refusal.ts";
import { splitModels } from "../../core/model/materia.ts";
import { limitOf } from "../../core/model/config.ts";
import type { VisitRef } from "../store/cast-store.ts";
import { continueTranscript, readConversation } from "../agents/transcript.ts";
import type { Ports } from "../ports.ts";
import type { EffectContext, RunOptions } from "../context/run-context.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";

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
  const fresh = freshReason(
    await ports.readTranscript?.(place),
    state,
    await expectedModel(visit, state, ports, options),
  );
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
