import { runUnlessReplaced, type UserSession } from "../session/user-session.ts";

/** Whether the session came to rest before the cast was aborted, as it is when the session is left. */
export async function waitUntilIdle(user: UserSession, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  if (user.ctx.isIdle()) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = () => resolve(false);
  signal.addEventListener("abort", stop);
  const off = user.pi.on("agent_settled", () => resolve(true));
  const idle = await promise;
  signal.removeEventListener("abort", stop);
  runUnlessReplaced(off);
  return idle;
}

interface SettledWatch {
  readonly done: Promise<void>;
  readonly release: () => void;
}

/** When the run that is about to begin comes to rest. */
export function watchForSettled({ pi }: UserSession): SettledWatch {
  const { promise, resolve } = Promise.withResolvers<void>();
  const off = pi.on("agent_settled", () => resolve());
  return { done: promise, release: () => runUnlessReplaced(off) };
}
