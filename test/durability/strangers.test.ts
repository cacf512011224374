import { spawn } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { castFile, castsIn, newPlace, put, run } from "../harness/cli.ts";
import { doom, gone, lives, pidIn, said } from "../harness/doomed.ts";

const RUN = "setsid sh -c 'echo $$ > child.pid; exec sleep 1000' & echo $$ > utility.pid; while :; do sleep 1000; done";
const config = { materia: { Endless: { type: "utility", command: ["sh", "-c", RUN], timeoutMs: 1_000_000 } } };

/** A process of another user, in a separate group. */
function stranger(program: string, ...args: readonly string[]): number {
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? 0;
}

/** A cast whose owner was killed while its utility ran. */
async function orphaned() {
  const cwd = newPlace({ "materia.json": config });
  const child = doom(cwd, "link", "--config", "materia.json", "Endless", "--", "go");
  await said(join(cwd, "utility.pid"), "\n");
  await said(join(cwd, "child.pid"), "\n");
  child.signal("SIGKILL");
  await child.exited;
  const [castId = ""] = castsIn(cwd);
  const pids = [pidIn(join(cwd, "utility.pid")), pidIn(join(cwd, "child.pid"))];
  expect(pids.map(lives)).toEqual([true, true]);
  return { cwd, castId, pids, input: castFile(cwd, castId, "sockets", "Socket-1", "1", "input.json") };
}

describe.skipIf(process.platform !== "linux")("what a killed owner leaves", () => {
  it("[D24] everything that carries the secret of the visit is ended, and nobody who looks at its files", async () => {
    const { cwd, pids, input } = await orphaned();
    const reader = stranger("tail", "-f", input);
    expect((await run(["abort", "--config", "materia.json"], { cwd })).code).toBe(0);
    await Promise.all(pids.map(gone));
    expect(lives(reader)).toBe(true);
  });

  it("[D24] it is found when nothing was written down, and a file that is a link to a common one harms nobody", async () => {
    const { cwd, castId, pids, input } = await orphaned();
    rmSync(castFile(cwd, castId, "owner", "program.json"), { force: true });
    rmSync(input);
    symlinkSync(join(cwd, "common"), input);
    put(cwd, { common: "" });
    const reader = stranger("tail", "-f", join(cwd, "common"));
    expect((await run(["abort", "--config", "materia.json"], { cwd })).code).toBe(0);
    await Promise.all(pids.map(gone));
    expect(lives(reader)).toBe(true);
  });

  it("[D24] a number that belongs to another process by now is left alone", async () => {
    const { cwd, castId } = await orphaned();
    const other = stranger("sleep", "1000");
    put(cwd, { [`.pi/pi-materia/${castId}/owner/program.json`]: { pid: other, startedAt: "before", host: "here" } });
    expect((await run(["abort", "--config", "materia.json"], { cwd })).code).toBe(0);
    expect(lives(other)).toBe(true);
  });
});
