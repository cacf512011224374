import type { CastId } from "../../../core/model/ids.ts";
import type { Result } from "../../../core/model/issue.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import type { RunObserver, QueueStatus } from "../../casting/drive/driver.ts";
import { watchCast } from "../../casting/watch.ts";
import type { Workspace } from "../../casting/workspace/workspace.ts";
import { sleepUnlessAborted } from "../../run/pause.ts";
import type { RunOutcome } from "../../run/run-cast.ts";
import type { CastStore, LoadedCast } from "../../store/cast-store.ts";

/** Why a cast waits may change without a word of its own: others end, workers come and go. */
const QUEUE_POLL_MS = 1_000;
const HANDOVER_POLL_MS = 200;
const MAX_HANDOVER_MS = 20_000;

/** [B10, B27] Until it ends, waits for a person or stands still; it goes on when nobody looks. */
export async function followFleetCast(
  workspace: Pick<Workspace, "store" | "fleet">,
  cast: LoadedCast,
  listening: RunObserver,
): Promise<Result<RunOutcome>> {
  const { store, fleet } = workspace;
  const queue = listening.onQueued && watchQueue(workspace, cast.castId, listening.onQueued);
  try {
    return await watchCast(store, cast, {
      ...listening,
      ...(fleet ? { followTurn: fleet.followTurn } : {}),
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

/**
 * [B10] Who hands a cast back lets go of it first: for that moment nobody has it, and it does not wait either. What stays so is
 * of a worker that was killed in between, and is not looked at for ever.
 */
async function readSettledSummary(store: CastStore, castId: CastId, signal: AbortSignal): Promise<CastSummary | undefined> {
  for (let waited = 0; ; waited += HANDOVER_POLL_MS) {
    const summary = await store.summary(castId);
    if (summary?.status !== "interrupted" || waited >= MAX_HANDOVER_MS || signal.aborted) return summary;
    await sleepUnlessAborted(HANDOVER_POLL_MS, signal);
  }
}

/** [B29] Tells what keeps a cast from being driven, while it does. */
function watchQueue(
  { store, fleet }: Pick<Workspace, "store" | "fleet">,
  castId: CastId,
  tell: NonNullable<RunObserver["onQueued"]>,
): { readonly hear: (summary: CastSummary | undefined) => Promise<void>; readonly close: () => void } {
  let timer: NodeJS.Timeout | undefined;
  // A later look is the truer one, and behind the last there is nothing to tell.
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
