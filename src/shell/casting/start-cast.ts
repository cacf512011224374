import { randomInt } from "node:crypto";
import { type LinkCommand, commandText } from "../../core/command/command.ts";
import {
  compileTargets,
  authoredLayout,
  socketOrigins,
  type CompiledChain,
} from "../../core/compile/targets/compile.ts";
import type { Graph } from "../../core/compile/graph.ts";
import { startedEvent } from "../../core/cast/next.ts";
import { initialState, type CastStart } from "../../core/cast/state/state.ts";
import { fail, isError, ok, type Result } from "../../core/model/issue.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { createOwnCastRegistry } from "../config/own-casts.ts";
import { CAST_FORMAT, castStartOf, type CastFile, newCastId } from "../store/cast-file.ts";
import type { CastStore, NewCast } from "../store/cast-store.ts";
import type { AgentHost } from "../ports.ts";
import type { RunOutcome } from "../run/run-cast.ts";
import { redactKeys } from "../secrets/redact-event.ts";
import { VERSION } from "../system/package.ts";
import { findRepository } from "../git/repository.ts";
import { openCastCheckpoints } from "../run/visit-checkpoints.ts";
import { runOwnedCast } from "./run-owned-cast.ts";
import { writeOptionsFor, type RunContext } from "../run/run-context.ts";
import { agentNeeds, openAgentHost, type AgentSource, REHEARSAL_FILE } from "../workspace/agent-hosts.ts";
import { loadPreviousCast } from "./previous-cast.ts";
import { checkConfiguration, trustIssue, type Workspace } from "../workspace/workspace.ts";
import { startTimeline } from "../../core/cast/timeline.ts";

/** What is to be run: a cast as it will be kept. Nothing of it exists yet. */
export interface CastPlan extends NewCast {
  readonly notes: readonly string[];
}

/** A plan, and the host that has said that it can answer for its agents. */
export interface ReadyCast {
  readonly plan: CastPlan;
  readonly host: AgentHost;
}

/** Targets and a prompt, and the words that were typed for them where those were not a link. */
export interface CastRequest extends Omit<LinkCommand, "kind"> {
  readonly command?: string;
}

/** Typed targets → a cast ready to begin, or every problem of the first stage that has any. */
export async function prepareCast(
  workspace: Workspace,
  request: CastRequest,
  agents: AgentSource,
): Promise<Result<ReadyCast>> {
  const untrusted = trustIssue(workspace);
  if (untrusted) return fail(untrusted);
  const sound = checkConfiguration(workspace);
  if (!sound.ok) return sound;
  const compiled = compileTargets(request.targets, workspace.catalog);
  if (!compiled.ok) return compiled;
  const previous = request.from === undefined ? ok(undefined) : await loadPreviousCast(workspace.store, request.from);
  if (!previous.ok) return previous;
  const host = await openAgentHost(workspace, agents);
  if (!host.ok) return host;
  const issues = await host.value.preflight(agentNeeds(compiled.value.graph, agents.model));
  if (issues.some(isError)) return fail(...issues);
  const state: JsonObject = previous.value ? { previousCastContext: previous.value.context } : {};
  const plan = planGraph(compiled.value.graph, {
    ...planDetails(workspace, compiled.value, request),
    fromCastId: previous.value?.castId ?? null,
    state,
    model: agents.model ?? null,
    rehearsal: typeof agents.rehearsal === "string" ? agents.rehearsal : null,
  });
  const notes = [...(previous.value?.notes ?? []), ...(await checkpointNotes(workspace))];
  return ok({ host: host.value, plan: { ...withReplies(plan, agents), notes } });
}

/** [Y3] Said once, where the cast is started. */
async function checkpointNotes({ place, catalog }: Workspace): Promise<readonly string[]> {
  if (!catalog.settings.checkpoints) return [];
  const found = await findRepository(place.cwd);
  return found.kind === "found" ? [] : [`files are not kept from visit to visit: ${found.why}`];
}

/** Replies that came with the command, as the cast keeps them for its resumes. */
function withReplies(plan: CastPlan, { rehearsal }: AgentSource): CastPlan {
  if (typeof rehearsal !== "object") return plan;
  const file = { ...plan.file, rehearsal: `${plan.file.castId}/${REHEARSAL_FILE}` };
  return { ...plan, file, attachments: { [REHEARSAL_FILE]: JSON.stringify(rehearsal) } };
}

function planDetails(
  { place, catalog, configFiles }: Workspace,
  compiled: CompiledChain,
  { command, ...link }: CastRequest,
): PlanDetails {
  return {
    ...compilationRecord(compiled),
    request: link.prompt,
    command: command ?? commandText(link),
    limits: catalog.settings.limits,
    ...(Object.keys(catalog.settings.worktree).length === 0 ? {} : { worktree: catalog.settings.worktree }),
    budget: {
      ...catalog.settings.budget,
      ...(link.budget === undefined ? {} : { maxTokens: link.budget }),
      ...(link.costUsd === undefined ? {} : { maxCostUsd: link.costUsd }),
    },
    cwd: place.cwd,
    checkpoints: catalog.settings.checkpoints,
    configFiles: [...configFiles],
  };
}

/** What a cast keeps of how its graph came about. */
export function compilationRecord({ id, graph, targets, stitches }: CompiledChain) {
  const layout = authoredLayout({ targets, graph });
  return {
    targets: targets.map(({ kind, name, entry }) => ({ kind, name, layer: entry.layer, file: entry.file ?? null })),
    loadout: { id, name: graph.name },
    remappings: [...socketOrigins(graph)],
    stitches: stitches.map((stitch) => ({ ...stitch })),
    ...(Object.keys(layout).length === 0 ? {} : { layout }),
  };
}

/** What a plan may say besides its graph. */
export type PlanDetails = Pick<CastFile, "request" | "cwd"> &
  Partial<Omit<CastFile, "castId" | "graph" | "versions" | "startedAt">>;

const DEFAULT_LIMITS: CastStart["limits"] = { maxNoAdvanceCycles: 3, maxRepairs: 1 };

/** A cast of a graph alone: it needs no workspace, no configuration and no command. */
export function planGraph(graph: Graph, details: PlanDetails): CastPlan {
  const now = new Date();
  const file: CastFile = {
    command: `cast ${details.request}`,
    targets: [],
    loadout: { id: graph.name, name: graph.name },
    remappings: [],
    stitches: [],
    fromCastId: null,
    limits: DEFAULT_LIMITS,
    budget: {},
    state: {},
    model: null,
    rehearsal: null,
    configFiles: [],
    ...details,
    castId: newCastId(now, randomInt(2 ** 32) / 2 ** 32),
    graph,
    versions: { format: CAST_FORMAT, materia: VERSION, node: process.version },
    startedAt: now.toISOString(),
  };
  return { file, notes: [] };
}

const USER_TEXT_FIELDS: ReadonlySet<string> = new Set(["request", "command", "state"]);

/** From here on the cast exists. */
export async function startCast(store: CastStore, plan: CastPlan, driver: RunContext): Promise<Result<RunOutcome>> {
  const writing = writeOptionsFor(driver);
  // [S12] What holds no secret is kept, and the cast works with what is kept.
  const file = redactKeys(plan.file, USER_TEXT_FIELDS, writing.redact);
  const owned = await store.create({ ...plan, file }, writing);
  if (!owned.ok) return owned;
  if (driver.env) createOwnCastRegistry(driver.env).record(file, await store.stamp(file.castId));
  const files = openCastCheckpoints(store, owned.value, file);
  try {
    const state = initialState(castStartOf(file));
    const model = file.model === null ? {} : { model: file.model };
    const first = files ? { files, first: [startedEvent(state, await files.takeFirst())] } : {};
    return ok(
      await runOwnedCast(
        owned.value,
        { state, trail: startTimeline(state), cwd: file.cwd, itemsContext: { store, file }, ...model, ...first },
        driver,
      ),
    );
  } finally {
    files?.close();
    await owned.value.release();
  }
}
