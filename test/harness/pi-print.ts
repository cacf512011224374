import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Ran } from "./cli.ts";
import { EXTENSION, PI, type PiPlace } from "./pi-place.ts";

/** Runs `pi` to its end as a script would, with nothing on standard input. */
export async function runPi({ cwd, env }: PiPlace, ...args: readonly string[]): Promise<Ran> {
  const child = spawn(process.execPath, [PI, "-e", EXTENSION, ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
