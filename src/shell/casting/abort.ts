import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { Owner } from "../process/process-owner.ts";
import type { CastStore } from "../store/cast-store.ts";
import { stateOf } from "./cast-state.ts";
import { drive } from "./drive/drive.ts";
import { writingOf, type Driver } from "./drive/driver.ts";
import { foreignIssue } from "./workspace/foreign.ts";
import type { Workspace } from "./workspace/workspace.ts";

const LOOK_MS = 50;
/** An owner in good order needs some seconds at most to end an agent or a program. */
const PATIENCE_MS = 20_000;

/** [D11] Asks the owner to stop and waits for the end to be written; without an owner it is written here. */
export async function abortCast(workspace: Workspace, castId: CastId, trustsCast = false): Promise<Result<"aborted">> {
  const { store } = workspace;
  const state = await stateOf(store, castId);
  if (!state.ok) return state;
  if (state.value.phase.kind === "ended") return overAlready(castId, state.value.phase.outcome);
  // [S10] It ends programs, and a cast that somebody planted says which.
  const file = await store.describe(castId);
  if (!file.ok) return file;
  const foreign = trustsCast ? undefined : foreignIssue(workspace, file.value);
  if (foreign) return fail(foreign);
  if (!(await store.owner(castId))) return abortHere(workspace, castId);
  const stubborn = await untilReleased(store, castId);
  if (stubborn) return fail(deafIssue(castId, stubborn));
  const after = await stateOf(store, castId);
  if (!after.ok) return after;
  const { phase } = after.value;
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
    `end that process ("kill ${pid}"), then "materia abort ${castId}" or "materia recast ${castId}"`,
  );
}

async function abortHere({ store, place: { cwd, env } }: Workspace, castId: CastId): Promise<Result<"aborted">> {
  const host = { preflight: async () => [], runTurn: () => Promise.reject(new Error("an aborted cast asks nobody")) };
  const driver: Driver = { host, env, signal: AbortSignal.abort() };
  const owned = await store.claim(castId, writingOf(driver));
  if (!owned.ok) return owned;
  try {
    const cast = await owned.value.load();
    if (!cast.ok) return cast;
    const end = await drive(
      owned.value,
      { state: cast.value.state, cwd, family: { store, file: cast.value.file } },
      driver,
    );
    return end.kind === "broken" ? fail(error("cannot_write", castId, end.problem)) : ok("aborted");
  } finally {
    await owned.value.release();
  }
}

/** The owner that did not let go in time, if it did not. */
async function untilReleased(store: CastStore, castId: CastId): Promise<Owner | undefined> {
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
    // A killed owner leaves no mark: only looking tells.
    if (!(await store.owner(castId))) return undefined;
    // Asked again, because a first request may have come before the owner was listening.
    await store.requestAbort(castId);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return store.owner(castId);
}
