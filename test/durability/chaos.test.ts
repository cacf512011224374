import { describe, expect, it } from "vitest";
import { chaos } from "../harness/chaos/chaos.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";

describe.skipIf(process.platform !== "linux")("[D26] kills, pauses, wrong clocks, full disks and flipped bits", () => {
  it.each(sampleCases([1, 2, 28, 3, 4, 5]))("seed %i", SWEEP, async (seed) => {
    const { lives, problems } = await chaos(seed);
    expect([problems, lives.length > 0]).toEqual([[], true]);
  });
});
