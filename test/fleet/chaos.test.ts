import { expect, it } from "vitest";
import { fleetStorm } from "../harness/fleet/storm/storm.ts";
import { SWEEP, sampleCases, sweepSize } from "../harness/sweep.ts";

/** A guard against what hangs; beside eight busy programs it took three minutes. */
const PATIENCE_MS = 800_000;

const SIZE = { casts: sweepSize(2, 6), workers: 2, faults: sweepSize(2, 10), hostile: true };

it.each(sampleCases([7, 8, 9]))(
  "[B50, B55, B81] seed %i: with killed, paused, stopped, cut off and full workers, a restarted database and a hostile member every cast ends as undisturbed",
  { ...SWEEP, timeout: PATIENCE_MS + 60_000 },
  async (seed) => {
    // Before the test is given up, so that it ends in saying where it stood.
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { problems, visits, faults, attacks } = await fleetStorm({ seed, ...SIZE, signal });
    expect(problems).toEqual([]);
    // The undisturbed cast of each kind counts too.
    expect(visits).toBe(13 * (SIZE.casts / 2 + 1));
    expect(Object.keys(faults).length).toBeGreaterThan(1);
    expect(attacks).toBeGreaterThan(0);
  },
);
