import type { AssistantMessage } from "@earendil-works/pi-ai";
import { plainProviderError, readRefusal } from "../../../core/cast/provider-refusal.ts";
import type { Timer } from "../../../shell/agents/turn-guard.ts";
import type { TurnProgress } from "../../../shell/ports.ts";
import type { AgentRetryOptions } from "../../../shell/workspace/agent-hosts.ts";

/** Handles failed requests of one turn in the user's session. */
export interface TurnRetries {
  readonly recordFailure: (message: AssistantMessage) => void;
  /** Called before a request: returns the error if there were too many tries. */
  readonly exhaustedError: () => string | undefined;
  /** Called after a failure, before the session is idle: whether to retry, after a pause. */
  readonly waitForRetry: (signal: AbortSignal) => Promise<boolean>;
}

interface RetryOptions {
  readonly patience: AgentRetryOptions;
  readonly after: Timer;
  readonly onProgress: (progress: TurnProgress) => void;
}

const BASE_DELAY_MS = 2000;

/** [X32] The session's own retries come first. If the cast allows fewer it ends them; if it allows more it continues. */
export function createTurnRetries({ patience, after, onProgress }: RetryOptions): TurnRetries {
  const { maxRetries, baseDelayMs = BASE_DELAY_MS } = patience;
  let failures = 0;
  let error = "";
  let reported = 0;
  const report = (delayMs: number): void => {
    if (reported === failures) return;
    reported = failures;
    onProgress({ kind: "retrying", attempt: failures, delayMs, error: plainProviderError(error) });
  };
  return {
    recordFailure: ({ errorMessage }) => {
      failures += 1;
      error = errorMessage ?? "the request failed";
    },
    exhaustedError: () => {
      if (failures === 0) return undefined;
      if (maxRetries !== undefined && failures > maxRetries) return plainProviderError(error);
      report(0);
      return undefined;
    },
    waitForRetry: async (signal) => {
      if (
        maxRetries === undefined ||
        failures > maxRetries ||
        readRefusal({ text: error }, { now: Date.now() })?.kind !== "transient" ||
        signal.aborted
      )
        return false;
      const delayMs = baseDelayMs * 2 ** (failures - 1);
      report(delayMs);
      if (delayMs > 0) await waitOrAbort(delayMs, after, signal);
      return !signal.aborted;
    },
  };
}

function waitOrAbort(ms: number, after: Timer, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = after(ms, resolve);
  signal.addEventListener("abort", () => resolve());
  return promise.finally(cancel);
}
