import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ask, withScratch, median } from "./process.ts";
import { published } from "./start-up.ts";

const HALF_WAY = fileURLToPath(new URL("../killed-child.ts", import.meta.url));

export interface KilledFigures {
  /** Steps that were finished when the process died. */
  readonly done: number;
  /** From the start of the new process to its first new step. */
  readonly ms: number;
  /** Finished steps that were run again. */
  readonly again: number;
}

/** Our own cast, killed by SIGKILL after so many steps and taken up by another process, several times from the same state. */
export function measureKilled(steps: number, rounds: number): Promise<KilledFigures> {
  return withScratch(async (scratch) => {
    const half = await ask<{ readonly root: string; readonly castId: string }>(
      [process.execPath, HALF_WAY, scratch, String(steps)],
      { kill: true },
    );
    const { root, castId } = half.answer;
    const resume = join(await published(), "dist", "resume.js");
    const runDir = join(root, castId);
    const finished = finishedVisits(join(runDir, "journal.jsonl"));
    const kept = join(scratch, "kept");
    cpSync(runDir, kept, { recursive: true });
    const times: number[] = [];
    let again = 0;
    // The first one fills the compile cache.
    for (let round = 0; round <= rounds; round += 1) {
      const { ms, answer } = await ask<{ readonly visit: string }>([process.execPath, resume, scratch, root, castId]);
      if (round > 0) times.push(ms);
      if (finished.has(answer.visit)) again += 1;
      cpSync(kept, runDir, { recursive: true });
    }
    return { done: finished.size, ms: median(times), again };
  });
}

function finishedVisits(file: string): ReadonlySet<string> {
  const lines = readFileSync(file, "utf8").split("\n");
  return new Set(
    lines.flatMap((line) => {
      const found = /"type":"visit_completed","socket":"([\w-]+)","visit":(\d+)/.exec(line);
      return found ? [`${found[1]} ${found[2]}`] : [];
    }),
  );
}
