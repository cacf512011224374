import { spawn } from "node:child_process";
import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createOwnCastRegistry } from "../src/shell/config/own-casts.ts";
import { fileStore } from "../src/shell/store/files/file-store.ts";
import { castStartOf, type CastFile } from "../src/shell/store/cast-file.ts";
import { encodeLines, firstChainHead } from "../src/shell/store/files/journal-chain.ts";
import type { CastEvent } from "../src/core/cast/state/event.ts";
import type { Journal } from "../src/shell/ports.ts";
import { runCast } from "../src/shell/run/run-cast.ts";
import { published } from "./measure/start-up.ts";
import { NO_ARTIFACTS, castFile, createdCast, homeIn } from "./new-cast.ts";
import { instantAgent } from "./workload.ts";
import { initialState } from "../src/core/cast/state/initial-state.ts";

/** [D1] A cast of the workload on disk, run until so many steps are done; the next one is never answered. */
export async function startAndHang(
  scratch: string,
  steps: number,
): Promise<{ readonly root: string; readonly castId: string }> {
  const root = join(scratch, "casts");
  const file = castFile(scratch);
  const owned = await createdCast(root, file);
  await runUntil(file, steps, owned.journal);
  return { root, castId: file.castId };
}

/** A finished cast of the workload on disk, with at least so many events. */
export async function longCast(
  root: string,
  cwd: string,
  events: number,
): Promise<{ readonly castId: string; readonly seq: number }> {
  const file = castFile(cwd);
  const owned = await createdCast(root, file);
  let seq = 0;
  const counting: Journal = {
    append: (lines, after) => {
      seq = after + lines.length;
      return owned.journal.append(lines, after);
    },
  };
  await runUntil(file, Math.ceil(events / 4), counting);
  await owned.release();
  if (seq < events) throw new Error(`the cast has ${seq} events`);
  return { castId: file.castId, seq };
}

export interface CastsFigures {
  readonly casts: number;
  readonly medianMs: number;
}

/** `casts --json` over so many casts, half of them interrupted, in a separate process. */
export async function measureCasts(casts: number, rounds = 5): Promise<CastsFigures> {
  return withScratch(async (scratch) => {
    const program = join(await published(), "bin", "materia.mjs");
    const root = join(scratch, "casts");
    const env = { ...process.env, ...homeIn(scratch) };
    await writeOwnCasts(scratch, root, casts);
    const times: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const { ms, stdout } = await timed([program, "casts", "--json", "--cwd", scratch, "--artifacts", root], env);
      if ((JSON.parse(stdout) as readonly unknown[]).length !== casts) throw new Error("not every cast was listed");
      if (round > 0) times.push(ms);
    }
    return { casts, medianMs: median(times) };
  });
}

/** So many casts of the user whose home is `scratch`, half of them interrupted. */
export async function writeOwnCasts(scratch: string, root: string, casts: number, first = 0): Promise<void> {
  const file = castFile(scratch);
  const events: CastEvent[] = [];
  const collecting: Journal = {
    append: async (more) => {
      events.push(...more);
      return undefined;
    },
  };
  await runUntil(file, 30, collecting);
  // [S10] Each one is this user's own, as the casts of a project mostly are.
  const [own, store] = [createOwnCastRegistry(homeIn(scratch)), fileStore(root)];
  for (let index = first; index < first + casts; index += 1) {
    const started = castFile(scratch, `20260101-${String(index).padStart(6, "0")}-bench`);
    const runDir = join(root, started.castId);
    mkdirSync(join(runDir, "owner"), { recursive: true });
    writeFileSync(join(runDir, "cast.json"), JSON.stringify(started));
    own.record(started, await store.stamp(started.castId));
    const interrupted = index % 2 === 0;
    const end: CastEvent = {
      seq: (events.at(-1)?.seq ?? 0) + 1,
      at: file.startedAt,
      type: "cast_ended",
      outcome: "aborted",
      reason: "",
      totals: { visits: 30, itemsDone: 9, items: 20, tokens: 1, cost: 0 },
    };
    const all = (interrupted ? events : [...events, end]).map((event) =>
      event.type === "cast_started" ? { ...event, castId: started.castId } : event,
    );
    writeFileSync(join(runDir, "journal.jsonl"), encodeLines(all, firstChainHead(started.castId), 1).text);
    const owner = { pid: 2 ** 22 + 1, startedAt: "gone", host: hostname() };
    writeFileSync(join(runDir, "owner", "1.json"), interrupted ? JSON.stringify(owner) : "");
  }
}

export interface SyncFigures {
  readonly steps: number;
  /** Milliseconds for each step: the engine with `--durability sync`, and the same writes and syncs alone. */
  readonly engineMs: number;
  readonly bareMs: number;
  readonly ratio: number;
}

/** What the engine adds to the syncs that it needs. Both take turns, so that a busy disk is busy for both, and write the same bytes. */
export async function measureSync(steps: number, rounds = 5): Promise<SyncFigures> {
  return withScratch(async (scratch) => {
    const file = castFile(scratch);
    const chunks: string[] = [];
    await runUntil(file, steps, encoding(file, chunks));
    const [engine, bare]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      bare.push(bareSyncs(join(scratch, `bare-${round}`), chunks) / chunks.length);
      const owned = await createdCast(join(scratch, `casts-${round}`), file, { durability: "sync" });
      const started = performance.now();
      await runUntil(file, steps, owned.journal);
      engine.push((performance.now() - started) / chunks.length);
      await owned.release();
    }
    const [engineMs, bareMs] = [median(engine), median(bare)];
    return { steps, engineMs, bareMs, ratio: engineMs / bareMs };
  });
}

function bareSyncs(path: string, chunks: readonly string[]): number {
  const fd = openSync(path, "a");
  const started = performance.now();
  for (const chunk of chunks) {
    writeSync(fd, chunk);
    fdatasyncSync(fd);
  }
  const took = performance.now() - started;
  closeSync(fd);
  return took;
}

/** The writes of a journal, as they stand in its file. */
function encoding(file: CastFile, chunks: string[]): Journal {
  let head = firstChainHead(file.castId);
  return {
    append: async (events) => {
      const encoded = encodeLines(events, head, 1);
      head = encoded.head;
      chunks.push(encoded.text);
      return undefined;
    },
  };
}

/** Runs the workload until so many visits are completed, and leaves it in the middle of the next one. */
async function runUntil(file: CastFile, steps: number, journal: Journal): Promise<void> {
  const answer = instantAgent(Math.ceil(steps / 3) + 10);
  const killed = Promise.withResolvers<undefined>();
  let turns = 0;
  const state = initialState(castStartOf(file));
  const run = runCast(
    state,
    {
      agents: {
        preflight: async () => [],
        runTurn: async (request) => {
          turns += 1;
          if (turns <= steps) return answer(request);
          killed.resolve(undefined);
          return new Promise(() => undefined);
        },
      },
      runUtility: () => Promise.reject(new Error("none")),
      journal,
      artifacts: NO_ARTIFACTS,
      holdsClaim: async () => true,
      isSuperseded: () => false,
      now: () => new Date(),
      redact: (text: string) => text,
      pause: async () => {},
    },
    {
      cwd: file.cwd,
      signal: new AbortController().signal,
    },
  );
  await Promise.race([run, killed.promise]);
}

/** From the start of a process to its first line of output. */
function timed(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly ms: number; readonly stdout: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly ms: number; readonly stdout: string }>();
  const started = performance.now();
  let ms = 0;
  let stdout = "";
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.on("data", (data: Buffer) => {
    ms ||= performance.now() - started;
    stdout += data.toString("utf8");
  });
  child.once("close", (code) => (code === 0 ? resolve({ ms, stdout }) : reject(new Error(`exit code ${code}`))));
  return promise;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

async function withScratch<T>(measure: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), "materia-bench-"));
  try {
    return await measure(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
