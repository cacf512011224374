import type { Options } from "../../../core/command/options.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { error, ok, type Issue, type Result } from "../../../core/model/issue.ts";
import type { RunObserver } from "../../casting/drive/driver.ts";
import { type PreparedCast, storedCastHistory, newCastHistory } from "../../casting/drive/prepared-cast.ts";
import { resumeRefusal } from "../../casting/refusal.ts";
import { resumeEvents, type Resumption } from "../../casting/resume.ts";
import { prepareCast, type CastRequest } from "../../casting/start.ts";
import type { AgentSource } from "../../casting/workspace/hosts.ts";
import type { FleetClient } from "../../casting/workspace/on-fleet.ts";
import { readRehearsalFile } from "../../casting/workspace/rehearsal-file.ts";
import type { Workspace } from "../../casting/workspace/workspace.ts";
import type { AgentHost } from "../../ports.ts";
import type { RunOutcome } from "../../run/run-cast.ts";
import type { NewCast } from "../../store/cast-store.ts";
import { followFleetCast } from "./follow.ts";

/** [B10] Options that say something of a fleet alone: without one they would be passed over in silence. */
export function fleetOptionIssues(options: Options): readonly Issue[] {
  return FLEET_OPTIONS.filter((name) => options[name] !== undefined).map((name) =>
    error("missing_option", `--${name}`, `--${name} is for casts of a fleet`, "name the fleet with --on"),
  );
}

const FLEET_OPTIONS = ["detach", "priority", "key"] as const;

/** Who asks, and whether they stay to look. */
export interface FleetCommandCaller {
  readonly workspace: Workspace;
  readonly fleet: FleetClient;
  readonly detach: boolean;
  readonly remember: () => void;
}

/** [B10] The same cast, driven elsewhere: here nobody needs its models. */
export async function prepareSubmission(
  request: CastRequest,
  agents: AgentSource,
  asker: FleetCommandCaller,
): Promise<Result<PreparedCast>> {
  const { workspace, fleet } = asker;
  const before = await fleet.submittedBefore();
  if (!before.ok) return before;
  if (before.value !== undefined) return prepareSubmittedBefore(before.value, asker);
  const { rehearsal } = agents;
  // A file of replies goes along: no worker could read it here.
  const replies = typeof rehearsal === "string" ? readRehearsalFile(workspace.place.cwd, rehearsal) : ok(rehearsal);
  if (!replies.ok) return replies;
  const brought = replies.value === undefined ? {} : { rehearsal: replies.value };
  const ready = await prepareCast(workspace, request, { ...agents, openReal: async () => NO_LOCAL_HOST, ...brought });
  if (!ready.ok) return ready;
  const plan = withDefaultModel(ready.value.plan, workspace.catalog.settings.model);
  const { file } = plan;
  const run: PreparedCast["run"] = async (listening) => {
    const sent = await fleet.submit(plan);
    if (!sent.ok) return sent;
    asker.remember();
    // Who came first under the key may have asked for something else: what shows this cast cannot show that one.
    return detachOrFollow(asker, sent.value, sent.value === file.castId ? listening : { signal: listening.signal });
  };
  const remarks: PreparedCast["remarks"] = (end) => [
    ...(end.state.castId === file.castId ? [] : [alreadySubmittedNote(end.state.castId)]),
    ...detachedRemarks(fleet)(end),
  ];
  return ok({ castId: file.castId, file, ...newCastHistory(file), plan, notes: plan.notes, remarks, run });
}

/** [B9] Workers do not know the settings of whoever submits: their model goes along where a materia names none. */
function withDefaultModel<T extends NewCast>(plan: T, model: string | null): T {
  if (model === null) return plan;
  const materia = Object.entries(plan.file.graph.materia).map(([name, each]) => [
    name,
    each.type === "agent" && each.model === undefined ? { ...each, model } : each,
  ]);
  return { ...plan, file: { ...plan.file, graph: { ...plan.file.graph, materia: Object.fromEntries(materia) } } };
}

/** [B21] Nothing is submitted: the first cast of the key is looked at. */
async function prepareSubmittedBefore(castId: CastId, asker: FleetCommandCaller): Promise<Result<PreparedCast>> {
  const cast = await asker.workspace.store.current(castId);
  if (!cast.ok) return cast;
  const { file, timeline: trail } = cast.value;
  const notes = [alreadySubmittedNote(castId)];
  const run: PreparedCast["run"] = (listening) => detachOrFollow(asker, castId, listening);
  const known = storedCastHistory(asker.workspace.store, castId, trail);
  return ok({ castId, file, ...known, isKnown: true, notes, remarks: detachedRemarks(asker.fleet), run });
}

/** Who answers for agents is known to the workers alone. */
const NO_LOCAL_HOST: AgentHost = {
  preflight: async () => [],
  runTurn: () => Promise.reject(new Error("casts of a fleet are driven by its workers")),
};

/** [B10] A stopped cast of a fleet: what is said to it is written down, and a worker goes on with it. */
export async function prepareResumeOnFleet(
  castId: CastId,
  { how, by }: { readonly how: Resumption; readonly by: string },
  asker: FleetCommandCaller,
): Promise<Result<PreparedCast>> {
  const { store } = asker.workspace;
  const cast = await store.current(castId);
  if (!cast.ok) return cast;
  const refusal = resumeRefusal(cast.value.state, castId, how);
  if (refusal) return refusal;
  const { file, timeline: trail, state } = cast.value;
  // One that never began is begun by the worker that takes it up.
  const said = state.phase.kind === "unstarted" ? [] : resumeEvents(state, how, { by });
  const run: PreparedCast["run"] = async (listening) => {
    const set = await asker.fleet.resume(cast.value, said);
    return set.ok ? detachOrFollow(asker, castId, listening) : set;
  };
  return ok({ castId, file, ...storedCastHistory(store, castId, trail), notes: [], remarks: detachedRemarks(asker.fleet), run });
}

function alreadySubmittedNote(castId: string): string {
  return `this key was submitted before, as ${castId}; nothing is submitted now`;
}

async function detachOrFollow(
  { detach, workspace }: FleetCommandCaller,
  castId: CastId,
  listening: RunObserver,
): Promise<Result<RunOutcome>> {
  const cast = await workspace.store.load(castId);
  if (!cast.ok) return cast;
  return detach ? ok({ kind: "paused", state: cast.value.state }) : followFleetCast(workspace, cast.value, listening);
}

function detachedRemarks({ name }: FleetClient): PreparedCast["remarks"] {
  return ({ kind, state }) =>
    kind === "paused" ? [`the cast goes on without you: materia watch ${state.castId} --on ${name}`] : [];
}
