import { replaySteps } from "../../core/cast/step.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { RunObserver } from "./drive/driver.ts";
import { belongsToVisit, turnProgressFrom } from "./live/notes.ts";
import { watchItems, type SubscribeToTurn } from "./live/watch-items.ts";
import type { RunOutcome } from "../run/run-cast.ts";
import type { CastStore, EventUpdate, LoadedCast } from "../store/cast-store.ts";

/** The signal stops the looking; the cast goes on. */
export interface WatchOptions extends RunObserver {
  /** [B27] What its agents do meanwhile, where that can be heard. */
  readonly followTurn?: SubscribeToTurn;
  /** Whether it waits for a worker, where a cast may: that is no event of its own. */
  readonly isQueued?: (castId: CastId) => Promise<boolean>;
  /** Whether somebody will drive it, where that is known by other means than its owner. */
  readonly isExpected?: () => Promise<boolean>;
}

const OWNER_CHECK_MS = 1_000;

/** [C33] Follows a cast that another process drives, until it ends, waits, or nobody drives it any more. */
export async function watchCast(store: CastStore, cast: LoadedCast, watching: WatchOptions): Promise<Result<RunOutcome>> {
  const { castId } = cast;
  const { signal, onSteps, onProgress, followTurn } = watching;
  const isDriven = watching.isExpected ?? (async () => (await store.owner(castId)) !== undefined);
  let { state } = cast;
  let awake = Promise.withResolvers<void>();
  const wake = (): void => awake.resolve();
  // A killed owner leaves no mark: only looking tells. Nothing else keeps a process alive that does nothing but look.
  const pulse = watching.isExpected ? undefined : setInterval(wake, OWNER_CHECK_MS);
  const journal = store.followEvents(castId, state.seq, wake);
  const turn = onProgress && followTurn?.(castId, wake);
  const items = watching.onItemSteps && watchItems({ ...watching, followTurn, store, wake });
  const stops = [() => journal.close(), store.onOwnerChange(castId, wake), () => turn?.close(), () => items?.close()];
  signal.addEventListener("abort", wake);
  try {
    await items?.onParentState(state);
    for (;;) {
      awake = Promise.withResolvers();
      // Asked before the journal: an owner that has gone has written its last line by then.
      const driven = await isDriven();
      const news = await journal.next();
      if (news.kind === "lost" || news.kind === "damaged") return fail(journalIssue(castId, news));
      if (news.kind === "events") {
        const steps = [...replaySteps(state, news.events)];
        state = steps.at(-1)?.after ?? state;
        for (const { after } of steps) await items?.onParentState(after);
        onSteps?.(steps);
        continue;
      }
      if (state.phase.kind === "ended") return ok({ kind: "ended", state });
      if (!driven) return ok({ kind: state.phase.kind === "waiting" ? "waiting" : "paused", state });
      if (signal.aborted) return ok({ kind: "paused", state });
      await items?.read();
      for (const note of (await turn?.next()) ?? []) if (belongsToVisit(note, state)) onProgress?.(turnProgressFrom(note), state);
      await awake.promise;
    }
  } finally {
    clearInterval(pulse);
    signal.removeEventListener("abort", wake);
    for (const stop of stops) stop();
  }
}

function journalIssue(castId: string, news: Extract<EventUpdate, { kind: "lost" | "damaged" }>) {
  return news.kind === "lost"
    ? error("unknown_cast", castId, "the cast is gone")
    : error(
        "damaged_journal",
        castId,
        `line ${news.line} of the journal is damaged`,
        `look at it with "materia doctor ${castId}"`,
      );
}
