import { describe, expect, it } from "vitest";
import { chaos } from "../harness/chaos/chaos.ts";

describe.skipIf(process.platform !== "linux")("[D26] kills, pauses, wrong clocks, full disks and flipped bits", () => {
  it.each([1, 2, 28])("seed %i", async (seed) => {
    const { lives, problems } = await chaos(seed);
    expect([problems, lives.length > 0]).toEqual([[], true]);
  });
});
