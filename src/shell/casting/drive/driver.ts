import type { CastState } from "../../../core/cast/state/state.ts";
import type { CastStep } from "../../../core/cast/step.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import type { QueuedCast } from "../../../core/view/now/fleet.ts";
import type { AgentHost, ItemRunner, Ports, TurnProgress } from "../../ports.ts";
import { createRedactor } from "../../secrets/redact.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { Durability, OwnedCast, WriteOptions } from "../../store/cast-store.ts";

/** Who listens to a cast, and may stop it. */
export interface RunObserver {
  readonly signal: AbortSignal;
  /** Told what was written, as soon as it is: every event with the cast before and after it. */
  readonly onSteps?: (steps: readonly CastStep[]) => void;
  readonly onProgress?: (progress: TurnProgress, state: CastState) => void;
  /** The same of the items of a parallel loop, each of which is a cast of its own. */
  readonly onItemSteps?: (steps: readonly CastStep[]) => void;
  readonly onItemProgress?: (progress: TurnProgress, state: CastState) => void;
  /** [B12] Told that no worker has an item any more that was begun: until its next event it waits for another. */
  readonly onItemQueued?: (state: CastState) => void;
  /** [B29] Told that a worker sets up its tree; nothing once it has. */
  readonly onSettingUp?: (settingUp: CastSummary["settingUp"]) => void;
  /** [B29] Told why no worker of a fleet drives it yet; nothing once one does, or is about to. */
  readonly onQueued?: (queued: QueueStatus | undefined) => void;
}

export interface QueueStatus extends Pick<QueuedCast, "queue" | "why"> {
  readonly fleet: string;
}

/** Who drives a cast: who answers for its agents, who listens, how safely it is written. */
export interface RunContext extends RunObserver {
  readonly host: AgentHost;
  /** Its secrets are written nowhere. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly durability?: Durability;
  /** [B8] Set where another machine may go on with the cast: what a visit did is written together with its files. */
  readonly fleetHooks?: FleetHooks;
}

/** What is other where many machines share a cast. */
export interface FleetHooks {
  /** [B12] The items of its parallel loops, which any of them may work on. */
  readonly items?: (parent: ParentCast) => ItemRunner;
  /** [V13] Set where the cast is one of them: its budget is shared with others that are driven elsewhere. */
  readonly admit?: Ports["admit"];
}

/** A cast with a parallel loop, as its owner has it. */
export interface ParentCast {
  readonly owned: OwnedCast;
  readonly file: CastFile;
  readonly cwd: string;
}

/** How a cast that is driven so is written. */
export function writeOptionsFor({ durability = "write", env = {} }: RunContext): Required<WriteOptions> {
  return { durability, redact: createRedactor(env) };
}
