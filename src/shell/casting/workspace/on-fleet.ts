import type { EventBody } from "../../../core/cast/state/event.ts";
import type { FleetLimit } from "../../../core/command/command.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { Result } from "../../../core/model/issue.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import type { FleetStatus, WaitReason } from "../../../core/view/now/fleet.ts";
import type { AgentProgress } from "../../../core/wire/stream.ts";
import type { CurrentCast, Subscription, NewCast } from "../../store/cast-store.ts";

/** What people do with casts that other machines drive, in place of driving them here. */
export interface FleetClient {
  /** The name that --on was given. */
  readonly name: string;
  /** Where casts are kept here: no part of what is submitted. */
  readonly artifacts: string;
  /** [B21] The cast that was submitted under the key of this command before, where there is one. */
  readonly submittedBefore: () => Promise<Result<CastId | undefined>>;
  /** This working tree and a cast for it; answers with the cast that there is now, which is another's where its key came first. */
  readonly submit: (plan: NewCast) => Promise<Result<CastId>>;
  /** [B10] Written where it stood when it was looked at, or refused; then a worker goes on with it. */
  readonly resume: (cast: CurrentCast, said: readonly EventBody[]) => Promise<Result<undefined>>;
  readonly abort: (castId: CastId) => Promise<Result<"asked">>;
  readonly raiseBudget: (castId: CastId, maxTokens: number) => Promise<Result<undefined>>;
  /** Nothing where the cast does not wait for a worker, or none could begin it. */
  readonly queuePosition: (castId: CastId) => Promise<QueuePosition | undefined>;
  /** [B29] Queues in which casts wait that nobody works on. */
  readonly unservedQueues: () => Promise<readonly string[]>;
  /** The checkpoints of a cast into the repository around a folder; what stands at the end of them. */
  readonly fetchCheckpoints: (castId: CastId, cwd: string) => Promise<Result<FetchedCheckpoints>>;
  /** [B29] Who works on what, and what waits for whom. */
  readonly status: () => Promise<Result<FleetStatus>>;
  /** [B27] What the agent of a cast does right now. */
  readonly followTurn: (castId: CastId, wake: () => void) => Subscription<readonly AgentProgress[]>;
  /** What a listing says of these casts, as far as they are there and are no items of others; nothing where it cannot be asked. */
  readonly summariesOf: (casts: readonly string[]) => Promise<readonly CastSummary[] | undefined>;
}

/** [B22] Where a cast stands among those of its project that wait, and the limits that hold it back. */
export interface QueuePosition {
  readonly place: number;
  readonly waiting: number;
  readonly held: readonly (FleetLimit & { readonly most: number })[];
  readonly queue: string;
  /** [B29] */
  readonly why: WaitReason;
}

export interface FetchedCheckpoints {
  readonly head: string;
  readonly ckpt: string;
}
