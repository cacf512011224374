import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface MeasuredProcess<T> {
  /** From the start of the process to its answer. */
  readonly ms: number;
  readonly answer: T;
}

export interface AskOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Whether the process is to die by SIGKILL at the moment of its answer. */
  readonly kill?: boolean;
  readonly capSeconds?: number;
}

/** One measurement in a separate process, which answers with one line of JSON. */
export async function ask<T>(command: readonly string[], options: AskOptions = {}): Promise<MeasuredProcess<T>> {
  const { env = {}, cwd, kill = false, capSeconds = 600 } = options;
  const started = performance.now();
  const child = spawn(command[0] ?? "", command.slice(1), {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  const closed = once(child, "close");
  const cap = setTimeout(() => child.kill("SIGKILL"), capSeconds * 1000);
  let told = "";
  child.stderr.on("data", (data: Buffer) => (told += data.toString("utf8")));
  let asked: MeasuredProcess<T> | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (asked || !line.startsWith("{")) continue;
    asked = { ms: performance.now() - started, answer: JSON.parse(line) as T };
    if (kill) child.kill("SIGKILL");
  }
  await closed;
  clearTimeout(cap);
  if (!asked)
    throw new Error(performance.now() - started > capSeconds * 1000 ? `no answer in ${capSeconds} s` : whyOf(told));
  return asked;
}

/** The sentence of an error, without the places of this machine. */
function whyOf(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const line =
    lines.find((each) => /error|cannot|invalid|was compiled|abort/i.test(each)) ?? lines.find((each) => each !== "");
  return withoutPlaces(line ?? "it died without a word").slice(0, 160);
}

export function withoutPlaces(text: string): string {
  return text
    .replaceAll(tmpdir(), "…")
    .replaceAll(homedir(), "…")
    .replaceAll(/(?:file:\/\/)?\/[\w./@-]+\/(?=[\w.@-]+)/g, "");
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The middle one of several answers, by the figure that matters. */
export function middle<T>(answers: readonly T[], figure: (answer: T) => number): T {
  const answer = answers.toSorted((a, b) => figure(a) - figure(b))[Math.floor(answers.length / 2)];
  if (answer === undefined) throw new Error("nothing was measured");
  return answer;
}

export async function withScratch<T>(work: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), "materia-bench-"));
  try {
    return await work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
