import type { CastEvent } from "../../../src/core/cast/state/event.ts";
import type { Database } from "../../../src/shell/store/postgres/database.ts";
import { type PostgresStore, postgresStore } from "../../../src/shell/store/postgres/postgres-store.ts";
import { castFile, eventsOf, idOf } from "../../../test/harness/store/store-casts.ts";

export interface StoreFigures {
  /** One step is one append. */
  readonly appendMs: number;
  /** The same where the database does not wait for its disk. */
  readonly unsyncedMs: number;
  /** From the append to a follower, on separate connections. */
  readonly seenMs: { readonly p50: number; readonly p99: number };
}

const APPENDS = 2_000;
const PACE_MS = 10;

export async function measureStore(open: () => Promise<Database>, scratch: string): Promise<StoreFigures> {
  const database = await open();
  await database.queryOnce({
    text: "insert into materia.workers (worker_id, host, pid, started, version) values ('w', 'here', $1, '', '')",
    values: [process.pid],
  });
  const store = postgresStore({ database, location: "bench", project: "p", worker: { id: "w", scratch } });
  const reader = postgresStore({ database: await open(), location: "bench", project: "p" });
  try {
    await appends(store, "warm-up", APPENDS / 4);
    const appendMs = await appends(store, "c-1", APPENDS);
    await database.queryOnce({ text: "alter database postgres set synchronous_commit = off" });
    const unsynced = postgresStore({
      database: await open(),
      location: "bench",
      project: "p",
      worker: { id: "w", scratch },
    });
    const unsyncedMs = await appends(unsynced, "c-2", APPENDS);
    await unsynced.close();
    await database.queryOnce({ text: "alter database postgres reset synchronous_commit" });
    return { appendMs, unsyncedMs, seenMs: await seen(store, reader, "c-3") };
  } finally {
    await store.close();
    await reader.close();
  }
}

interface AppendFigures {
  readonly step: (seq: number) => Promise<void>;
}

async function begun(store: PostgresStore, id: string): Promise<AppendFigures> {
  const made = await store.create({ file: castFile(id) }, {});
  if (!made.ok) throw new Error(JSON.stringify(made.issues));
  const [first, ...others] = await eventsOf(id);
  const sample = others.find(({ type }) => type === "visit_completed") ?? first;
  if (!first || !sample) throw new Error("no event");
  await made.value.journal.append([first], 0);
  return {
    step: async (seq) => {
      const event: CastEvent = { ...sample, seq };
      const problem = await made.value.journal.append([event], seq - 1);
      if (problem !== undefined) throw new Error(problem);
    },
  };
}

async function appends(store: PostgresStore, id: string, count: number): Promise<number> {
  const { step } = await begun(store, id);
  const started = performance.now();
  for (let seq = 2; seq < count + 2; seq += 1) await step(seq);
  return (performance.now() - started) / count;
}

/** As agents write: not one upon the other. */
async function seen(store: PostgresStore, reader: PostgresStore, id: string): Promise<StoreFigures["seenMs"]> {
  const { step } = await begun(store, id);
  const count = APPENDS / 4;
  const sentAt = new Map<number, number>();
  const heard: number[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let draining = Promise.resolve();
  const readAll = async (): Promise<void> => {
    for (let news = await follower.next(); news.kind === "events"; news = await follower.next())
      for (const { seq } of news.events) heard.push(performance.now() - (sentAt.get(seq) ?? 0));
    if (heard.length >= count) resolve();
  };
  const follower = reader.followEvents(idOf(id), 1, () => void (draining = draining.then(readAll)));
  await readAll();
  for (let seq = 2; seq < count + 2; seq += 1) {
    sentAt.set(seq, performance.now());
    await step(seq);
    await new Promise((go) => setTimeout(go, PACE_MS));
  }
  await all;
  follower.close();
  const sorted = heard.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
