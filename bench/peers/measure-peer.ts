import { rmSync } from "node:fs";
import { join } from "node:path";
import { ask, withScratch, median, middle } from "../measure/process.ts";
import type { InstalledPeer } from "./install.ts";

/** One run of the workload. */
export interface RunFigures {
  readonly steps: number;
  readonly stepsPerSecond: number;
  /** Time of the processor for a step, all threads together. */
  readonly cpuMicros: number;
  readonly peakMb: number;
  readonly stored: number;
  /** Bytes handed to the system in writes; null where it does not count them. */
  readonly written: number | null;
  /** The steps that were asked for, where time ran out before them. */
  readonly stoppedBefore?: number;
}

export interface ResumeFigures {
  readonly done: number;
  readonly ms: number | null;
  readonly again: number | null;
  readonly problem?: string;
}

const CAP_SECONDS = 150;

interface RunAnswer {
  readonly steps: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
  readonly stored: number;
  readonly written: number | null;
  readonly stopped?: boolean;
  readonly problem?: string;
}

/** The workload in a fresh process, import and compile not counted, no warm-up; the middle one of several rounds. */
export function measureRun({ command, env }: InstalledPeer, steps: number, rounds: number): Promise<RunFigures> {
  return withScratch(async (scratch) => {
    const answers: RunAnswer[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const folder = join(scratch, String(round));
      const asked = [...command, "run", String(steps), folder, String(CAP_SECONDS)];
      const { answer } = await ask<RunAnswer>(asked, { env, capSeconds: CAP_SECONDS + 120 });
      if (answer.problem !== undefined) throw new Error(answer.problem);
      answers.push(answer);
      rmSync(folder, { recursive: true, force: true });
      if (answer.stopped) break;
    }
    const chosen = middle(answers, (answer) => answer.seconds / answer.steps);
    return {
      steps: chosen.steps,
      stepsPerSecond: chosen.steps / chosen.seconds,
      cpuMicros: (chosen.cpuSeconds / chosen.steps) * 1e6,
      peakMb: chosen.peakMb,
      stored: chosen.stored,
      written: chosen.written,
      ...(chosen.stopped ? { stoppedBefore: steps } : {}),
    };
  });
}

/** Killed by SIGKILL when half of the steps are done, then resumed by a new process. */
export function measureResume({ command, env }: InstalledPeer, steps: number): Promise<ResumeFigures> {
  return withScratch(async (scratch) => {
    const folder = join(scratch, "work");
    const half = await ask<{ readonly half?: number; readonly problem?: string }>(
      [...command, "half", String(steps), folder],
      { env, kill: true, capSeconds: CAP_SECONDS },
    );
    if (half.answer.half === undefined) throw new Error(half.answer.problem ?? "it never came half way");
    const { ms, answer } = await ask<{ readonly first?: string; readonly again?: number; readonly problem?: string }>(
      [...command, "resume", String(steps), folder],
      { env, capSeconds: CAP_SECONDS },
    );
    const done = half.answer.half;
    if (answer.first === undefined)
      return { done, ms: null, again: null, problem: answer.problem ?? "it took no new step" };
    return { done, ms, again: answer.again ?? 0 };
  });
}

/** The first time in a fresh process. */
export async function measureFirst(
  { command, env }: InstalledPeer,
  what: "import" | "compile",
  { count = 0, rounds }: { readonly count?: number; readonly rounds: number },
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { answer } = await ask<{ readonly ms: number }>([...command, what, String(count)], { env, capSeconds: 120 });
    times.push(answer.ms);
  }
  return median(times);
}
