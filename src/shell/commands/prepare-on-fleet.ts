import type { LinkCommand } from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import type { CastId } from "../../core/model/ids.ts";
import { error, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { type RunObserver, type RunOutcome, type QueueStatus, sleepUnlessAborted } from "../context/run-context.ts";
import type { PreparedCast } from "../casting/prepared-cast.ts";
import { resumeRefusal } from "../casting/resume-refusal.ts";
import { releaseSleeping, resumeEvents, type Resumption } from "../casting/resume-cast.ts";
import { prepareCast } from "../casting/start-cast.ts";
import { type AgentSource, readRehearsalFile } from "../workspace/agent-hosts.ts";
import type { FleetClient, Workspace } from "../workspace/workspace.ts";
import { listEquipment } from "../agents/equipped-session.ts";
import type { AgentHost, EquipmentDigest } from "../ports.ts";
import { TIMELINE, type NewCast, type CastStore, type LoadedCast } from "../store/cast-store.ts";
import { watchCast } from "../casting/watch-cast.ts";
import type { CommandCaller } from "./prepare.ts";
import type { CastSummary } from "../../core/cast/summary.ts";

/** [B40] Options that only make sense on a fleet: without one they would be ignored silently. */
export function fleetOptionIssues(options: Options): readonly Issue[] {
  return (["priority", "key"] as const)
    .filter((name) => options[name] !== undefined)
    .map((name) => error("missing_option", `--${name}`, `--${name} needs a fleet`, "name the fleet with --on"));
}

/** [B10] Submits the cast to a fleet: this machine needs no model. */
export async function prepareSubmission(
  link: Omit<LinkCommand, "kind">,
  agents: AgentSource,
  asker: CommandCaller,
  { fleet, text }: { readonly fleet: FleetClient; readonly text: string },
): Promise<Result<PreparedCast>> {
  const { workspace } = asker;
  const before = await fleet.submittedBefore();
  if (!before.ok) return before;
  if (before.value !== undefined) return prepareSubmittedBefore(before.value, asker, fleet);
  const { rehearsal } = agents;
  // Submit the file of replies too: no worker could read it here.
  const replies = typeof rehearsal === "string" ? readRehearsalFile(workspace.place.cwd, rehearsal) : ok(rehearsal);
  if (!replies.ok) return replies;
  const brought = replies.value === undefined ? {} : { rehearsal: replies.value };
  const remote = { ...agents, openReal: async () => remoteHost(), runsElsewhere: true as const, ...brought };
  const prepared = await prepareCast(workspace, link, remote, { text });
  if (!prepared.ok) return prepared;
  const cast = withDefaultModel(prepared.value, workspace.catalog.settings.model);
  const { file } = cast;
  const run: PreparedCast["run"] = async (listening) => {
    const sent = await fleet.submit(cast);
    if (!sent.ok) return sent;
    asker.remember();
    // The first cast with this key may come from another request, so its view may differ.
    return detachOrFollow(asker, sent.value, sent.value === file.castId ? listening : { signal: listening.signal });
  };
  const remarks: PreparedCast["remarks"] = (end) => [
    ...(end.state.castId === file.castId ? [] : [alreadySubmittedNote(end.state.castId)]),
    ...detachedRemarks(fleet)(end),
  ];
  return ok({ ...cast, timeline: () => TIMELINE.begin(file), remarks, run });
}

/** [B38] Workers do not have the submitter's settings: submit the model for materia that name none. */
function withDefaultModel<T extends NewCast>(plan: T, model: string | null): T {
  if (model === null) return plan;
  const materia = Object.entries(plan.file.graph.materia).map(([name, each]) => [
    name,
    each.type === "agent" && each.model === undefined ? { ...each, model } : each,
  ]);
  return { ...plan, file: { ...plan.file, graph: { ...plan.file.graph, materia: Object.fromEntries(materia) } } };
}

/** [B21] Submit nothing: show the first cast with this key. */
async function prepareSubmittedBefore(
  castId: CastId,
  asker: CommandCaller,
  fleet: FleetClient,
): Promise<Result<PreparedCast>> {
  const cast = await asker.workspace.store.current(castId);
  if (!cast.ok) return cast;
  const { file, timeline } = cast.value;
  return ok({
    castId,
    file,
    timeline: () => timeline,
    isKnown: true,
    notes: [alreadySubmittedNote(castId)],
    remarks: detachedRemarks(fleet),
    run: (listening) => detachOrFollow(asker, castId, listening),
  });
}

/** Only the workers know the host. [YP7] They need the same skills and extensions as this machine. */
function remoteHost(): AgentHost {
  let equipment: readonly EquipmentDigest[] = [];
  return {
    preflight: async (needs, place) => {
      if (place) equipment = await listEquipment(needs, place);
      return [];
    },
    equipment: () => equipment,
    runTurn: () => Promise.reject(new Error("casts of a fleet are run by its workers")),
  };
}

/** [B42] Records what a stopped cast of a fleet shall do; a worker continues it. */
export async function prepareResumeOnFleet(
  castId: CastId,
  { how, by, fleet }: { readonly how: Resumption; readonly by: string; readonly fleet: FleetClient },
  asker: CommandCaller,
): Promise<Result<PreparedCast>> {
  const { store } = asker.workspace;
  const cast = await store.current(castId);
  if (!cast.ok) return cast;
  const refusal = resumeRefusal(cast.value.state, castId, how);
  if (refusal) return refusal;
  const { file, timeline, state } = cast.value;
  // The worker that takes an unstarted cast starts it.
  const events = state.phase.kind === "unstarted" ? [] : resumeEvents(state, how, { by });
  const run: PreparedCast["run"] = async (listening) => {
    if (state.phase.kind === "sleeping") await releaseSleeping(store, castId);
    const set = await fleet.resume(cast.value, events);
    return set.ok ? detachOrFollow(asker, castId, listening) : set;
  };
  return ok({ castId, file, timeline: () => timeline, notes: [], remarks: detachedRemarks(fleet), run });
}

function alreadySubmittedNote(castId: string): string {
  return `this key was submitted before as ${castId}; nothing is submitted now`;
}

async function detachOrFollow(
  { options, workspace }: CommandCaller,
  castId: CastId,
  listening: RunObserver,
): Promise<Result<RunOutcome>> {
  const cast = await workspace.store.load(castId);
  if (!cast.ok) return cast;
  if (options.detach) return ok({ kind: "paused", state: cast.value.state });
  return followFleetCast(workspace, cast.value, listening);
}

function detachedRemarks({ name }: FleetClient): PreparedCast["remarks"] {
  return ({ kind, state }) =>
    kind === "paused" ? [`the cast continues in the background: materia watch ${state.castId} --on ${name}`] : [];
}

/** The reason for waiting may change without an event of this cast: others end, workers come and go. */
const QUEUE_POLL_MS = 1_000;
const HANDOVER_POLL_MS = 200;
const MAX_HANDOVER_MS = 20_000;

/** [B10, B27] Watches until the cast ends, waits for a person or stands still. Leaving does not stop it. */
export async function followFleetCast(
  workspace: Pick<Workspace, "store" | "fleet">,
  cast: LoadedCast,
  listening: RunObserver,
): Promise<Result<RunOutcome>> {
  const { store } = workspace;
  const queue = listening.onQueued && watchQueue(workspace, cast.castId, listening.onQueued);
  try {
    return await watchCast(store, cast, {
      ...listening,
      isQueued: async (castId) => (await store.summary(castId))?.status === "queued",
      isExpected: async () => {
        const summary = await readSettledSummary(store, cast.castId, listening.signal);
        listening.onSettingUp?.(summary?.settingUp);
        await queue?.hear(summary);
        return summary?.status === "queued" || summary?.status === "running";
      },
    });
  } finally {
    queue?.close();
  }
}

/** [B10] Requeueing releases the claim first, so for a moment the cast is neither owned nor queued. If that lasts, its worker was killed: stop watching. */
async function readSettledSummary(
  store: CastStore,
  castId: CastId,
  signal: AbortSignal,
): Promise<CastSummary | undefined> {
  for (let waited = 0; ; waited += HANDOVER_POLL_MS) {
    const summary = await store.summary(castId);
    if (summary?.status !== "interrupted" || waited >= MAX_HANDOVER_MS || signal.aborted) return summary;
    await sleepUnlessAborted(HANDOVER_POLL_MS, signal);
  }
}

/** [B71] Reports what keeps a cast from running. */
function watchQueue(
  { store, fleet }: Pick<Workspace, "store" | "fleet">,
  castId: CastId,
  tell: NonNullable<RunObserver["onQueued"]>,
) {
  let timer: NodeJS.Timeout | undefined;
  // A later result is newer: drop results that arrive after it.
  let looks = 0;
  const look = async (summary: CastSummary | undefined): Promise<QueueStatus | undefined> => {
    if (summary?.status !== "queued" || !fleet) return undefined;
    const at = { fleet: fleet.name, queue: "" };
    if (summary.blocked !== undefined) return { ...at, why: { kind: "blocked", why: summary.blocked } };
    const place = await fleet.queuePosition(castId);
    return place && place.why.kind !== "soon" ? { ...at, queue: place.queue, why: place.why } : undefined;
  };
  const hear = async (summary: CastSummary | undefined): Promise<void> => {
    const mine = ++looks;
    const queued = await look(summary);
    if (mine !== looks) return;
    tell(queued);
    clearTimeout(timer);
    if (summary?.status !== "queued") return;
    timer = setTimeout(() => void store.summary(castId).then(hear, () => undefined), QUEUE_POLL_MS);
    timer.unref();
  };
  return {
    hear,
    close: () => {
      looks += 1;
      clearTimeout(timer);
    },
  };
}
