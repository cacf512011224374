import { expect, it } from "vitest";
import { chaos } from "../harness/chaos/chaos.ts";

it.skipIf(process.platform !== "linux").each([1, 2, 3])(
  "[D25] seed %i: real processes through kills, pauses, wrong clocks, full disks and flipped bits",
  async (seed) => {
    const { lives, problems } = await chaos(seed);
    expect([problems, lives.length > 0]).toEqual([[], true]);
  },
);
