import { describe, expect, it } from "vitest";
import type { UtilityOutcome } from "../../src/shell/ports.ts";
import { play } from "../harness/play.ts";

const FAILED: UtilityOutcome = { kind: "failed", reason: "`fetch` exited with code 7", stdout: "", stderr: "" };
const DONE: UtilityOutcome = { kind: "exited", stdout: "fetched", stdoutCut: false, stderr: "" };

function fetching(retries: number, outcomes: readonly UtilityOutcome[], lostAfter = Infinity) {
  const left = [...outcomes];
  const runs = () => outcomes.length - left.length;
  const config = {
    materia: { Fetch: { type: "utility", command: ["fetch"], retries } },
    loadouts: { Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Fetch" } } } },
  };
  const played = play(config, { utility: () => left.shift() ?? DONE, holds: () => runs() < lostAfter });
  return played.then((end) => ({ ...end, runs: runs() }));
}

describe("a utility that is tried again", () => {
  it("[U38] goes on after a run that succeeded, with a longer pause each time", async () => {
    const { events, state } = await fetching(3, [FAILED, FAILED, DONE]);
    expect(events.filter(({ type }) => type === "turn_retried")).toMatchObject([
      { socket: "Socket-1", visit: 1, attempt: 1, delayMs: 1_000, error: "`fetch` exited with code 7" },
      { attempt: 2, delayMs: 2_000 },
    ]);
    expect(state.phase).toMatchObject({ outcome: "completed" });
  });

  it("[U38] fails the cast when its tries are used up", async () => {
    const { events, state } = await fetching(1, [FAILED, FAILED, DONE]);
    expect(events.filter(({ type }) => type === "turn_retried")).toHaveLength(1);
    expect(state.phase).toMatchObject({ outcome: "failed" });
  });

  it("[D28] is not tried again for a cast that another process has taken", async () => {
    expect((await fetching(3, [FAILED, FAILED, DONE], 1)).runs).toBe(1);
  });

  it("[U38] is not tried again unless its materia says so", async () => {
    const { state } = await fetching(0, [FAILED, DONE]);
    expect(state.phase).toMatchObject({ outcome: "failed" });
  });
});
