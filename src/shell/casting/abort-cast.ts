import { suggest, typed, error, fail, ok, type Result } from "../../core/model/issue.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { ProcessIdentity } from "../process/process-identity.ts";
import type { CastStore } from "../store/cast-store.ts";
import { readCastState } from "./record-events.ts";
import { runWithPorts } from "./run-owned-cast.ts";
import { writeOptionsFor, type RunContext } from "../context/run-context.ts";
import { foreignCastIssue } from "../workspace/foreign-casts.ts";
import type { Workspace } from "../workspace/workspace.ts";

const ABORT_POLL_MS = 50;
/** A working owner needs a few seconds at most to end an agent or a program. */
const MAX_ABORT_WAIT_MS = 20_000;

/** [D11] Asks the owner to stop and waits for the end of the cast. Without an owner this process writes the end. */
export async function abortCast(workspace: Workspace, castId: CastId, trustsCast = false): Promise<Result<"aborted">> {
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
  return fail(error("cast_finished", castId, `this cast has ended: ${outcome.replace("_", " ")}`));
}

function unresponsiveIssue(castId: string, { pid, host }: ProcessIdentity) {
  return error(
    "owner_unresponsive",
    castId,
    `process ${pid} on ${host} runs this cast and does not respond`,
    suggest`end that process ("kill ${String(pid)}"), then ${typed`abort ${castId}`} or ${typed`recast ${castId}`}`,
  );
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
    return end.kind === "broken" ? fail(error("write_failed", castId, end.problem)) : ok("aborted");
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
