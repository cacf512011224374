import { join } from "node:path";
import { startState } from "../../src/core/cast/state/state.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { loadPrevious } from "../../src/shell/casting/previous-cast.ts";
import { startOf } from "../../src/shell/store/cast-file.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { castFile, createdCast } from "../new-cast.ts";
import { instantAgent } from "../workload.ts";
import { inScratch } from "./process.ts";

export interface PreviousFigures {
  readonly visits: number;
  /** Steps a second of the cast itself, with the files of every visit written. */
  readonly stepsPerSecond: number;
  /** The first time in this process, and the best of the next ones. */
  readonly firstMs: number;
  readonly laterMs: number;
}

/** What `link --from` does with an earlier cast of so many visits, all its files on disk. */
export function measurePrevious(visits: number): Promise<PreviousFigures> {
  return inScratch(async (scratch) => {
    const root = join(scratch, "casts");
    const { castId, stepsPerSecond } = await castWithFiles(root, visits);
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const started = performance.now();
      const loaded = await loadPrevious(fileStore(root), castId);
      if (!loaded.ok || loaded.value.notes.length > 0) throw new Error(JSON.stringify(loaded));
      times.push(performance.now() - started);
    }
    const [firstMs = Number.NaN, ...later] = times;
    return { visits, stepsPerSecond, firstMs, laterMs: Math.min(...later) };
  });
}

async function castWithFiles(
  root: string,
  visits: number,
): Promise<{ readonly castId: CastId; readonly stepsPerSecond: number }> {
  const file = castFile(root);
  const owned = await createdCast(root, file);
  const ports = {
    agents: { preflight: async () => [], runTurn: instantAgent(Math.round((visits - 1) / 3)) },
    runUtility: () => Promise.reject(new Error("none")),
    journal: owned.journal,
    artifacts: owned.artifacts,
    holds: owned.holds,
    isSuperseded: owned.isSuperseded,
    now: () => new Date(),
    redact: (text: string) => text,
    pause: async () => {},
  };
  const started = performance.now();
  const end = await runCast(startState(startOf(file)), ports, {
    cwd: root,
    signal: new AbortController().signal,
  });
  const seconds = (performance.now() - started) / 1000;
  await owned.release();
  return { castId: file.castId, stepsPerSecond: end.state.done.visits / seconds };
}
