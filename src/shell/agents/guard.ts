import type { AgentSession, AgentSessionEvent } from "@earendil-works/pi-coding-agent";

/** Calls `fire` once after `ms`; the answer takes it back. */
export type Timer = (ms: number, fire: () => void) => () => void;

export const realTimer: Timer = (ms, fire) => {
  const handle = setTimeout(fire, ms);
  return () => clearTimeout(handle);
};

/** Why a turn was ended from outside. */
export interface Stop {
  readonly reason: "aborted" | "timeout";
  readonly message: string;
}

interface Guard {
  readonly hear: (event: AgentSessionEvent) => void;
  readonly stop: () => Stop | undefined;
  /** Resolves when a stopped session does not end by itself. */
  readonly gaveUp: Promise<void>;
  readonly release: () => void;
}

interface Guarded {
  readonly session: AgentSession;
  readonly signal: AbortSignal;
  readonly after: Timer;
  readonly silenceMs: number | undefined;
}

const GRACE_MS = 5000;

/** Ends a turn when it is aborted [A20], or when nothing is heard of it for too long [A21]. */
export function guardTurn({ session, signal, after, silenceMs }: Guarded): Guard {
  const gaveUp = Promise.withResolvers<void>();
  let stop: Stop | undefined;
  let cancelSilence: (() => void) | undefined;
  let cancelGrace: (() => void) | undefined;

  function end(why: Stop): void {
    if (stop) return;
    stop = why;
    cancelSilence?.();
    cancelGrace = after(GRACE_MS, gaveUp.resolve);
    halt();
  }

  function halt(): void {
    // It settles with the prompt, which is awaited and tells of any failure.
    session.abort().catch(() => {});
  }

  function listen(): void {
    if (silenceMs === undefined || stop) return;
    cancelSilence?.();
    cancelSilence = after(silenceMs, () =>
      end({ reason: "timeout", message: `nothing was heard of the agent for ${silenceMs / 1000} s` }),
    );
  }

  function hear(event: AgentSessionEvent): void {
    listen();
    // Pi forgets an abort that comes before its run has begun.
    if (stop && (event.type === "agent_start" || event.type === "compaction_start")) halt();
  }

  const onAbort = () => end({ reason: "aborted", message: "the turn was aborted" });
  signal.addEventListener("abort", onAbort);
  // Aborted while the session was being opened: the listener above came too late.
  if (signal.aborted) onAbort();
  listen();

  function release(): void {
    signal.removeEventListener("abort", onAbort);
    cancelSilence?.();
    cancelGrace?.();
  }

  return { hear, stop: () => stop, gaveUp: gaveUp.promise, release };
}
