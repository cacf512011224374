import { stepFrom } from "../../core/cast/step.ts";
import type { CastStep } from "../../core/cast/step.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { Progress } from "../../core/wire/stream.ts";
import type { TurnProgress } from "../ports.ts";
import { progressOf } from "./live/notes.ts";
import type { RunEnd } from "../run/run-cast.ts";
import type { CastStore, EventNews, Following, LoadedCast } from "../store/cast-store.ts";

export interface Watching {
  /** Stops looking; the cast goes on. */
  readonly signal: AbortSignal;
  readonly onSteps: (steps: readonly CastStep[]) => void;
  /** [B27] What its agent does meanwhile, where that can be heard. */
  readonly turn?: {
    readonly follow: (castId: CastId, wake: () => void) => Following<readonly Progress[]>;
    readonly onProgress: (progress: TurnProgress, state: CastState) => void;
  };
  /** Whether somebody will drive it, where that is known by other means than its owner. */
  readonly isExpected?: () => Promise<boolean>;
}

/** [C33] Follows a cast that another process drives, until it ends, waits, or nobody drives it any more. */
export async function watchCast(store: CastStore, cast: LoadedCast, watching: Watching): Promise<Result<RunEnd>> {
  const { castId } = cast;
  const { signal, onSteps } = watching;
  const isDriven = watching.isExpected ?? (async () => (await store.owner(castId)) !== undefined);
  let { state } = cast;
  let awake = Promise.withResolvers<void>();
  const wake = (): void => awake.resolve();
  const journal = store.follow(castId, state.seq, wake);
  const turn = watching.turn?.follow(castId, wake);
  const stops = [() => journal.close(), store.onOwnerChange(castId, wake), () => turn?.close()];
  signal.addEventListener("abort", wake);
  try {
    for (;;) {
      awake = Promise.withResolvers();
      // Asked before the journal: an owner that has gone has written its last line by then.
      const driven = await isDriven();
      const news = await journal.next();
      if (news.kind === "lost" || news.kind === "damaged") return fail(unreadable(castId, news));
      if (news.kind === "events") {
        const steps = stepsOf(state, news.events);
        state = steps.at(-1)?.after ?? state;
        onSteps(steps);
        continue;
      }
      if (state.phase.kind === "ended") return ok({ kind: "ended", state });
      if (!driven) return ok({ kind: state.phase.kind === "waiting" ? "waiting" : "paused", state });
      if (signal.aborted) return ok({ kind: "paused", state });
      for (const note of (await turn?.next()) ?? [])
        if (isOfVisit(note, state)) watching.turn?.onProgress(progressOf(note), state);
      await awake.promise;
    }
  } finally {
    signal.removeEventListener("abort", wake);
    for (const stop of stops) stop();
  }
}

/** What was said of a visit that is over is not said of the next. */
function isOfVisit({ socket, visit }: Progress, { phase }: CastState): boolean {
  return phase.kind === "visiting" && phase.visit.socket === socket && phase.visit.number === visit;
}

function stepsOf(start: CastState, events: Extract<EventNews, { kind: "events" }>["events"]): readonly CastStep[] {
  let state = start;
  return events.map((event) => {
    const step = stepFrom(state, event);
    state = step.after;
    return step;
  });
}

function unreadable(castId: string, news: Extract<EventNews, { kind: "lost" | "damaged" }>) {
  return news.kind === "lost"
    ? error("unknown_cast", castId, "the cast is gone")
    : error(
        "damaged_journal",
        castId,
        `line ${news.line} of the journal is damaged`,
        `look at it with "materia doctor ${castId}"`,
      );
}
