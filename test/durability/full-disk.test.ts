import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { castIn, commandOf, envOf, newChaosPlace } from "../harness/chaos/place.ts";

it.each([0, 1, 2, 3])(
  "[C3] a disk that takes %i more writes: a cast that is refused leaves no folder of casts",
  (writes) => {
    const place = newChaosPlace("sk-0123456789abcdef0123456789abcdef");
    onTestFinished(() => rmSync(place.top, { recursive: true, force: true }));
    const env = envOf(place, { CHAOS_WRITES: String(writes), CHAOS_LIFE: "1" });
    const { status } = spawnSync(process.execPath, commandOf(["cast", "--json", "go"]), { cwd: place.cwd, env });
    // With more room it begins and stops; then there is something to resume.
    expect([status !== 0, existsSync(join(place.cwd, ".pi"))]).toEqual([true, castIn(place) !== undefined]);
  },
);
