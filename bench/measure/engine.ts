import { join } from "node:path";
import type { EngineFigures } from "../engine.ts";
import { ask } from "./process.ts";
import { published } from "./start-up.ts";

/** As it is published, like the peers: what removes types in the checkout takes a third of the memory by itself. */
export async function measureEngineAlone(steps: number): Promise<EngineFigures> {
  const engine = join(await published(), "dist", "engine.js");
  return (await ask<EngineFigures>([process.execPath, engine, String(steps)])).answer;
}
