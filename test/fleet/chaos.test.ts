import { expect, it } from "vitest";
import { fleetStorm } from "../harness/fleet/storm/storm.ts";

it.each([7])(
  "[B8, B12, B14] seed %i: workers are killed, paused and stopped, the database is restarted, and every cast ends as if nothing had been",
  async (seed) => {
    // Below the patience of all tests, so that it ends in saying where it stood.
    const signal = AbortSignal.timeout(240_000);
    const { problems, visits, faults } = await fleetStorm({ seed, casts: 2, workers: 2, faults: 4, signal });
    expect(problems).toEqual([]);
    expect(visits).toBe(26);
    expect(faults).toMatchObject({ "restart immediate": 1 });
  },
);
