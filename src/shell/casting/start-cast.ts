import { randomInt } from "node:crypto";
import type { CastEvent, EventBody } from "../../core/cast/state/event.ts";
import { buildTimeline } from "../../core/cast/timeline.ts";
import type { LinkCommand } from "../../core/command/command.ts";
import { commandText } from "../../core/command/command-text.ts";
import type { Graph } from "../../core/compile/graph.ts";
import { isCustomUtility } from "../../core/compile/socket-outputs.ts";
import {
  compileTargets,
  authoredLayout,
  socketOrigins,
  type CompiledChain,
} from "../../core/compile/targets/compile.ts";
import type { CastId } from "../../core/model/ids.ts";
import { failAll, failWith, ok, type Result } from "../../core/model/issue.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { createOwnCastRegistry } from "../config/own-casts.ts";
import { findRepository } from "../git/repository.ts";
import { findOwnBase } from "../git/worktrees/own-worktree.ts";
import type { AgentHost } from "../ports.ts";
import { writeOptionsFor, type RunContext, type RunOutcome } from "../context/run-context.ts";
import { redactKeys, redactEvent } from "../secrets/redact-event.ts";
import { CAST_FORMAT, castStartOf, type CastFile, newCastId, USER_TEXT_FIELDS } from "../store/cast-file.ts";
import type { NewCast, OwnedCast } from "../store/cast-store.ts";
import { REHEARSAL_FILE } from "../store/layout.ts";
import { VERSION } from "../system/package.ts";
import { sameModelIssues, type AgentSource } from "../workspace/agent-hosts.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { StoppedCastFacts } from "../items/item-runner.ts";
import { prepareRun, runParts, type PreparedCast } from "./prepared-cast.ts";
import { loadPreviousCast } from "./previous-cast.ts";
import { runOwnedCast } from "./run-owned-cast.ts";
import { writePast } from "./write-past.ts";
import { initialState } from "../../core/cast/state/initial-state.ts";
import { openCastCheckpoints } from "../run/visit-checkpoints.ts";

/** Typed targets → a cast that is ready to start, or every problem of the first stage that has any. */
export async function prepareCast(
  workspace: Workspace,
  link: Omit<LinkCommand, "kind">,
  agents: AgentSource,
  // The command as it can be typed again, and [YT1] where its own working tree starts, if it has one.
  { text = commandText(link), tree }: { readonly text?: string; readonly tree?: OwnTree | undefined } = {},
): Promise<Result<PreparedCast>> {
  const ready = await prepareRun(workspace, async () => {
    const compiled = compileTargets(link.targets, workspace.catalog);
    if (!compiled.ok) return compiled;
    const previous = link.from === undefined ? ok(undefined) : await loadPreviousCast(workspace.store, link.from);
    if (!previous.ok) return previous;
    return ok({ graph: compiled.value.graph, agents, compiled: compiled.value, previous: previous.value });
  });
  if (!ready.ok) return ready;
  const { compiled, previous, host } = ready.value;
  const same = await sameModelIssues(ready.value, host);
  if (same.length > 0) return failAll(same);
  // Last, because it stores the person's changes.
  const base = tree === undefined ? ok(undefined) : await ownWorktreeBase(workspace, tree);
  if (!base.ok) return base;
  const { budget: maxTokens, costUsd: maxCostUsd } = link;
  const cast = planConfiguredCast(workspace, ready.value, {
    request: link.prompt,
    command: text,
    ...(base.value === undefined ? {} : { ownWorktree: { base: base.value } }),
    budget: { ...workspace.catalog.settings.budget, ...withoutUndefined({ maxTokens, maxCostUsd }) },
    fromCastId: previous?.castId ?? null,
    state: previous ? { previousCastContext: previous.context } : {},
  });
  const unread = previous ? unreadPreviousNotes(compiled.graph, { ...link, from: previous.castId }) : [];
  const home = base.value === undefined ? [] : [`"materia take ${cast.file.castId}" brings its work home`];
  const notes = [...(previous?.notes ?? []), ...unread, ...(await checkpointNotes(workspace)), ...home];
  return ok(prepareStart(workspace, cast, { host, notes }));
}

type OwnTree = "head" | "changes";

export async function ownWorktreeBase(
  { place: { cwd }, catalog, store }: Workspace,
  tree: OwnTree,
): Promise<Result<string>> {
  const hasSetup = catalog.settings.worktree.setup !== undefined;
  const found = await findOwnBase({ cwd, artifacts: store.location, withChanges: tree === "changes", hasSetup });
  if (found.kind === "found") return ok(found.base);
  const message = `the cast cannot have its own working tree: ${found.reason}`;
  return failWith("no_worktree", "--worktree", message, "cast without --worktree, in this working tree");
}

/** [L30] Nothing reads the earlier cast: the new one would silently start without it. */
function unreadPreviousNotes(
  { materia }: Graph,
  link: Pick<LinkCommand, "targets" | "prompt"> & { readonly from: CastId },
): readonly string[] {
  const isRead = Object.values(materia).some(
    (each) => isCustomUtility(each) || JSON.stringify(each).includes("previousCastContext"),
  );
  if (isRead) return [];
  const targets = [{ kind: "materia" as const, name: "Chain-Context" }, ...link.targets];
  return [`no target reads ${link.from}; this one hands it on: materia ${commandText({ ...link, targets })}`];
}

/** A new cast that is ready to start; with a past it is a fork. */
export function prepareStart(
  workspace: Workspace,
  cast: NewCast,
  { host, notes, past }: { readonly host: AgentHost; readonly notes: readonly string[]; readonly past?: CastPast },
): PreparedCast {
  const { file } = cast;
  const { context, remarks, ...said } = runParts(workspace, host, file.graph, "new");
  const events = past?.events ?? [];
  return {
    ...cast,
    castId: file.castId,
    timeline: () => buildTimeline(initialState(castStartOf(file)), events),
    past: events,
    notes: [...notes, ...said.notes],
    remarks,
    create: async () => {
      const created = await createCast(cast, context, past);
      if (!created.ok) return created;
      await created.value.owned.release();
      return ok(undefined);
    },
    run: (observer) => startCast(cast, { ...observer, ...context }, past),
  };
}

/** [Y3] Reported once, when the cast starts. */
async function checkpointNotes({ place, catalog }: Workspace): Promise<readonly string[]> {
  if (!catalog.settings.checkpoints) return [];
  const found = await findRepository(place.cwd);
  return found.kind === "found" ? [] : [`no checkpoints of the files: ${found.why}`];
}

/** What a new cast or a fork takes from the compiled chain, the current configuration and its agents. */
export function planConfiguredCast(
  { catalog: { settings }, place, configFiles }: Workspace,
  run: { readonly compiled: CompiledChain; readonly agents: AgentSource; readonly host: AgentHost },
  details: Pick<CastFile, "request"> & Partial<CastFile>,
): NewCast {
  const { id, graph, targets, stitches } = run.compiled;
  const layout = authoredLayout({ targets, graph });
  const { waitForProvider, model = null, rehearsal } = run.agents;
  const { limits, worktree, checkpoints } = settings;
  const equipment = run.host.equipment?.() ?? [];
  const cast = planCast(graph, {
    ...details,
    targets: targets.map(({ kind, name, entry }) => ({ kind, name, layer: entry.layer, file: entry.file ?? null })),
    loadout: { id, name: graph.name },
    remappings: [...socketOrigins(graph)],
    stitches: stitches.map((stitch) => ({ ...stitch })),
    ...(Object.keys(layout).length === 0 ? {} : { layout }),
    limits: { ...limits, ...withoutUndefined({ waitForProvider }) },
    checkpoints,
    ...(Object.keys(worktree).length === 0 ? {} : { worktree }),
    // [YP4] A cast without skills and extensions records nothing.
    ...(equipment.length === 0 ? {} : { equipment: [...equipment] }),
    cwd: place.cwd,
    configFiles: [...configFiles],
    model,
    rehearsal: typeof rehearsal === "string" ? rehearsal : null,
  });
  if (typeof rehearsal !== "object") return cast;
  // Stores replies that came with the command beside the cast: a resume reads them again.
  const file = { ...cast.file, rehearsal: `${cast.file.castId}/${REHEARSAL_FILE}` };
  return { file, attachments: { [REHEARSAL_FILE]: JSON.stringify(rehearsal) } };
}

type NewCastDetails = Pick<CastFile, "request" | "cwd"> &
  Partial<Omit<CastFile, "castId" | "graph" | "versions" | "startedAt">>;

/** A new cast of a graph alone: it needs no workspace, no configuration and no command. */
export function planCast(graph: Graph, details: NewCastDetails): NewCast {
  const now = new Date();
  const file: CastFile = {
    command: `cast ${details.request}`,
    targets: [],
    loadout: { id: graph.name, name: graph.name },
    remappings: [],
    stitches: [],
    fromCastId: null,
    limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
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
  return { file };
}

/** Creates a cast that this process owns. With a past it is a fork: the past is written first. */
async function createCast(cast: NewCast, context: CreationContext, past: CastPast | undefined) {
  const { store, env } = context;
  const writing = writeOptionsFor(context);
  // [S12] Redact before the start: the cast works with what is stored.
  const file = redactKeys(cast.file, USER_TEXT_FIELDS, writing.redact);
  // [S10] Mark first: a cast that is killed after its creation must not count as foreign.
  const own = env && createOwnCastRegistry(env);
  own?.record(file, undefined);
  let events: readonly CastEvent[] = [];
  const writeShared =
    past &&
    (async (owned: OwnedCast): Promise<string | undefined> => {
      events = await pastEvents(past, file, owned, context);
      return writePast(store, past.origin, events, owned);
    });
  const created = await store.create({ ...cast, file, writePast: writeShared }, writing);
  if (!created.ok) {
    own?.forget(file.castId);
    return created;
  }
  own?.record(file, await store.stamp(file.castId));
  return ok({ file, owned: created.value, events });
}

export async function startCast(cast: NewCast, context: RunContext, past?: CastPast): Promise<Result<RunOutcome>> {
  const created = await createCast(cast, context, past);
  if (!created.ok) return created;
  const { file, owned, events } = created.value;
  try {
    const timeline = buildTimeline(initialState(castStartOf(file)), events);
    const { state } = timeline;
    const firstEvents = (found: StoppedCastFacts): readonly EventBody[] => {
      const isUnchanged = Object.keys(found).length === 0 && state.phase.kind !== "ended";
      // [T46] Changes since the last shared checkpoint belong to no visit of the fork.
      return !past || isUnchanged ? [] : [{ type: "cast_resumed", by: "materia fork", ...found }];
    };
    return ok(await runOwnedCast(owned, { file, state, timeline }, context, firstEvents));
  } finally {
    await owned.release();
  }
}

type CreationContext = Pick<RunContext, "store" | "env" | "durability">;

export interface CastPast {
  readonly origin: CastId;
  readonly events: readonly CastEvent[];
}

/** [T45, T46] The shared events without secrets. A fork of a cast without checkpoints takes its own from its start on. */
async function pastEvents(
  past: CastPast,
  file: CastFile,
  owned: OwnedCast,
  context: CreationContext,
): Promise<readonly CastEvent[]> {
  const { redact } = writeOptionsFor(context);
  const events = past.events.map((event) => redactEvent(event, redact));
  const [started, ...others] = events;
  if (started?.type !== "cast_started" || started.files) return events;
  const checkpoints = openCastCheckpoints(context.store, owned, file);
  if (!checkpoints) return events;
  const files = await checkpoints.takeFirst();
  checkpoints.close();
  return [{ ...started, files }, ...others];
}
