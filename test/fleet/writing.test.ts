import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  postgresStore,
  type PostgresStoreOptions,
  type PostgresStore,
} from "../../src/shell/store/postgres/postgres-store.ts";
import type { Database } from "../../src/shell/store/postgres/database.ts";
import { castLayout } from "../../src/shell/store/layout.ts";
import { scratchFolder } from "../harness/agents.ts";
import { TIME, USAGE, socket } from "../harness/seats.ts";
import { closing, enrol, fleetDatabase, opened } from "../harness/fleet/postgres.ts";
import { bell, claimed, created, drained, eventsOf, idOf } from "../harness/store/store-casts.ts";

let admin: Database;
let url = "";

beforeAll(async () => {
  const made = await fleetDatabase();
  admin = made.database;
  ({ url } = made);
});
afterAll(() => admin.close());
beforeEach(() => admin.queryOnce({ text: "truncate materia.casts, materia.workers cascade" }));

const castId = idOf("c-1");
const at = socket("Socket-1");

/** The store of one worker; its connections may be changed on the way. */
async function storeOf(
  id: string,
  {
    through = (database: Database) => database,
    packOf,
  }: {
    through?: (database: Database) => Database;
    packOf?: NonNullable<PostgresStoreOptions["worker"]>["packFor"];
  } = {},
): Promise<{ readonly store: PostgresStore; readonly scratch: string }> {
  await enrol(admin, id);
  const scratch = join(scratchFolder(), "casts");
  const database = through(await opened(url));
  return {
    store: closing(
      postgresStore({
        database,
        location: "the fleet",
        worker: { id, scratch, ...(packOf ? { packFor: packOf } : {}) },
      }),
    ),
    scratch,
  };
}

const seqOf = async (): Promise<unknown> =>
  (
    await admin.queryOnce({
      text: "select seq, (select count(*)::int from materia.events) as events from materia.casts",
    })
  )[0];

describe("writing for one claim", () => {
  it("[B5, B33] a lost answer causes no second write", async () => {
    let cut = true;
    const { store } = await storeOf("a", {
      through: (database) => ({
        ...database,
        retryForMs: 1_000,
        pause: async () => undefined,
        queryOnce: async (statement) => {
          const rows = await database.queryOnce(statement);
          if (statement.name !== "append" || !cut) return rows as never; // passed on as it came
          cut = false;
          throw Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" });
        },
      }),
    });
    const owned = await created(store);
    const events = await eventsOf("c-1");
    expect(await owned.journal.append(events.slice(0, 2), 0)).toBeUndefined();
    expect(await owned.journal.append(events.slice(2), 2)).toBeUndefined();
    expect(await seqOf()).toEqual({ seq: events.length, events: events.length });
  });

  it("[B34] a claim from before a restore of the database is invalid, even with the same epoch", async () => {
    const [{ store: first }, { store: second }] = [await storeOf("a"), await storeOf("b")];
    const events = await eventsOf("c-1");
    const owned = await created(first);
    await owned.journal.append(events.slice(0, 2), 0);
    // As restored from a backup of the moment before it was claimed.
    await admin.queryOnce({ text: "update materia.casts set owner = null, claim = null, epoch = 0" });
    const again = await claimed(second);
    expect(again.epoch).toBe(owned.epoch);
    expect(await owned.journal.append(events.slice(2, 3), 2)).toBeTypeOf("string");
    expect([await owned.holdsClaim(), owned.isSuperseded()]).toEqual([false, true]);
    expect(await again.journal.append(events.slice(2), 2)).toBeUndefined();
  });

  it("[B36] a checkpoint that cannot be stored stops the write of its event", async () => {
    const { store } = await storeOf("a", {
      packOf: async (_id, events) => (events.length > 2 ? "they are too large" : undefined),
    });
    const owned = await created(store);
    const events = await eventsOf("c-1");
    expect(await owned.journal.append(events.slice(0, 2), 0)).toBeUndefined();
    expect(await owned.journal.append(events.slice(2), 2)).toContain("they are too large");
    expect(await seqOf()).toEqual({ seq: 2, events: 2 });
  });

  it("[B8] a pack has the event of its checkpoint", async () => {
    const { store } = await storeOf("a", {
      packOf: async () => ({ head: "h", ckpt: "c", bytes: Buffer.from([1, 2]) }),
    });
    const owned = await created(store);
    await owned.journal.append((await eventsOf("c-1")).slice(0, 2), 0);
    const rows = await admin.queryOnce({ text: "select n, head, ckpt, seq, pack from materia.packs" });
    expect(rows).toEqual([{ n: 0, head: "h", ckpt: "c", seq: 2, pack: Buffer.from([1, 2]) }]);
  });
});

describe("taking over", () => {
  it("[B56] the conversation of a checkpoint is from its moment, and none is sent without files", async () => {
    const { store, scratch } = await storeOf("a");
    const events = await eventsOf("c-1");
    const owned = await created(store);
    const transcript = castLayout(scratch, castId).visitFile(at, 1, "transcript.jsonl");
    mkdirSync(dirname(transcript), { recursive: true });
    const kept = async (): Promise<string | undefined> => {
      const rows = await admin.queryOnce<{ body: Buffer }>({
        text: "select body from materia.artifacts where name = 'transcript.jsonl'",
      });
      return rows[0]?.body.toString("utf8");
    };
    const place = { at: TIME, socket: at, visit: 1 };
    const retried = { ...place, type: "turn_retried", attempt: 1, error: "busy", delayMs: 1 } as const;
    const files = { commit: "c1", changed: 1, added: 1, removed: 0 };
    await owned.journal.append(events.slice(0, 2), 0);
    writeFileSync(transcript, "asked\n");
    expect(await owned.journal.append([{ ...retried, seq: 3 }], 2)).toBeUndefined();
    expect(await kept()).toBeUndefined();
    owned.artifacts.markTranscript?.(at, 1, "c1");
    writeFileSync(transcript, "asked\nwrote more\n");
    expect(await owned.journal.append([{ ...place, type: "checkpoint_taken", files, seq: 4 }], 3)).toBeUndefined();
    expect(await kept()).toBe("asked\n");
    const answered = { ...place, type: "turn_answered", text: "Done.", usage: USAGE } as const;
    expect(await owned.journal.append([{ ...answered, seq: 5 }], 4)).toBeUndefined();
    expect(await kept()).toBe("asked\nwrote more\n");
  });

  it("[B56] only the new part of a conversation is sent, and the next owner has all of it", async () => {
    let sentBytes = 0;
    const { store, scratch } = await storeOf("a", {
      through: (database) => ({
        ...database,
        queryOnce: (statement) => {
          const values = (statement.values ?? []).flat();
          sentBytes += values.reduce((sum: number, value) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0);
          return database.queryOnce(statement);
        },
      }),
    });
    const { store: second, scratch: there } = await storeOf("b");
    const events = await eventsOf("c-1");
    const owned = await created(store);
    const transcript = castLayout(scratch, castId).visitFile(at, 1, "transcript.jsonl");
    mkdirSync(dirname(transcript), { recursive: true });
    await owned.journal.append(events.slice(0, 2), 0);
    const place = { at: TIME, socket: at, visit: 1 };
    const keep = async (seq: number, commit: string): Promise<number> => {
      sentBytes = 0;
      owned.artifacts.markTranscript?.(at, 1, commit);
      const files = { commit, changed: 1, added: 1, removed: 0 };
      expect(await owned.journal.append([{ ...place, type: "checkpoint_taken", files, seq }], seq - 1)).toBeUndefined();
      return sentBytes;
    };
    const kept = async (): Promise<number> => {
      const part = await second.readArtifact(castId, { socket: at, visit: 1, name: "transcript.jsonl" });
      return Buffer.compare(Buffer.from(part?.bytes ?? []), readFileSync(transcript));
    };
    writeFileSync(transcript, `${"x".repeat(4_194_300)}\n`);
    expect([await keep(3, "c3"), await kept()]).toEqual([4_194_301, 0]);
    // Beyond the end of the first part, and within the second.
    appendFileSync(transcript, `${"y".repeat(20)}\n`);
    expect([await keep(4, "c4"), await kept()]).toEqual([21, 0]);
    appendFileSync(transcript, `${"z".repeat(10)}\n`);
    expect([await keep(5, "c5"), await kept()]).toEqual([11, 0]);
    // Another file in its place, and a shorter one.
    writeFileSync(`${transcript}.mended`, "mended\n");
    renameSync(`${transcript}.mended`, transcript);
    expect([await keep(6, "c6"), await kept()]).toEqual([7, 0]);
    await owned.release();
    await claimed(second);
    expect(readFileSync(castLayout(there, castId).visitFile(at, 1, "transcript.jsonl"), "utf8")).toBe("mended\n");
  });

  it("[B7] the next owner finds the files of visits, large values and the transcript, and nothing else", async () => {
    const [{ store: first, scratch: here }, { store: second, scratch: there }] = [
      await storeOf("a"),
      await storeOf("b"),
    ];
    const events = await eventsOf("c-1");
    const owned = await created(first);
    const large = { text: "x".repeat(9_000_000) };
    await owned.artifacts.write(at, 1, "output.md", large.text);
    await owned.artifacts.storeValue({ list: "y".repeat(5_000) });
    const transcript = castLayout(here, castId).visitFile(at, 1, "transcript.jsonl");
    mkdirSync(dirname(transcript), { recursive: true });
    writeFileSync(transcript, '{"a":1}\n');
    expect(await owned.journal.append(events, 0)).toBeUndefined();
    await owned.artifacts.write(at, 2, "late.md", "never appended");
    await owned.release();
    mkdirSync(castLayout(there, castId).visitFolder(at, 7), { recursive: true });
    writeFileSync(castLayout(there, castId).visitFile(at, 7, "left.md"), "of another time");
    await claimed(second);
    const read = async (visit: number, name: string) =>
      (await second.readArtifact(castId, { socket: at, visit, name }))?.size;
    expect(
      await Promise.all([read(1, "output.md"), read(1, "transcript.jsonl"), read(2, "late.md"), read(7, "left.md")]),
    ).toEqual([9_000_000, 8, undefined, undefined]);
    const { readdirSync } = await import("node:fs");
    expect(readdirSync(castLayout(there, castId).values)).toEqual(readdirSync(castLayout(here, castId).values));
    // Who does not own it reads the same, in parts.
    const digest = readdirSync(castLayout(there, castId).values)[0]?.replace(".json", "") ?? "";
    expect(await first.readValue(castId, digest)).toBe(await second.readValue(castId, digest));
    expect((await first.readValue(castId, digest))?.length).toBeGreaterThan(5_000);
    const part = await first.readArtifact(
      castId,
      { socket: at, visit: 1, name: "output.md" },
      { from: 4_194_300, maxBytes: 10 },
    );
    expect([Buffer.from(part?.bytes ?? []).toString(), part?.size]).toEqual(["x".repeat(10), 9_000_000]);
  });

  it("[B6] who was not told catches up with the next notice, and who looks late misses nothing", async () => {
    const { store } = await storeOf("a");
    const { store: other } = await storeOf("b");
    const events = await eventsOf("c-1");
    const owned = await created(store);
    const woken = bell();
    const follower = other.followEvents(castId, 0, woken.ring);
    await owned.journal.append(events.slice(0, 1), 0);
    // Written by a worker that died before it could tell.
    await admin.queryOnce({
      text: "insert into materia.events values ('c-1', 2, $1)",
      values: [JSON.stringify(events[1])],
    });
    await admin.queryOnce({ text: "update materia.casts set seq = 2" });
    await owned.journal.append(events.slice(2), 2);
    const heard = [...(await drained(follower))];
    while (heard.length < events.length) {
      await woken.rung();
      heard.push(...(await drained(follower)));
    }
    expect(heard).toEqual(events);
    follower.close();
  });
});
