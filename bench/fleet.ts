// The figures of a fleet, on a Postgres that is started for it: node bench/fleet.ts
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPrograms, startDatabase, stopDatabase } from "../src/shell/fleet/embedded/embedded.ts";
import { openDatabase } from "../src/shell/store/postgres/database/database.ts";
import type { Database } from "../src/shell/store/postgres/database/database.ts";
import { MIGRATION } from "../src/shell/store/postgres/database/migration.ts";
import { postgresStore } from "../src/shell/store/postgres/postgres-store.ts";
import type { PostgresStore } from "../src/shell/store/postgres/postgres-store.ts";
import type { CastEvent } from "../src/core/cast/state/event.ts";
import { castFile, eventsOf, idOf } from "../test/harness/store/store-casts.ts";

const APPENDS = 2_000;
const CASTS = 100_000;

const folder = mkdtempSync(join(tmpdir(), "materia-bench-"));
chmodSync(folder, 0o711);
const place = join(folder, "server");
try {
  const programs = await findPrograms();
  if (!programs.ok) throw new Error(JSON.stringify(programs.issues));
  const as = process.getuid?.() === 0 ? { as: { uid: 65534, gid: 65534 } } : {};
  const started = await startDatabase(programs.value, { folder: place, ...as });
  if (!started.ok) throw new Error(JSON.stringify(started.issues));
  await measure(started.value.url);
} finally {
  await stopDatabase(place);
  rmSync(folder, { recursive: true, force: true });
}

async function measure(url: string): Promise<void> {
  const database = await opened(url);
  await database.once({ text: MIGRATION });
  await database.once({
    text: "insert into materia.workers (worker_id, host, pid, started, version) values ('w', 'here', $1, '', '')",
    values: [process.pid],
  });
  const worker = { id: "w", scratch: join(folder, "casts") };
  const store = postgresStore({ database, place: "bench", project: "p", worker });
  const reader = postgresStore({ database: await opened(url), place: "bench", project: "p" });
  await measureAppends(store, reader);
  await measureList(database, reader);
  await store.close();
  await reader.close();
}

/** One step is one append; a follower on a connection of its own hears of it. */
async function measureAppends(store: PostgresStore, reader: PostgresStore): Promise<void> {
  const castId = idOf("c-1");
  const made = await store.create({ file: castFile(castId) }, {});
  if (!made.ok) throw new Error(JSON.stringify(made.issues));
  const [first, ...others] = await eventsOf(castId);
  if (!first) throw new Error("no event");
  await made.value.journal.append([first], 0);
  const sentAt = new Map<number, number>();
  const heard: number[] = [];
  let all: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (all = resolve));
  const follower = reader.follow(castId, 1, () => void drain());
  let draining = Promise.resolve();
  const drain = (): Promise<void> => (draining = draining.then(readAll));
  const readAll = async (): Promise<void> => {
    for (let news = await follower.next(); news.kind === "events"; news = await follower.next())
      for (const { seq } of news.events) heard.push(performance.now() - (sentAt.get(seq) ?? 0));
    if (heard.length >= APPENDS) all();
  };
  await drain();
  const sample = others.find(({ type }) => type === "visit_completed") ?? first;
  const begun = performance.now();
  for (let seq = 2; seq < APPENDS + 2; seq += 1) {
    sentAt.set(seq, performance.now());
    const event: CastEvent = { ...sample, seq };
    const problem = await made.value.journal.append([event], seq - 1);
    if (problem !== undefined) throw new Error(problem);
  }
  const each = (performance.now() - begun) / APPENDS;
  await done;
  follower.close();
  const sorted = heard.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  console.log(`append, a step: ${each.toFixed(2)} ms`);
  console.log(`event seen by a follower: ${at(0.5)} ms in the middle, ${at(0.99)} ms at the 99th of a hundred`);
}

async function measureList(database: Database, reader: PostgresStore): Promise<void> {
  await database.once({
    text: `insert into materia.casts (cast_id, project, file, status, summary)
      select 'x-' || lpad(i::text, 8, '0'), 'p', '{}', 'completed', (select summary from materia.casts limit 1)
      from generate_series(1, $1::int) i`,
    values: [CASTS],
  });
  await database.once({ text: "analyze materia.casts" });
  await reader.list();
  const begun = performance.now();
  const listed = await reader.list();
  console.log(
    `newest ${listed.ok ? listed.value.length : 0} of ${CASTS} casts: ${(performance.now() - begun).toFixed(1)} ms`,
  );
}

async function opened(url: string): Promise<Database> {
  const database = await openDatabase({ url });
  if (!database.ok) throw new Error(JSON.stringify(database.issues));
  return database.value;
}
