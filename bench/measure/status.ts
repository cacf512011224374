import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { longCast } from "../durability.ts";
import { homeIn } from "../new-cast.ts";
import { withScratch, median } from "./process.ts";
import { published } from "./start-up.ts";

const PEAK = new URL("../peak.mjs", import.meta.url).href;

export interface StatusFigures {
  readonly events: number;
  /** From the start of the process to its end. */
  readonly ms: number;
  readonly peakMb: number;
}

/** `status --json` of one long cast, in a separate process. */
export function measureStatus(events: number, rounds: number): Promise<StatusFigures> {
  return withScratch(async (scratch) => {
    const program = join(await published(), "bin", "materia.mjs");
    const root = join(scratch, "casts");
    const { castId, seq } = await longCast(root, scratch, events);
    const runs: { readonly ms: number; readonly peakMb: number }[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const started = performance.now();
      const args = ["--import", PEAK, program, "status", castId, "--json", "--cwd", scratch, "--artifacts", root];
      const { status, stderr } = spawnSync(process.execPath, args, {
        encoding: "utf8",
        env: { ...process.env, ...homeIn(scratch) },
      });
      if (status !== 0) throw new Error(stderr);
      // The first one fills the compile cache.
      if (round > 0)
        runs.push({ ms: performance.now() - started, peakMb: Number(/^peak (\d+)$/m.exec(stderr)?.[1]) / 1024 });
    }
    return { events: seq, ms: median(runs.map(({ ms }) => ms)), peakMb: median(runs.map(({ peakMb }) => peakMb)) };
  });
}
