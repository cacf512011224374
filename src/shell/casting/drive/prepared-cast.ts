import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { Result } from "../../../core/model/issue.ts";
import type { RunEnd } from "../../run/run-cast.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { NewCast } from "../../store/cast-store.ts";
import type { Listening } from "./driver.ts";

/** A cast that is about to run, new or not. */
export interface PreparedCast {
  readonly castId: CastId;
  readonly file: CastFile;
  /** What happened to it before. */
  readonly events: readonly CastEvent[];
  /** What would be submitted, where the cast is one for a fleet. */
  readonly plan?: NewCast;
  /** [B21] Set where the cast was submitted before, and this command submits none. */
  readonly isKnown?: true;
  readonly notes: readonly string[];
  /** [T6] What a rehearsal left over or met unexpectedly; asked when it has run. */
  readonly remarks: (end: RunEnd) => readonly string[];
  /** Runs it to its end or its next pause. A refusal comes before the first event. */
  readonly run: (listening: Listening) => Promise<Result<RunEnd>>;
}
