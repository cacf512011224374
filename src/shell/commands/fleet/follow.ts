import type { CastStep } from "../../../core/cast/step.ts";
import type { Result } from "../../../core/model/issue.ts";
import { watchCast } from "../../casting/watch.ts";
import type { RunEnd } from "../../run/run-cast.ts";
import type { CastStore, LoadedCast } from "../../store/cast-store.ts";

interface Looking {
  readonly signal: AbortSignal;
  readonly onSteps?: (steps: readonly CastStep[]) => void;
}

/** [B10] Until it ends, waits for a person or stands still; it goes on when nobody looks. */
export async function followOnFleet(store: CastStore, cast: LoadedCast, looking: Looking): Promise<Result<RunEnd>> {
  return watchCast(store, cast, {
    signal: looking.signal,
    onSteps: looking.onSteps ?? (() => undefined),
    isExpected: async () => {
      const status = (await store.summary(cast.castId))?.status;
      return status === "queued" || status === "running";
    },
  });
}
