/** Calls `fire` once after `ms`; the returned function cancels it. */
export type Timer = (ms: number, fire: () => void) => () => void;

export const realTimer: Timer = (ms, fire) => {
  const handle = setTimeout(fire, ms);
  return () => clearTimeout(handle);
};

/** Waits for a time, or until the signal aborts. */
export function waitOrAbort(ms: number, after: Timer, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  const cancel = after(ms, onAbort);
  signal?.addEventListener("abort", onAbort);
  return promise.finally(() => {
    cancel();
    signal?.removeEventListener("abort", onAbort);
  });
}

/** False if the work is not done after this time; it is left behind. */
export async function isDoneWithin(ms: number, work: Promise<unknown>, after: Timer): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const cancel = after(ms, () => resolve(false));
  return Promise.race([work.then(() => true), late]).finally(cancel);
}

export interface TurnStop {
  readonly reason: "aborted" | "timeout" | "limit" | "provider" | "taken_over";
  readonly message: string;
}

export interface TurnGuard {
  readonly end: (why: TurnStop) => void;
  readonly onEvent: (event: { readonly type: string }) => void;
  /** [A21] Suspends the silence limit while a person must answer; the returned function resumes it. */
  readonly suspendTimeout: () => () => void;
  /** Aborted when the turn stops or has ended: nobody need answer it any more. */
  readonly over: AbortSignal;
  readonly stopReason: () => TurnStop | undefined;
  readonly graceExpired: Promise<void>;
  readonly release: () => void;
}

interface TurnGuardOptions {
  readonly halt: () => void;
  readonly signal: AbortSignal;
  readonly after: Timer;
  readonly silenceMs: number | undefined;
}

const GRACE_MS = 5000;

/** Ends a turn when it is aborted [A20], or silent for too long [A21]. */
export function guardTurn({ halt, signal, after, silenceMs }: TurnGuardOptions): TurnGuard {
  const gaveUp = Promise.withResolvers<void>();
  const over = new AbortController();
  let stop: TurnStop | undefined;
  let cancelSilence: (() => void) | undefined;
  let cancelGrace: (() => void) | undefined;
  let asking = 0;

  function end(why: TurnStop): void {
    if (stop) return;
    stop = why;
    cancelSilence?.();
    cancelGrace = after(GRACE_MS, gaveUp.resolve);
    over.abort();
    halt();
  }

  function listen(): void {
    cancelSilence?.();
    if (silenceMs === undefined || stop || asking > 0) return;
    cancelSilence = after(silenceMs, () =>
      end({ reason: "timeout", message: `nothing was heard of the agent for ${silenceMs / 1000} s` }),
    );
  }

  const onAbort = () => end({ reason: "aborted", message: "the turn was aborted" });
  signal.addEventListener("abort", onAbort);
  // Aborted while the session opened: the listener above came too late.
  if (signal.aborted) onAbort();
  listen();

  return {
    end,
    onEvent: (event) => {
      listen();
      // Pi ignores an abort before its run has started.
      if (stop && (event.type === "agent_start" || event.type === "compaction_start")) halt();
    },
    suspendTimeout: () => {
      asking += 1;
      listen();
      let held = true;
      return () => {
        if (held) asking -= 1;
        held = false;
        listen();
      };
    },
    over: over.signal,
    stopReason: () => stop,
    graceExpired: gaveUp.promise,
    release: () => {
      signal.removeEventListener("abort", onAbort);
      cancelSilence?.();
      cancelGrace?.();
      over.abort();
    },
  };
}
