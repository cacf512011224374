import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterFile } from "../harness/after-file.ts";
import { copied } from "../harness/copied.ts";

export function newFolder(files: Readonly<Record<string, string>> = {}): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "materia-utility-")));
  afterFile(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) write(join(path, name), text);
  return path;
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A folder with one program in it, for PATH. */
export function newProgram(name: string, script: string): string {
  const path = newFolder({ [name]: `#!/bin/sh\n${script}\n` });
  chmodSync(join(path, name), 0o755);
  return path;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Only what a cast passes on; the person's own git configuration must not decide a test. */
const env = { PATH: process.env.PATH, HOME: newFolder(), LANG: "C.UTF-8", GIT_CONFIG_GLOBAL: "/dev/null" };

export function runRaw(script: string, stdin: string, extra: Readonly<Record<string, string>> = {}): Ran {
  const path = fileURLToPath(new URL(`../../utilities/${script}.mjs`, import.meta.url));
  const done = spawnSync(process.execPath, [path], {
    input: stdin,
    encoding: "utf8",
    env: { ...env, GIT_CONFIG_NOSYSTEM: "1", ...extra },
  });
  return { code: done.status, stdout: done.stdout, stderr: done.stderr };
}

export interface Input {
  readonly cwd?: string;
  readonly [field: string]: unknown;
}

export function runIn(script: string, input: Input, extra: Readonly<Record<string, string>> = {}): Ran {
  const runDir = join(input.cwd ?? "/", ".pi/pi-materia/cast-1");
  const whole = { runDir, request: "", castId: "cast-1", params: {}, state: {}, item: null, ...input };
  return runRaw(script, JSON.stringify(whole), extra);
}

/** The result of a run that must succeed. */
export function resultOf(script: string, input: Input, extra: Readonly<Record<string, string>> = {}): unknown {
  const ran = runIn(script, input, extra);
  if (ran.code !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout);
}

export function git(cwd: string, ...args: readonly string[]): string {
  const person = { GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" };
  return execFileSync("git", args, { cwd, env: { ...env, ...person }, encoding: "utf8", stdio: "pipe" }).trim();
}

/** A repository on `main` with one commit of these files. */
export function newRepository(files: Readonly<Record<string, string>> = { "a.txt": "a\n" }): string {
  const path = newFolder();
  copied(`utilities ${JSON.stringify(files)}`, path, (folder) => {
    for (const [name, text] of Object.entries(files)) write(join(folder, name), text);
    git(folder, "init", "--quiet", "--initial-branch=main");
    git(folder, "config", "user.name", "Ada");
    git(folder, "config", "user.email", "ada@example.com");
    git(folder, "add", "--all");
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "start");
  });
  return path;
}
