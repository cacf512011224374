import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { loadCast } from "../store/cast-store.ts";
import { currentOwner } from "../store/ownership.ts";
import type { Owner } from "../process/process-owner.ts";
import { requestAbort } from "./abort-request.ts";
import { drive, takeUp } from "./drive.ts";
import { foreignIssue } from "./foreign.ts";
import type { Workspace } from "./workspace.ts";

const LOOK_MS = 50;
/** An owner in good order needs some seconds at most to end an agent or a program. */
const PATIENCE_MS = 20_000;

/** [D11] Asks the owner to stop and waits for the end to be written; without an owner it is written here. */
export async function abortCast(workspace: Workspace, castId: string, trustsCast = false): Promise<Result<"aborted">> {
  const cast = loadCast(workspace.root, castId);
  if (!cast.ok) return cast;
  const { runDir, journal } = cast.value;
  if (journal.state.phase.kind === "ended") return overAlready(castId, journal.state.phase.outcome);
  // [S10] It ends programs, and a cast that somebody planted says which.
  const foreign = trustsCast ? undefined : foreignIssue(workspace, cast.value.file);
  if (foreign) return fail(foreign);
  if (!currentOwner(runDir)) return abortHere(workspace, castId);
  const stubborn = await untilReleased(runDir);
  if (stubborn) return fail(deafIssue(castId, stubborn));
  const after = loadCast(workspace.root, castId);
  if (!after.ok) return after;
  const { phase } = after.value.journal.state;
  // Killed instead of stopped, or waiting for a person by now: the end is still to be written.
  if (phase.kind !== "ended") return abortHere(workspace, castId);
  return phase.outcome === "aborted" ? ok("aborted") : overAlready(castId, phase.outcome);
}

function overAlready(castId: string, outcome: string): Result<never> {
  return fail(error("cast_is_over", castId, `this cast has ended: ${outcome.replace("_", " ")}`));
}

function deafIssue(castId: string, { pid, host }: Owner) {
  return error(
    "owner_is_deaf",
    castId,
    `process ${pid} on ${host} drives this cast and does not react`,
    `end that process ("kill ${pid}"), then "abort ${castId}" or "recast ${castId}"`,
  );
}

async function abortHere(workspace: Workspace, castId: string): Promise<Result<"aborted">> {
  const cast = loadCast(workspace.root, castId);
  if (!cast.ok) return cast;
  const take = () => {
    const current = takeUp(workspace.root, castId);
    return current.ok ? ok({ state: current.value.journal.state, first: [] }) : current;
  };
  const { cwd, env } = workspace.place;
  const host = { preflight: async () => [], runTurn: () => Promise.reject(new Error("an aborted cast asks nobody")) };
  const end = await drive(cast.value, take, { cwd, env, host, durability: "write", signal: AbortSignal.abort() });
  if (!end.ok) return end;
  return end.value.kind === "broken" ? fail(error("cannot_write", castId, end.value.problem)) : ok("aborted");
}

/** The owner that did not let go in time, if it did not. */
async function untilReleased(runDir: string): Promise<Owner | undefined> {
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
    // A killed owner leaves no mark: only looking tells.
    if (!currentOwner(runDir)) return undefined;
    // Asked again, because a first request may have come before the owner was listening.
    requestAbort(runDir);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return currentOwner(runDir);
}
