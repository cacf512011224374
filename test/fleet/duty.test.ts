import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createWorkerState, startDuty, workerExitCode, type WorkerState } from "../../src/shell/fleet/worker/duties.ts";
import { isTransientError } from "../../src/shell/store/postgres/database.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const withCode = (code: string): Error => Object.assign(new Error("refused"), { code });

/** A duty whose runs end as listed, and then succeed. */
function startScripted(...results: readonly (number | Error)[]) {
  const startedAt: number[] = [];
  const errors: unknown[] = [];
  const begin = Date.now();
  const duty = startDuty({
    everyMs: 1_000,
    run: async () => {
      const result = results[startedAt.length];
      startedAt.push(Date.now() - begin);
      if (result instanceof Error) throw result;
      return result;
    },
    onError: async (thrown) => void errors.push(thrown),
  });
  return { ...duty, startedAt, errors };
}

it("[B75] a duty runs at once and by its timer, earlier where its last run asked for it", async () => {
  const { startedAt, stop } = startScripted(50, 5_000);
  await vi.advanceTimersByTimeAsync(2_100);
  await stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(startedAt).toEqual([0, 50, 1_050, 2_050]);
});

it("[B75] a duty that is woken while it runs, runs once more", async () => {
  const { startedAt, wake, stop } = startScripted();
  wake();
  wake();
  await vi.advanceTimersByTimeAsync(10);
  await stop();
  wake();
  expect(startedAt).toEqual([0, 0]);
});

it("[B75] a transient error is waited for", async () => {
  const { startedAt, errors, stop } = startScripted(withCode("ECONNREFUSED"), withCode("57P03"), withCode("40P01"));
  await vi.advanceTimersByTimeAsync(3_500);
  await stop();
  expect([startedAt, errors]).toEqual([[0, 1_000, 2_000, 3_000], []]);
});

it("[B75] any other error is handed on once, and the duty does not run again", async () => {
  const mistake = new TypeError("Cannot read properties of undefined (reading 'connection')");
  const { startedAt, errors, wake } = startScripted(mistake);
  await vi.advanceTimersByTimeAsync(5_000);
  wake();
  await vi.advanceTimersByTimeAsync(5_000);
  expect([startedAt, errors]).toEqual([[0], [mistake]]);
});

it.each([
  [withCode("ECONNRESET"), true],
  [withCode("EAI_AGAIN"), true],
  [withCode("53300"), true],
  [new Error("Connection terminated unexpectedly"), true],
  [new Error("Client was closed and is not queryable"), true],
  [new AggregateError([withCode("ECONNREFUSED"), withCode("ECONNREFUSED")]), true],
  [new Error("timeout exceeded when trying to connect"), true],
  [withCode("42P01"), false],
  // [B83] Of this machine's own disk.
  [withCode("ENOSPC"), false],
  [withCode("EACCES"), false],
  [withCode("EROFS"), false],
  [withCode("EMFILE"), false],
  [Object.assign(withCode("EPIPE"), { path: "/scratch/cast.json" }), false],
  [new Error("git took longer than 120 s: connection timeout"), false],
  [withCode("ERR_INVALID_ARG_TYPE"), false],
  [new RangeError("Invalid timeout"), false],
  ["connection", false],
])("[B75] waiting mends %s: %s", (thrown, isTransient) => {
  expect(isTransientError(thrown)).toBe(isTransient);
});

it("[B74] the last state decides the exit code, and no state follows it", () => {
  const codes = (["drained", "evicted", "failed"] as const).map((last) => {
    const entered: string[] = [];
    const state = createWorkerState(({ kind }) => entered.push(kind));
    const ends: readonly WorkerState[] = [{ kind: "drained" }, { kind: "evicted" }, { kind: "failed", reason: "x" }];
    state.enter({ kind: "drained" });
    state.enter({ kind: "running" });
    state.enter({ kind: "draining" });
    for (const next of [...ends.filter(({ kind }) => kind === last), ...ends]) state.enter(next);
    return [entered.join(" "), workerExitCode(state.current())];
  });
  expect(codes).toEqual([
    ["running draining drained", 0],
    ["running draining evicted", 75],
    ["running draining failed", 70],
  ]);
});
