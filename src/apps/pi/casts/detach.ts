import type { CastId } from "../../../core/model/ids.ts";
import type { Result } from "../../../core/model/issue.ts";
import type { ThinkingLevel } from "../../../core/model/materia.ts";
import { createPiHost } from "../../../shell/agents/pi-host.ts";
import { detachCast, optionWords } from "../../../shell/commands/prepare-detached.ts";
import { agentNeeds } from "../../../shell/workspace/agent-hosts.ts";
import type { Workspace } from "../../../shell/workspace/workspace.ts";
import type { CastFile } from "../../../shell/store/cast-file.ts";
import { toolGuardNames } from "../agents/tool-guards.ts";
import { sessionModel } from "../session/project.ts";
import type { UserSession } from "../session/user-session.ts";

export interface DetachCheck {
  readonly agents: DetachedAgents;
  readonly refusals: readonly string[];
  readonly notes: readonly string[];
}

/** [X53] Ask before stopping anything: a separate process lacks what only this Pi was given. */
export async function checkDetach(
  { pi, ctx }: UserSession,
  { graph, rehearsal }: Pick<CastFile, "graph" | "rehearsal">,
): Promise<DetachCheck> {
  const agents = detachedAgents({ pi });
  if (rehearsal !== null) return { agents, refusals: [], notes: [] };
  const model = sessionModel(ctx);
  const host = createPiHost(model === undefined ? {} : { defaultModel: model });
  const issues = await host.preflight(agentNeeds(graph, undefined), { cwd: ctx.cwd });
  const gates = await toolGuardNames(ctx);
  const [usual] = (await host.defaultModels?.()) ?? [];
  const hasAgentWithoutModel =
    model === undefined &&
    Object.values(graph.materia).some((each) => each.type === "agent" && each.model === undefined);
  return {
    agents,
    refusals: issues.map(({ message }) => message),
    notes: [
      ...(gates.length === 0 ? [] : [`its tools are not guarded there: ${gates.join(", ")} is not loaded`]),
      ...(hasAgentWithoutModel
        ? [`agents without a model use ${usual ?? "Pi's default"} there, not that of this session`]
        : []),
    ],
  };
}

/** [X52] What agents get whose materia set none; the model is in the environment, which knows no materia. */
export function detachedAgents({ pi }: Pick<UserSession, "pi">): DetachedAgents {
  return { thinking: pi.getThinkingLevel() };
}

/** Settings of agents whose materia set none: as in this session. */
export interface DetachedAgents {
  readonly thinking: ThinkingLevel;
}

/** [X37] Hands the paused cast to a background process. */
export function detachPausedCast(
  castId: CastId,
  { place, store }: Workspace,
  agents: DetachedAgents,
): Promise<Result<number>> {
  return detachCast({ castId, place, store, words: ["recast", ...optionWords({ ...agents }), castId] });
}
