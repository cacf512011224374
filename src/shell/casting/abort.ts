import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { loadCast } from "../files/cast-store.ts";
import { currentOwner } from "../files/ownership.ts";
import { requestAbort } from "./abort-request.ts";
import { drive, takeUp } from "./drive.ts";
import type { Workspace } from "./workspace.ts";

/** [T-e] Asks the owner to stop and waits for the end to be written; without an owner it is written here. */
export async function abortCast(workspace: Workspace, castId: string): Promise<Result<"aborted">> {
  const cast = loadCast(workspace.root, castId);
  if (!cast.ok) return cast;
  const { runDir, journal: { state: { phase } } } = cast.value;
  if (phase.kind === "ended") return fail(error("cast_is_over", castId, `this cast has ended: ${phase.outcome.replace("_", " ")}`));
  if (currentOwner(runDir)) {
    requestAbort(runDir);
    await untilReleased(runDir);
    return ok("aborted");
  }
  const controller = new AbortController();
  controller.abort();
  const take = () => {
    const current = takeUp(workspace.root, castId);
    return current.ok ? ok({ state: current.value.journal.state, first: [] }) : current;
  };
  const { cwd, env } = workspace.place;
  const host = { preflight: async () => [], runTurn: () => Promise.reject(new Error("an aborted cast asks nobody")) };
  const end = await drive(cast.value, take, { cwd, env, host, durability: "write", signal: controller.signal });
  return end.ok ? ok("aborted") : end;
}

function untilReleased(runDir: string): Promise<void> {
  return new Promise((resolve) => {
    // A killed owner leaves no mark: only looking tells.
    const timer = setInterval(() => {
      // Asked again, because a first request may have come before the owner was listening.
      if (currentOwner(runDir)) return requestAbort(runDir);
      clearInterval(timer);
      resolve();
    }, 50);
  });
}
