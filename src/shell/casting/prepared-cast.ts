import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastId } from "../../core/model/ids.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import type { CastTimeline } from "../../core/cast/timeline.ts";
import type { RunOutcome } from "../run/run-cast.ts";
import type { CastFile } from "../store/cast-file.ts";
import { type CastStore, type NewCast, TIMELINE } from "../store/cast-store.ts";
import type { RunObserver } from "../run/run-context.ts";
import { assertNever } from "../../core/model/assert-never.ts";

type CastHistory = Pick<PreparedCast, "trail" | "events">;

/** Of a cast to which nothing has happened. */
export function newCastHistory(file: CastFile): CastHistory {
  return { trail: () => TIMELINE.begin(file), events: async () => ok([]) };
}

/** Of one that is kept. */
export function storedCastHistory(store: CastStore, castId: CastId, trail: CastTimeline): CastHistory {
  const events = async (): Promise<Result<readonly CastEvent[]>> => {
    const cast = await store.load(castId);
    return cast.ok ? ok(cast.value.events) : cast;
  };
  return { trail: () => trail, events };
}

/** A cast that is about to run, new or not. */
export interface PreparedCast {
  readonly castId: CastId;
  readonly file: CastFile;
  /** How it stands before it runs. */
  readonly trail: () => CastTimeline;
  /** What happened to it until then; read when somebody asks, which the command line never does. */
  readonly events: () => Promise<Result<readonly CastEvent[]>>;
  /** What would be submitted, where the cast is one for a fleet. */
  readonly plan?: NewCast;
  /** [B21] Set where the cast was submitted before, and this command submits none. */
  readonly isKnown?: true;
  readonly notes: readonly string[];
  /** [T6] What a rehearsal left over or met unexpectedly; asked when it has run. */
  readonly remarks: (end: RunOutcome) => readonly string[];
  /** Runs it to its end or its next pause. A refusal comes before the first event. */
  readonly run: (listening: RunObserver) => Promise<Result<RunOutcome>>;
}

/** [C10] How a cast ended, as scripts and CI read it; the same in every face. */
export function exitCodeFor(end: RunOutcome): number {
  if (end.kind === "waiting") return 4;
  if (end.kind === "paused") return 130;
  const { phase } = end.state;
  if (end.kind === "broken" || phase.kind !== "ended") return 1;
  switch (phase.outcome) {
    case "completed":
      return 0;
    case "failed":
      return 1;
    case "not_satisfied":
      return 3;
    case "aborted":
      return 130;
    default:
      return assertNever(phase.outcome);
  }
}
