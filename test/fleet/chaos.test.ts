import { expect, it } from "vitest";
import { fleetStorm } from "../harness/fleet/storm/storm.ts";

/** A guard against what hangs; beside eight busy programs it took three minutes. */
const PATIENCE_MS = 800_000;

it.each([7])(
  "[B8, B50, B55] seed %i: workers are killed, paused and stopped, the database is restarted, and every cast ends as if nothing had been",
  async (seed) => {
    // Before the test is given up, so that it ends in saying where it stood.
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { problems, visits, faults } = await fleetStorm({ seed, casts: 2, workers: 2, faults: 4, signal });
    expect(problems).toEqual([]);
    expect(visits).toBe(26);
    expect(faults).toMatchObject({ "restart immediate": 1 });
  },
  PATIENCE_MS + 60_000,
);
