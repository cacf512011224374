import type { EffectOutcome } from "../../core/cast/decide.ts";
import type { EventBody } from "../../core/cast/state/event.ts";
import type { GraphSocket } from "../../core/compile/graph.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastStep } from "../../core/cast/step.ts";
import type { SocketId } from "../../core/model/ids.ts";
import type { TurnAdmission, Ports, TurnProgress } from "../ports.ts";

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
