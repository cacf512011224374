import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startState } from "../src/core/cast/state.ts";
import type { CastId } from "../src/core/model/ids.ts";
import { openJournal } from "../src/shell/store/journal.ts";
import type { Artifacts } from "../src/shell/ports.ts";
import { runCast } from "../src/shell/run/run-cast.ts";
import { instantAgent, workloadGraph } from "./workload.ts";

const NO_ARTIFACTS: Artifacts = { visitFolder: () => "", write: async () => undefined, append: async () => undefined };

export interface EngineFigures {
  readonly steps: number;
  readonly stepsPerSecond: number;
  /** Time of the processor, all threads together; it hardly depends on what else the machine does. */
  readonly cpuMicros: number;
  readonly peakMb: number;
  readonly stored: number;
  /** Bytes handed to the system in writes; null where it does not count them. */
  readonly written: number | null;
}

/** Each step is written to a journal on disk before it is applied; artifacts, which no peer has, are left out. */
export async function measureEngine(steps: number): Promise<EngineFigures> {
  const folder = mkdtempSync(join(tmpdir(), "materia-bench-"));
  const file = join(folder, "journal.jsonl");
  const journal = openJournal(file, { durability: "write", redact: (text) => text });
  const state = startState({
    castId: "bench" as CastId, // of an id's form
    request: "Do the work.",
    graph: workloadGraph(),
    limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
    budget: {},
    data: {},
  });
  const ports = {
    agents: { preflight: async () => [], runTurn: instantAgent(Math.round((steps - 1) / 3)) },
    runUtility: () => Promise.reject(new Error("none")),
    journal,
    artifacts: NO_ARTIFACTS,
    now: () => new Date(),
    redact: (text: string) => text,
    pause: async () => {},
  };
  const before = writtenBytes();
  const cpu = process.cpuUsage();
  const started = performance.now();
  const end = await runCast(state, ports, { cwd: folder, runDir: folder, signal: new AbortController().signal });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const after = writtenBytes();
  journal.close();
  if (end.kind !== "ended") throw new Error(`the workload ended as ${end.kind}`);
  const done = end.state.done.visits;
  const stored = statSync(file).size;
  rmSync(folder, { recursive: true });
  return {
    steps: done,
    stepsPerSecond: done / seconds,
    cpuMicros: (user + system) / done,
    peakMb: process.resourceUsage().maxRSS / 1024,
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
