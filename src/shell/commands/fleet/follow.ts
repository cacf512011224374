import type { Result } from "../../../core/model/issue.ts";
import type { Listening } from "../../casting/drive/driver.ts";
import { watchCast } from "../../casting/watch.ts";
import type { Workspace } from "../../casting/workspace/workspace.ts";
import type { RunEnd } from "../../run/run-cast.ts";
import type { LoadedCast } from "../../store/cast-store.ts";

/** [B10, B27] Until it ends, waits for a person or stands still; it goes on when nobody looks. */
export async function followOnFleet(
  { store, fleet }: Pick<Workspace, "store" | "fleet">,
  cast: LoadedCast,
  listening: Listening,
): Promise<Result<RunEnd>> {
  return watchCast(store, cast, {
    ...listening,
    ...(fleet ? { followTurn: fleet.followTurn } : {}),
    isExpected: async () => {
      const status = (await store.summary(cast.castId))?.status;
      return status === "queued" || status === "running";
    },
  });
}
