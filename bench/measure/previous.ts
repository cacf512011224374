import { join } from "node:path";
import { startState } from "../../src/core/cast/state.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { loadPrevious } from "../../src/shell/casting/previous-cast.ts";
import { fileArtifacts } from "../../src/shell/store/artifacts.ts";
import { FORMAT, startOf } from "../../src/shell/store/cast-file.ts";
import { createCast, journalFile } from "../../src/shell/store/cast-store.ts";
import { openJournal } from "../../src/shell/store/journal.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { instantAgent, workloadGraph } from "../workload.ts";
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
    const times = Array.from({ length: 5 }, () => {
      const started = performance.now();
      const loaded = loadPrevious(root, castId);
      if (!loaded.ok || loaded.value.notes.length > 0) throw new Error(JSON.stringify(loaded));
      return performance.now() - started;
    });
    const [firstMs = Number.NaN, ...later] = times;
    return { visits, stepsPerSecond, firstMs, laterMs: Math.min(...later) };
  });
}

async function castWithFiles(
  root: string,
  visits: number,
): Promise<{ readonly castId: CastId; readonly stepsPerSecond: number }> {
  const castId = "20260101-000000-bench1" as CastId; // of an id's form
  const graph = workloadGraph();
  const file = {
    castId,
    request: "Do the work.",
    command: "cast Do the work.",
    targets: [],
    loadout: { id: "bench", name: graph.name },
    graph,
    remappings: [],
    stitches: [],
    fromCastId: null,
    limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
    budget: {},
    state: {},
    cwd: root,
    model: null,
    rehearsal: null,
    configFiles: [],
    versions: { format: FORMAT, materia: "bench", node: process.version } as const,
    startedAt: "2026-01-01T00:00:00.000Z",
  };
  const made = createCast(root, file);
  if (!made.ok) throw new Error(JSON.stringify(made.issues));
  const { runDir } = made.value;
  const unchanged = (text: string): string => text;
  const journal = openJournal(journalFile(runDir), { durability: "write", redact: unchanged });
  const ports = {
    agents: { preflight: async () => [], runTurn: instantAgent(Math.round((visits - 1) / 3)) },
    runUtility: () => Promise.reject(new Error("none")),
    journal,
    artifacts: fileArtifacts(runDir, unchanged),
    now: () => new Date(),
    redact: (text: string) => text,
    pause: async () => {},
  };
  const started = performance.now();
  const end = await runCast(startState(startOf(file)), ports, {
    cwd: root,
    runDir,
    signal: new AbortController().signal,
  });
  const seconds = (performance.now() - started) / 1000;
  journal.close();
  return { castId, stepsPerSecond: end.state.done.visits / seconds };
}
