// From an event of a worker to the page of a person, on the loopback: node bench/fleet-page.ts
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openUi } from "../src/apps/server/open-ui.ts";
import type { CastEvent } from "../src/core/cast/state/event.ts";
import type { CastState } from "../src/core/cast/state/state.ts";
import { findPostgres, startLocalPostgres, stopPostgres } from "../src/shell/fleet/local-fleet.ts";
import { openLiveTurnPublisher } from "../src/shell/fleet/worker/live-turn.ts";
import { openDatabase } from "../src/shell/store/postgres/database.ts";
import { readMigration } from "../src/shell/store/postgres/migration.ts";
import { postgresStore, type PostgresStore } from "../src/shell/store/postgres/postgres-store.ts";
import { castFile, eventsOf, idOf } from "../test/harness/store/store-casts.ts";

const EVENTS = 1_000;
const PIECES = 200;

const folder = mkdtempSync(join(tmpdir(), "materia-bench-page-"));
chmodSync(folder, 0o711);
const server = join(folder, "server");
try {
  const programs = await findPostgres();
  if (!programs.ok) throw new Error(JSON.stringify(programs.issues));
  const as = process.getuid?.() === 0 ? { as: { uid: 65534, gid: 65534 } } : {};
  const started = await startLocalPostgres(programs.value, { folder: server, ...as });
  if (!started.ok) throw new Error(JSON.stringify(started.issues));
  await measure(started.value.url);
} finally {
  await stopPostgres(server);
  rmSync(folder, { recursive: true, force: true });
}

async function measure(url: string): Promise<void> {
  const opened = await openDatabase({ url });
  if (!opened.ok) throw new Error(JSON.stringify(opened.issues));
  const database = opened.value;
  await database.queryOnce({ text: readMigration() });
  await database.queryOnce({
    text: "insert into materia.workers (worker_id, host, pid, started, version) values ('w', 'here', $1, '', '')",
    values: [process.pid],
  });
  const store = postgresStore({
    database,
    location: "bench",
    project: "p",
    worker: { id: "w", scratch: join(folder, "c") },
  });
  const castId = idOf("c-1");
  const made = await store.create({ file: castFile(castId) }, {});
  if (!made.ok) throw new Error(JSON.stringify(made.issues));
  const [first, ...others] = await eventsOf(castId);
  if (!first) throw new Error("no event");
  await made.value.journal.append([first], 0);
  const page = await served(url);
  const sentAt = new Map<string, number>();
  const heard = { message: [] as number[], progress: [] as number[] };
  const listening = listen(`${page.origin}/api/casts/${castId}/events?after=1`, page.token, (kind, key) => {
    const sent = sentAt.get(key);
    if (sent !== undefined) heard[kind].push(performance.now() - sent);
    return heard.message.length >= EVENTS && heard.progress.length >= PIECES;
  });
  const sample = others.find(({ type }) => type === "visit_completed") ?? first;
  for (let seq = 2; seq < EVENTS + 2; seq += 1) {
    sentAt.set(`event ${seq}`, performance.now());
    const event: CastEvent = { ...sample, seq };
    const problem = await made.value.journal.append([event], seq - 1);
    if (problem !== undefined) throw new Error(problem);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await tellTurn(store, { database, castId, sentAt });
  await listening;
  tell("event of a worker on the page", heard.message);
  tell("what an agent says on the page", heard.progress);
  await page.close();
  await store.close();
}

async function tellTurn(
  store: PostgresStore,
  {
    database,
    castId,
    sentAt,
  }: { database: Parameters<typeof openLiveTurnPublisher>[0]["database"]; castId: string; sentAt: Map<string, number> },
): Promise<void> {
  const live = openLiveTurnPublisher({ database, castId, workerId: "w", env: {}, notify: store.notifyTurn });
  const state = { phase: { kind: "visiting", visit: { socket: "Socket-1", number: 1 } } } as unknown as CastState; // all that is read of it
  for (let piece = 0; piece < PIECES; piece += 1) {
    sentAt.set(`tool ${piece}`, performance.now());
    live.onProgress({ kind: "tool_started", id: String(piece), name: "bash", args: {} }, state);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  await live.close();
}

async function served(url: string) {
  const cwd = join(folder, "project");
  const config = join(folder, "config", "pi", "pi-materia");
  for (const each of [cwd, config]) mkdirSync(each, { recursive: true });
  writeFileSync(join(config, "materia.json"), JSON.stringify({ fleet: { profiles: { f: { url, project: "p" } } } }));
  const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, "config"), PATH: process.env["PATH"] };
  const opened = await openUi({
    place: { cwd, env },
    on: "f",
    openReal: () => Promise.reject(new Error("nobody is asked")),
    report: (problem) => console.error(problem),
  });
  if (!opened.ok) throw new Error(JSON.stringify(opened.issues));
  const { origin, searchParams } = new URL(opened.value.url);
  return { origin, token: searchParams.get("token") ?? "", close: opened.value.close };
}

/** Hears a stream as the page does, until it is enough. */
async function listen(
  address: string,
  token: string,
  onHeard: (kind: "message" | "progress", key: string) => boolean,
): Promise<void> {
  const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    const blocks = `${rest}${piece.value}`.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      const read = JSON.parse(data) as { seq?: number; id?: string; kind?: string };
      const isProgress = block.startsWith("event: progress");
      const isEnough = onHeard(
        isProgress ? "progress" : "message",
        isProgress ? `tool ${read.id}` : `event ${read.seq}`,
      );
      if (!isEnough) continue;
      await reader?.cancel();
      return;
    }
  }
}

function tell(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  console.log(`${what}: ${at(0.5)} ms in the middle, ${at(0.99)} ms at the 99th of a hundred (${times.length})`);
}
