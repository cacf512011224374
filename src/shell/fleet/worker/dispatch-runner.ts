import { parseCastId } from "../../../core/model/ids.ts";
import { sleepUnlessAborted } from "../../context/run-context.ts";
import { isLocalError, isTransientError } from "../../store/postgres/database.ts";
import { errorText } from "../../system/files.ts";
import { createParking, rejectDispatch, requeue } from "./dispatch-state.ts";
import { runDispatch, type AssignedDispatch, type DispatchContext, type DispatchOutcome } from "./run-dispatch.ts";

export type DispatchReport = DispatchOutcome & {
  readonly castId: string;
  readonly leg: number;
  readonly ms: number;
};

const RETRY_MS = 1_000;

export function createDispatchRunner(context: DispatchContext, onDispatch: (report: DispatchReport) => void) {
  const running = new Set<string>();
  const unfinished = new Set<Promise<void>>();
  const counts: Record<string, number> = {};
  const run = async (text: string, leg: number): Promise<void> => {
    const castId = parseCastId(text);
    if (castId === undefined) return;
    const startedAt = Date.now();
    running.add(castId);
    const own = { castId, leg, workerId: context.workerId };
    const parking = createParking(context.database, own);
    const runToEnd = async (): Promise<void> => {
      const outcome = await runWithRetries(context, { ...own, parking });
      counts[outcome.how] = (counts[outcome.how] ?? 0) + 1;
      onDispatch({ castId, leg, ms: Date.now() - startedAt, ...outcome });
    };
    const dispatch = runToEnd().finally(() => unfinished.delete(dispatch));
    unfinished.add(dispatch);
    // [B49] A parked dispatch frees its slot.
    await Promise.race([dispatch, parking.parked.then(() => context.trees.lockTree(castId))]);
    running.delete(castId);
  };
  // Drained when no dispatch runs, parked ones included.
  return { run, running, counts, drained: () => Promise.allSettled(unfinished) };
}

/** [B33] Retries here when only the database failed: a requeue would count as an attempt of another worker. */
async function runWithRetries(context: DispatchContext, dispatch: AssignedDispatch): Promise<DispatchOutcome> {
  const { stopping } = context;
  for (let isRetry = false; ; isRetry = true) {
    const attempt = await runDispatch(context, { ...dispatch, isRetry }).catch((thrown: unknown) =>
      handleThrown(context, dispatch, thrown),
    );
    if (attempt.how === "unable") return { how: "not begun", why: attempt.why };
    if (attempt.how !== "retry") return attempt;
    if (stopping.aborted) return attempt.outcome;
    await sleepUnlessAborted(RETRY_MS, stopping);
  }
}

/** [B83] An error of this machine leaves the cast to other workers. [B15] Any other error counts as an attempt. */
async function handleThrown(
  { database }: DispatchContext,
  dispatch: AssignedDispatch,
  thrown: unknown,
): Promise<DispatchOutcome | { readonly how: "retry"; readonly outcome: DispatchOutcome }> {
  const why = errorText(thrown);
  const outcome = { how: "stopped", why } as const;
  if (isTransientError(thrown)) return { how: "retry", outcome };
  const left = isLocalError(thrown)
    ? rejectDispatch(database, dispatch, `this worker failed: ${why}`)
    : requeue(database, dispatch);
  return left.then(
    () => outcome,
    (failed: unknown) => (isTransientError(failed) ? { how: "retry", outcome } : outcome),
  );
}
