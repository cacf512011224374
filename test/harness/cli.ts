import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { main } from "../../src/apps/cli/main.ts";
import { processIo } from "../../src/apps/cli/terminal/io.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { OpenUi } from "../../src/shell/commands/open-ui.ts";
import { afterFile } from "./after-file.ts";
import { fromRoot, IS_BUILT } from "./built.ts";

/** The program as people start it: what is published, or in a checkout that is not built its sources. */
export const PROGRAM = fromRoot(IS_BUILT ? "dist/cli.js" : "bin/materia.mjs");

/** A project folder with these files, values as JSON. Its user's home and temporary folder stand beside it. */
export function newPlace(files: Readonly<Record<string, unknown>> = {}): string {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "materia-cli-")));
  afterFile(() => rmSync(top, { recursive: true, force: true }));
  const cwd = join(top, "project");
  for (const folder of [cwd, join(top, "home"), join(top, "tmp")]) mkdirSync(folder);
  put(cwd, files);
  return cwd;
}

export function put(cwd: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(files)) {
    const path = join(cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  }
}

/** The user's configuration folder of a place. */
export function userFolder(cwd: string): string {
  return join(dirname(cwd), "home", ".config", "pi", "pi-materia");
}

export function envOf(cwd: string): Record<string, string> {
  const top = dirname(cwd);
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: join(top, "home"),
    XDG_CONFIG_HOME: join(top, "home", ".config"),
    TMPDIR: join(top, "tmp"),
    LANG: "C.UTF-8",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    NODE_COMPILE_CACHE: join(tmpdir(), "materia-compile-cache"),
  };
}

export interface RunOptions {
  /** The project; its user's home is beside it. */
  readonly cwd: string;
  /** Where the command is typed, when not there. */
  readonly from?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `materia` as a script would: no terminal, and nothing of the real user's configuration. One command after another, all
 * of them in this process: to start a program takes longer than nearly everything that is done in it.
 */
export function run(args: readonly string[], options: RunOptions): Promise<Ran> {
  const ran = last.then(() => runHere(args, options));
  last = ran.catch(() => undefined);
  return ran;
}

let last: Promise<unknown> = Promise.resolve();

const openUi: OpenUi = async (request) => (await import("../../src/apps/server/open-ui.ts")).openUi(request);

async function runHere(args: readonly string[], { cwd, from = cwd, env, stdin = "" }: RunOptions): Promise<Ran> {
  const [stdout, stderr] = [collector(), collector()];
  const own = { ...process.env };
  setEnvironment({ ...envOf(cwd), ...env });
  try {
    const streams = { stdin: Readable.from([Buffer.from(stdin)]), stdout: stdout.stream, stderr: stderr.stream };
    const io = processIo({ env: process.env, cwd: () => from, ...streams });
    const code = await main(args, io, openUi);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    setEnvironment(own);
  }
}

function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) process.env[name] = value;
}

function collector(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}

/** The same in a separate process: if several run at once, or the process itself is under test. */
export function runProcess(
  args: readonly string[],
  { cwd, from = cwd, env = {}, stdin = "" }: RunOptions,
): Promise<Ran> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: from, env: { ...envOf(cwd), ...env } });
  const [stdout, stderr] = [collector(), collector()];
  child.stdout.pipe(stdout.stream);
  child.stderr.pipe(stderr.stream);
  // A program that ends without reading its input closes the pipe, which harms nobody.
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout: stdout.text(), stderr: stderr.text() }));
  });
}

/** Everything in a place, home and temporary folder included, with size and time of change: what a refusal must leave alone. */
export function listing(cwd: string): readonly string[] {
  const top = dirname(cwd);
  return readdirSync(top, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(top, name));
      return `${name} ${size} ${mtimeMs}`;
    });
}

/** The ids of the casts of a place, oldest first. */
export function castsIn(cwd: string, root = ".pi/pi-materia"): readonly string[] {
  try {
    return readdirSync(join(cwd, root))
      .filter((name) => name !== ".gitignore")
      .toSorted();
  } catch {
    return [];
  }
}

export function castFile(cwd: string, castId: string, ...parts: readonly string[]): string {
  return join(cwd, ".pi", "pi-materia", castId, ...parts);
}

export function readText(path: string): string {
  return readFileSync(path, "utf8");
}

export function jsonOf(path: string): unknown {
  return JSON.parse(readText(path));
}

/** The journal of a cast, or what `--json` printed of it. */
export function eventsOf(text: string): readonly CastEvent[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { epoch: _epoch, crc: _crc, ...event } = JSON.parse(line) as CastEvent & { epoch?: number; crc?: string };
      return event; // written by the program under test
    });
}

export function journalOf(cwd: string, castId: string): readonly CastEvent[] {
  return eventsOf(readText(castFile(cwd, castId, "journal.jsonl")));
}
