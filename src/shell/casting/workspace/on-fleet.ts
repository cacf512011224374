import type { EventBody } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { Result } from "../../../core/model/issue.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { LoadedCast, NewCast } from "../../store/cast-store.ts";

/** What people do with casts that other machines drive, in place of driving them here. */
export interface OnFleet {
  /** The name that --on was given. */
  readonly name: string;
  /** This working tree and a cast for it. */
  readonly submit: (plan: NewCast) => Promise<Result<CastFile>>;
  /** [B10] Written where it stood when it was looked at, or refused; then a worker goes on with it. */
  readonly setGoing: (cast: LoadedCast, said: readonly EventBody[]) => Promise<Result<undefined>>;
  readonly abort: (castId: CastId) => Promise<Result<"asked">>;
  readonly raise: (castId: CastId, maxTokens: number) => Promise<Result<undefined>>;
  /** The checkpoints of a cast into the repository around a folder; what stands at the end of them. */
  readonly fetchFiles: (castId: CastId, cwd: string) => Promise<Result<FetchedFiles>>;
}

export interface FetchedFiles {
  readonly head: string;
  readonly ckpt: string;
}
