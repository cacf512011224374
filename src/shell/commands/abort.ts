import type { CommandOf } from "../../core/command/command.ts";
import { failWith, ok, type Result, suggest, typed, fail } from "../../core/model/issue.ts";
import { line } from "../../core/view/line.ts";
import { findOwnCast, type RequestedCast, type Workspace } from "../workspace/workspace.ts";
import { answer, type CommandResult } from "./command-output.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { ProcessIdentity } from "../process/process-identity.ts";
import type { CastStore } from "../store/cast-store.ts";
import { castEnded } from "../casting/resume-refusal.ts";
import { runWithPorts } from "../casting/run-owned-cast.ts";
import { writeOptionsFor, type RunContext } from "../context/run-context.ts";
import { foreignCastIssue } from "../workspace/foreign-casts.ts";

export async function runAbort(workspace: Workspace, { castId, trust }: CommandOf<"abort">): CommandResult {
  const id = await findOwnCast(workspace, castId, UNFINISHED);
  if (!id.ok) return id;
  const { fleet, place } = workspace;
  const aborted = await (fleet ? fleet.abort(id.value) : abortCast(workspace, id.value, trust === true));
  if (!aborted.ok) return aborted;
  const text = fleet
    ? `${id.value} was asked to stop; "materia status ${id.value} --on ${fleet.name}" shows when it has stopped.`
    : `${id.value} is aborted. "${place.program ?? "materia"} recast ${id.value}" continues it.`;
  return answer({ castId: id.value, status: aborted.value }, () => [line(text)]);
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
async function abortCast(workspace: Workspace, castId: CastId, trustsCast: boolean): Promise<Result<"aborted">> {
  const { store } = workspace;
  const cast = await store.current(castId);
  if (!cast.ok) return cast;
  const { file, state } = cast.value;
  if (state.phase.kind === "ended") return castEnded(castId, state.phase.outcome);
  // [S14] Aborting ends programs, and a planted cast names which.
  const foreign = trustsCast ? undefined : foreignCastIssue(workspace, file);
  if (foreign) return fail(foreign);
  if (!(await store.owner(castId))) return abortUnowned(workspace, castId);
  const stubborn = await waitUntilReleased(store, castId);
  if (stubborn) {
    const { pid, host } = stubborn;
    const hint = suggest`end that process ("kill ${String(pid)}"), then ${typed`abort ${castId}`} or ${typed`recast ${castId}`}`;
    const message = `process ${pid} on ${host} runs this cast and does not respond`;
    return failWith("owner_unresponsive", castId, message, hint);
  }
  const after = await store.current(castId);
  if (!after.ok) return after;
  const { phase } = after.value.state;
  // The owner was killed, or the cast now waits for a person: write the end here.
  if (phase.kind !== "ended") return abortUnowned(workspace, castId);
  return phase.outcome === "aborted" ? ok("aborted") : castEnded(castId, phase.outcome);
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
