import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { castStartOf } from "../src/shell/store/cast-file.ts";
import { runCast } from "../src/shell/run/run-cast.ts";
import { NO_ARTIFACTS, castFile, createdCast } from "./new-cast.ts";
import { instantAgent } from "./workload.ts";
import { initialState } from "../src/core/cast/state/initial-state.ts";

export interface EngineFigures {
  readonly steps: number;
  readonly stepsPerSecond: number;
  /** Time of the processor, all threads together; it hardly depends on what else the machine does. */
  readonly cpuMicros: number;
  /** Read at the end of the process. */
  readonly peakMb: number;
  readonly stored: number;
  /** Bytes handed to the system in writes; null where it does not count them. */
  readonly written: number | null;
}

/** Each step is written to a journal on disk before it is applied; artifacts, which no peer has, are left out. */
export async function measureEngine(steps: number): Promise<Omit<EngineFigures, "peakMb">> {
  const folder = mkdtempSync(join(tmpdir(), "materia-bench-"));
  const cast = castFile(folder);
  const owned = await createdCast(folder, cast);
  const sizeOf = (name: string): number =>
    statSync(join(folder, cast.castId, name), { throwIfNoEntry: false })?.size ?? 0;
  const state = initialState(castStartOf(cast));
  const ports = {
    agents: { preflight: async () => [], runTurn: instantAgent(Math.round((steps - 1) / 3)) },
    runUtility: () => Promise.reject(new Error("none")),
    journal: owned.journal,
    artifacts: NO_ARTIFACTS,
    holdsClaim: owned.holdsClaim,
    isSuperseded: owned.isSuperseded,
    now: () => new Date(),
    redact: (text: string) => text,
    pause: async () => {},
  };
  const before = writtenBytes();
  const cpu = process.cpuUsage();
  const started = performance.now();
  const end = await runCast(state, ports, { cwd: folder, signal: new AbortController().signal });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const after = writtenBytes();
  await owned.release();
  if (end.kind !== "ended") throw new Error(`the workload ended as ${end.kind}`);
  const done = end.state.done.visits;
  const stored = sizeOf("journal.jsonl");
  rmSync(folder, { recursive: true });
  return {
    steps: done,
    stepsPerSecond: done / seconds,
    cpuMicros: (user + system) / done,
    stored,
    written: before === null || after === null ? null : after - before,
  };
}

function writtenBytes(): number | null {
  try {
    return Number(/^wchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  } catch {
    return null;
  }
}
