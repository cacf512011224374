import type { Graph } from "../../../core/compile/graph.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { Result } from "../../../core/model/issue.ts";
import type { ThinkingLevel } from "../../../core/model/materia.ts";
import { createPiHost } from "../../../shell/agents/pi-host.ts";
import { isVirtualModel } from "../../../shell/agents/pi-sdk.ts";
import { detachCast, optionWords } from "../../../shell/casting/detach-cast.ts";
import { agentNeeds } from "../../../shell/workspace/agent-hosts.ts";
import type { Workspace } from "../../../shell/workspace/workspace.ts";
import type { CastFile } from "../../../shell/store/cast-file.ts";
import type { CastStore } from "../../../shell/store/cast-store.ts";
import { toolGuardNames } from "../agents/tool-guards.ts";
import { runUnlessReplaced, type UserSession } from "../session/user-session.ts";

/** Facts for a person before a cast continues without this Pi. */
export interface DetachCheck {
  readonly agents: DetachedAgents;
  /** Why it is not possible; undefined if it is. */
  readonly refusals: readonly string[];
  /** What will differ there. */
  readonly notes: readonly string[];
}

/** [X53] Ask before stopping anything: a separate process lacks what only this Pi was given. */
export async function checkDetach(
  { pi, ctx }: UserSession,
  { graph, rehearsal }: Pick<CastFile, "graph" | "rehearsal">,
): Promise<DetachCheck> {
  const chosen = runUnlessReplaced(() => ctx.model);
  const session = chosen && `${chosen.provider}/${chosen.id}`;
  const agents = detachedAgents({ pi, ctx }, graph);
  const { model } = agents;
  if (rehearsal !== null) return { agents, refusals: [], notes: [] };
  const host = createPiHost(model === undefined ? {} : { defaultModel: model });
  const issues = await host.preflight(agentNeeds(graph, model), { cwd: ctx.cwd });
  const gates = await toolGuardNames(ctx);
  const [usual] = (await host.defaultModels?.()) ?? [];
  return {
    agents,
    refusals: issues.map(({ message }) => message),
    notes: [
      ...(gates.length === 0 ? [] : [`its tools are not guarded there: ${gates.join(", ")} is not loaded`]),
      ...(session !== undefined && model === undefined && usual !== session && hasAgentWithoutModel(graph)
        ? [`agents without a model use ${usual ?? "Pi's default"} there, not ${session}`]
        : []),
    ],
  };
}

/** The model of this session for another process. [Z18] Only this session has the router of a virtual model. */
export function sessionModel({ ctx }: Pick<UserSession, "ctx">): string | undefined {
  const chosen = runUnlessReplaced(() => ctx.model);
  return chosen && !isVirtualModel(chosen) ? `${chosen.provider}/${chosen.id}` : undefined;
}

/** A model on the command line replaces the model of every materia, so name it only if no materia sets one. */
export function detachedAgents({ pi, ctx }: Pick<UserSession, "pi" | "ctx">, graph: Graph): DetachedAgents {
  return { model: hasAgentWithModel(graph) ? undefined : sessionModel({ ctx }), thinking: pi.getThinkingLevel() };
}

function hasAgentWithModel({ materia }: Graph): boolean {
  return Object.values(materia).some((each) => each.type === "agent" && each.model !== undefined);
}

function hasAgentWithoutModel({ materia }: Graph): boolean {
  return Object.values(materia).some((each) => each.type === "agent" && each.model === undefined);
}

export interface PausedCast {
  readonly castId: CastId;
  readonly place: Workspace["place"];
  readonly store: CastStore;
  readonly agents: DetachedAgents;
}

/** Settings of agents whose materia set none: as in this session. */
export interface DetachedAgents {
  readonly model: string | undefined;
  readonly thinking: ThinkingLevel;
}

/** [X37] Hands the paused cast to a background process. */
export function detachPausedCast({ castId, place, store, agents }: PausedCast): Promise<Result<number>> {
  return detachCast({ castId, place, store, words: ["recast", ...optionWords({ ...agents }), castId] });
}
