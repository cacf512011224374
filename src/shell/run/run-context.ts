import type { CastState } from "../../core/cast/state/state.ts";
import type { CastStep } from "../../core/cast/cast-step.ts";
import type { QueuedCast } from "../../core/view/progress/fleet-status.ts";
import type { AgentHost, ItemRunner, Ports, TurnProgress, TurnAdmission } from "../ports.ts";
import { createRedactor } from "../secrets/redact.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { Durability, OwnedCast, WriteOptions } from "../store/cast-store.ts";
import type { EffectOutcome } from "../../core/cast/decide.ts";
import type { EventBody } from "../../core/cast/state/event.ts";
import type { GraphSocket } from "../../core/compile/graph.ts";
import type { SocketId } from "../../core/model/ids.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { CastSummary } from "../../core/cast/summary.ts";

/** Who listens to a cast, and may stop it. */
export interface RunObserver {
  readonly signal: AbortSignal;
  /** Told what was written, as soon as it is: every event with the cast before and after it. */
  readonly onSteps?: (steps: readonly CastStep[]) => void;
  readonly onProgress?: (progress: TurnProgress, state: CastState) => void;
  /** The same of the items of a parallel loop, each of which is a cast of its own. */
  readonly onItemSteps?: (steps: readonly CastStep[]) => void;
  readonly onItemProgress?: (progress: TurnProgress, state: CastState) => void;
  /** [B54] Told that no worker has an item any more that was begun: until its next event it waits for another. */
  readonly onItemQueued?: (state: CastState) => void;
  /** [B73] Told that a worker sets up its tree; nothing once it has. */
  readonly onSettingUp?: (settingUp: CastSummary["settingUp"]) => void;
  /** [B71] Told why no worker of a fleet drives it yet; nothing once one does, or is about to. */
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

/** What the loop needs besides the ports: where it works, and who wants to know. */
export interface RunOptions {
  readonly cwd: string;
  /** [D24] What the programs of a visit are started with. */
  readonly secretOf?: (socket: SocketId, visit: number) => string;
  /** Asked of every agent in place of its own model. */
  readonly model?: string;
  /** Set where the visit in hand was cut off, and has a transcript. */
  readonly interruption?: Interruption;
  /** What happened before the loop goes on: a resume, an answer, a raised limit. */
  readonly first?: readonly EventBody[];
  /** [B8] Whether what a visit did must not be written before its files are. */
  readonly isOnFleet?: true;
  readonly signal: AbortSignal;
  /** Told what was written, as soon as it is. */
  readonly onSteps?: (steps: readonly CastStep[]) => void;
  readonly onProgress?: (progress: TurnProgress, state: CastState) => void;
}

/** The reason of a signal that stops a cast without ending it. */
export const PAUSE_REASON = Symbol("pause");

export function isPauseSignal({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason === PAUSE_REASON;
}

/** A visit that goes on from its own transcript. */
export interface Interruption {
  /** What the agent is told. */
  readonly note: string;
  /** The answer to the last question, where it was given before the process was killed. */
  readonly reply?: string;
}

/** All that one effect is run with. */
export interface EffectContext {
  readonly state: CastState;
  readonly ports: Ports;
  readonly options: RunOptions;
  readonly interruption: Interruption | undefined;
  /** Set where the budget is shared with other casts. */
  readonly admission?: TurnAdmission | undefined;
  /** Written while the effect goes on. */
  readonly report: (body: EventBody) => void;
}

export type EffectResult =
  | {
      readonly kind: "decided";
      readonly socket: GraphSocket;
      readonly outcome: EffectOutcome;
    }
  | { readonly kind: "broken"; readonly problem: string };

/** So long, or until the signal is aborted; never rejects. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
