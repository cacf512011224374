import { randomInt } from "node:crypto";
import type { LinkCommand } from "../../core/command/command.ts";
import { commandText } from "../../core/command/command-text.ts";
import {
  compileTargets,
  authoredLayout,
  socketOrigins,
  type CompiledChain,
} from "../../core/compile/targets/compile.ts";
import type { Graph } from "../../core/compile/graph.ts";
import { startedEvent } from "../../core/cast/next.ts";
import { initialState, type CastStart, type CastState } from "../../core/cast/state/state.ts";
import type { CastEvent, EventBody } from "../../core/cast/state/event.ts";
import type { CastId } from "../../core/model/ids.ts";
import { error, fail, isError, ok, type Result } from "../../core/model/issue.ts";
import type { Catalog } from "../../core/catalog/catalog.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { createOwnCastRegistry } from "../config/own-casts.ts";
import { CAST_FORMAT, castStartOf, type CastFile, newCastId } from "../store/cast-file.ts";
import type { CastStore, NewCast, OwnedCast } from "../store/cast-store.ts";
import type { AgentHost } from "../ports.ts";
import type { RunOutcome } from "../run/run-cast.ts";
import { redactEvent, redactKeys } from "../secrets/redact-event.ts";
import type { Redactor } from "../secrets/redact.ts";
import type { CheckpointSession } from "../git/checkpoint-session.ts";
import { VERSION } from "../system/package.ts";
import { findRepository } from "../git/repository.ts";
import { openCastCheckpoints } from "../run/visit-checkpoints.ts";
import { runOwnedCast } from "./run-owned-cast.ts";
import { writeOptionsFor, type RunContext } from "../run/run-context.ts";
import { agentNeeds, openAgentHost, type AgentSource, REHEARSAL_FILE } from "../workspace/agent-hosts.ts";
import { loadPreviousCast } from "./previous-cast.ts";
import { checkConfiguration, trustIssue, type Workspace } from "../workspace/workspace.ts";
import { buildTimeline } from "../../core/cast/timeline.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";

/** What is to be run: a cast as it will be kept. Nothing of it exists yet. */
export interface CastPlan extends NewCast {
  /** [T20] Set for a fork. */
  readonly past?: CastPast;
  readonly notes: readonly string[];
}

/** The events that a fork shares with the cast that it was made from. */
export interface CastPast {
  readonly origin: CastId;
  readonly events: readonly CastEvent[];
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
    ...configuredDetails(catalog),
    budget: {
      ...catalog.settings.budget,
      ...(link.budget === undefined ? {} : { maxTokens: link.budget }),
      ...(link.costUsd === undefined ? {} : { maxCostUsd: link.costUsd }),
    },
    cwd: place.cwd,
    configFiles: [...configFiles],
  };
}

/** What a cast takes from the configuration as it is now, new or forked. */
export function configuredDetails({ settings: { limits, worktree, checkpoints } }: Catalog) {
  return { limits, checkpoints, ...(Object.keys(worktree).length === 0 ? {} : { worktree }) };
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

/** Creates a cast and runs it. From here on the cast exists, unless its past cannot be written. */
export async function startCast(store: CastStore, plan: CastPlan, driver: RunContext): Promise<Result<RunOutcome>> {
  const writing = writeOptionsFor(driver);
  // [S12] What holds no secret is kept, and the cast works with what is kept.
  const file = redactKeys(plan.file, USER_TEXT_FIELDS, writing.redact);
  const owned = await store.create({ ...plan, file }, writing);
  if (!owned.ok) return owned;
  const files = openCastCheckpoints(store, owned.value, file);
  try {
    const events = await pastEvents(plan.past, files, writing.redact);
    const problem = plan.past && (await writePast(store, plan.past.origin, events, owned.value));
    if (problem !== undefined) {
      await owned.value.discard();
      return fail(error("write_failed", file.castId, problem));
    }
    if (driver.env) createOwnCastRegistry(driver.env).record(file, await store.stamp(file.castId));
    const trail = buildTimeline(initialState(castStartOf(file)), events);
    const first = plan.past ? await forkEvents(trail.state, files) : await startEvents(trail.state, files);
    const model = file.model === null ? {} : { model: file.model };
    const run = { state: trail.state, trail, cwd: file.cwd, itemsContext: { store, file }, first, ...model };
    return ok(await runOwnedCast(owned.value, { ...run, ...(files ? { files } : {}) }, driver));
  } finally {
    files?.close();
    await owned.value.release();
  }
}

async function startEvents(state: CastState, files: CheckpointSession | undefined): Promise<readonly EventBody[]> {
  return files ? [startedEvent(state, await files.takeFirst())] : [];
}

/** [T45, T46] The shared events, without secrets. A fork of a cast without checkpoints has them from its own start on. */
async function pastEvents(
  past: CastPast | undefined,
  files: CheckpointSession | undefined,
  redact: Redactor,
): Promise<readonly CastEvent[]> {
  const events = (past?.events ?? []).map((event) => redactEvent(event, redact));
  const [started, ...others] = events;
  if (started?.type !== "cast_started" || !files || started.files) return events;
  return [{ ...started, files: await files.takeFirst() }, ...others];
}

/** [T46] What changed since the last shared checkpoint belongs to no visit of the fork. */
async function forkEvents(state: CastState, files: CheckpointSession | undefined): Promise<readonly EventBody[]> {
  const changes = state.files && (await files?.takeOutsideChanges(state.files.last));
  if (!changes && state.phase.kind !== "ended") return [];
  return [{ type: "cast_resumed", by: "materia fork", ...(changes ? { files: changes } : {}) }];
}

/** [T20] Written before anything runs; the first cast stays as it is. The files first: an event names what exists. */
async function writePast(
  store: CastStore,
  origin: CastId,
  events: readonly CastEvent[],
  { artifacts, journal }: OwnedCast,
): Promise<string | undefined> {
  for (const event of events) {
    if (event.type !== "visit_completed") continue;
    const { socket, visit } = event;
    for (const name of COPIED_FILES) {
      const part = await store.readArtifact(origin, { socket, visit, name });
      const text = part && Buffer.from(part.bytes).toString("utf8");
      const problem = text === undefined ? undefined : await artifacts.write(socket, visit, name, text);
      if (problem !== undefined) return problem;
    }
  }
  return journal.append(events, 0);
}

const COPIED_FILES = [
  "prompt.md",
  "output.md",
  "handoff.json",
  TRANSCRIPT_FILE,
  "input.json",
  "stdout.txt",
  "stderr.txt",
];
