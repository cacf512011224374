import { cpus } from "node:os";
import { setTimeout as after } from "node:timers/promises";

const ENOUGH_IDLE = 0.6;
const LONGEST_WAIT_MS = 15_000;

/** Waits for a moment in which others leave the machine alone, but not for ever. Gives the share of it that they used then. */
export async function waitForQuietMachine(): Promise<number> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const busy = await busyShare();
    if (1 - busy >= ENOUGH_IDLE || performance.now() > deadline) return busy;
  }
}

async function busyShare(): Promise<number> {
  const before = spent();
  await after(700);
  const now = spent();
  return 1 - (now.idle - before.idle) / (now.all - before.all);
}

function spent(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((each) => Object.values(each))) };
}
