import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { listProcesses } from "../../src/shell/process/processes.ts";
import { PROGRAM, envOf } from "./cli.ts";

/** `materia` in a separate process that does not end by itself. */
export interface DoomedProcess {
  readonly pid: number;
  /** Resolves when so many events have been reported. */
  readonly events: (count: number) => Promise<void>;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly exited: Promise<number | NodeJS.Signals | null>;
}

export function doom(cwd: string, ...args: readonly string[]): DoomedProcess {
  const child = spawn(process.execPath, [PROGRAM, ...args, "--json"], {
    cwd,
    env: envOf(cwd),
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const told = linesOf(child);
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? code));
  });
  return { pid: child.pid ?? 0, events: told, signal: (name) => void child.kill(name), exited };
}

function linesOf(child: ChildProcess): (count: number) => Promise<void> {
  let told = 0;
  const waiting = new Map<number, () => void>();
  if (child.stdout)
    createInterface({ input: child.stdout }).on("line", () => {
      told += 1;
      waiting.get(told)?.();
    });
  return (count) => (told >= count ? Promise.resolve() : new Promise((resolve) => waiting.set(count, resolve)));
}

/** Between two looks at something that will happen: looking all the time would keep it from happening. */
const LOOK_MS = 5;

/** Resolves when the file has this text in it. */
export async function said(file: string, text: string): Promise<void> {
  while (!existsSync(file) || !readFileSync(file, "utf8").includes(text)) await setTimeout(LOOK_MS);
}

/** Resolves when there is no such process any more. */
export async function gone(pid: number): Promise<void> {
  while (lives(pid)) await setTimeout(LOOK_MS);
}

export function lives(pid: number): boolean {
  return listProcesses().some((row) => row.pid === pid);
}

export function pidIn(file: string): number {
  return Number(/\d+/.exec(readFileSync(file, "utf8"))?.[0]);
}

/** Events of a type, for what they say. */
export function typed<K extends CastEvent["type"]>(events: readonly CastEvent[], type: K) {
  return events.filter((event): event is Extract<CastEvent, { type: K }> => event.type === type);
}
