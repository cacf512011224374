import { join } from "node:path";
import type { EngineFigures } from "../engine.ts";
import { bundleFirstRelease } from "./first-release.ts";
import { ask, middle } from "./process.ts";
import { published } from "./start-up.ts";

export interface EnginePair {
  readonly ours: EngineFigures;
  /** Of the first release; a sentence where it could not be measured. */
  readonly first: EngineFigures | string;
}

/** Our engine and that of the first release in turns, each in a separate process; the middle of several rounds. Both as published, like the peers: removing types in the checkout takes a third of the memory by itself. */
export async function measureEngines(steps: number, rounds: number): Promise<EnginePair> {
  const engine = join(await published(), "dist", "engine.js");
  const old = await bundleFirstRelease();
  const [ours, first]: [EngineFigures[], EngineFigures[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await runEngine(engine, steps));
    if (typeof old !== "string") first.push(await runEngine(old.engine, steps));
  }
  return { ours: middleRun(ours), first: typeof old === "string" ? old : middleRun(first) };
}

async function runEngine(engine: string, steps: number): Promise<EngineFigures> {
  return (await ask<EngineFigures>([process.execPath, engine, String(steps)])).answer;
}

function middleRun(runs: readonly EngineFigures[]): EngineFigures {
  return middle(runs, ({ cpuMicros }) => cpuMicros);
}
