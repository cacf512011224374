import type { CommandOf } from "../../core/command/command.ts";
import { failWith, ok, type Result, suggest, typed, error, fail } from "../../core/model/issue.ts";
import { line } from "../../core/view/line.ts";
import { findOwnCast, type RequestedCast, type Workspace } from "../workspace/workspace.ts";
import type { CommandResult } from "./command-output.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { ProcessIdentity } from "../process/process-identity.ts";
import type { CastStore } from "../store/cast-store.ts";
import { readCastState } from "../casting/record-events.ts";
import { runWithPorts } from "../casting/run-owned-cast.ts";
import { writeOptionsFor, type RunContext } from "../context/run-context.ts";
import { foreignCastIssue } from "../workspace/foreign-casts.ts";

export async function runAbort(workspace: Workspace, { castId, trust }: CommandOf<"abort">): CommandResult {
  const id = await findOwnCast(workspace, castId, UNFINISHED);
  if (!id.ok) return id;
  if (workspace.fleet) {
    const asked = await workspace.fleet.abort(id.value);
    if (!asked.ok) return asked;
    const said = `${id.value} was asked to stop; "materia status ${id.value} --on ${workspace.fleet.name}" shows when it has stopped.`;
    return ok({ code: 0, data: { castId: id.value, status: asked.value }, lines: () => [line(said)] });
  }
  const aborted = await abortCast(workspace, id.value, trust === true);
  if (!aborted.ok) return aborted;
  const text = `${id.value} is aborted. "${workspace.place.program ?? "materia"} recast ${id.value}" continues it.`;
  return ok({ code: 0, data: { castId: id.value, status: aborted.value }, lines: () => [line(text)] });
}

const UNFINISHED: RequestedCast = {
  matches: ({ status }) =>
    status !== "completed" && status !== "not_satisfied" && status !== "failed" && status !== "aborted",
  noneMessage: "no cast here is running, waiting or interrupted",
};

const ABORT_POLL_MS = 50;
/** A working owner needs a few seconds at most to end an agent or a program. */
const MAX_ABORT_WAIT_MS = 20_000;

/** [D11] Asks the owner to stop and waits for the end of the cast. Without an owner this process writes the end. */
async function abortCast(workspace: Workspace, castId: CastId, trustsCast = false): Promise<Result<"aborted">> {
  const { store } = workspace;
  const state = await readCastState(store, castId);
  if (!state.ok) return state;
  if (state.value.phase.kind === "ended") return alreadyEnded(castId, state.value.phase.outcome);
  // [S14] Aborting ends programs, and a planted cast names which.
  const file = await store.readCastFile(castId);
  if (!file.ok) return file;
  const foreign = trustsCast ? undefined : foreignCastIssue(workspace, file.value);
  if (foreign) return fail(foreign);
  if (!(await store.owner(castId))) return abortUnowned(workspace, castId);
  const stubborn = await waitUntilReleased(store, castId);
  if (stubborn) return fail(unresponsiveIssue(castId, stubborn));
  const after = await readCastState(store, castId);
  if (!after.ok) return after;
  const { phase } = after.value;
  // The owner was killed, or the cast now waits for a person: write the end here.
  if (phase.kind !== "ended") return abortUnowned(workspace, castId);
  return phase.outcome === "aborted" ? ok("aborted") : alreadyEnded(castId, phase.outcome);
}

function alreadyEnded(castId: string, outcome: string): Result<never> {
  return failWith("cast_finished", castId, `this cast has ended: ${outcome.replace("_", " ")}`);
}

function unresponsiveIssue(castId: string, { pid, host }: ProcessIdentity) {
  const hint = suggest`end that process ("kill ${String(pid)}"), then ${typed`abort ${castId}`} or ${typed`recast ${castId}`}`;
  return error("owner_unresponsive", castId, `process ${pid} on ${host} runs this cast and does not respond`, hint);
}

async function abortUnowned({ store, place: { cwd, env } }: Workspace, castId: CastId): Promise<Result<"aborted">> {
  const host = { preflight: async () => [], runTurn: () => Promise.reject(new Error("an aborted cast asks nobody")) };
  const context: RunContext = { store, host, env, cwd, signal: AbortSignal.abort() };
  const owned = await store.claim(castId, writeOptionsFor(context));
  if (!owned.ok) return owned;
  try {
    const cast = await owned.value.load();
    if (!cast.ok) return cast;
    const { file, state } = cast.value;
    const end = await runWithPorts(owned.value, { file, state }, context);
    return end.kind === "broken" ? failWith("write_failed", castId, end.problem) : ok("aborted");
  } finally {
    await owned.value.release();
  }
}

/** The owner that did not release the cast in time, if any. */
async function waitUntilReleased(store: CastStore, castId: CastId): Promise<ProcessIdentity | undefined> {
  for (let waited = 0; waited < MAX_ABORT_WAIT_MS; waited += ABORT_POLL_MS) {
    // A killed owner leaves no trace: poll.
    if (!(await store.owner(castId))) return undefined;
    // Ask again: the first request may have come before the owner listened.
    await store.requestAbort(castId);
    await new Promise((resolve) => setTimeout(resolve, ABORT_POLL_MS));
  }
  return store.owner(castId);
}
