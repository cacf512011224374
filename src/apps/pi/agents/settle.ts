import { ifHere, type Here } from "../session/here.ts";

type HowSettled = "settled" | "aborted";

const GRACE_MS = 5000;

/** Whether the session came to rest before the cast was aborted, as it is when the session is left. */
export async function untilIdle(here: Here, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  if (here.ctx.isIdle()) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = () => resolve(false);
  signal.addEventListener("abort", stop);
  const off = here.pi.on("agent_settled", () => resolve(true));
  const idle = await promise;
  signal.removeEventListener("abort", stop);
  ifHere(off);
  return idle;
}

interface Settling {
  readonly done: Promise<HowSettled>;
  readonly release: () => void;
}

/** How the run that is about to begin comes to rest. An abort of the cast aborts it, and does not wait for it for ever. */
export function untilSettled({ pi, ctx }: Here, signal: AbortSignal): Settling {
  const { promise, resolve } = Promise.withResolvers<HowSettled>();
  let grace: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    ifHere(() => ctx.abort());
    grace = setTimeout(() => resolve("aborted"), GRACE_MS);
  };
  signal.addEventListener("abort", onAbort);
  const offs = [
    pi.on("agent_settled", () => resolve(signal.aborted ? "aborted" : "settled")),
    // An abort that comes before the run has begun is forgotten by Pi.
    pi.on("agent_start", () => {
      if (signal.aborted) ctx.abort();
    }),
  ];
  const release = (): void => {
    clearTimeout(grace);
    signal.removeEventListener("abort", onAbort);
    for (const off of offs) ifHere(off);
  };
  return { done: promise, release };
}
