import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = join(root, "dist/web/index.html");
const lock = join(root, "node_modules/.materia-web-lock");

/** The client as it is in the sources, built at most once by whichever test comes first. */
export async function builtClient(): Promise<void> {
  while (!isFresh()) {
    if (!take()) {
      await sleep(250);
      continue;
    }
    try {
      if (!isFresh()) await build();
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

/** In a separate process: under the environment of a test, React would be the one for development. */
async function build(): Promise<void> {
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, [vite, "build", "--logLevel", "error"], { cwd: root, env });
}

function take(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    // A builder that was killed leaves its lock behind.
    if (Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 120_000)
      rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function isFresh(): boolean {
  const made = statSync(page, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return ["src/core", "src/apps/web"].every((folder) => newest(join(root, folder)) <= made);
}

function newest(folder: string): number {
  return Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
}
