import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { readJournalEnds } from "../../src/shell/store/files/journal-ends.ts";
import { createRedactor } from "../../src/shell/secrets/redact.ts";
import { scratchFolder } from "../harness/agents.ts";
import { fullDisk, withCalls } from "../harness/faulty-disk.ts";
import { openJournal, readJournal, sealLines } from "../harness/journals.ts";
import { play, startOf } from "../harness/play.ts";
import { TIME, fold, graph, items, seat, workshop } from "../harness/seats.ts";

const start = startOf(workshop());
const { events } = await play(workshop(), { says: { Plan: [items("a", "ü😀")], Eval: ['{"satisfied":true}'] } });
const bare = events.map((event) => `${JSON.stringify(event)}\n`);
const lines = sealLines(bare.join("")).split(/(?<=\n)/);
const plain = { durability: "write", redact: (text: string) => text } as const;

function written(content: string | Uint8Array): string {
  const file = join(scratchFolder(), "journal.jsonl");
  writeFileSync(file, content);
  return file;
}

it.each<["write" | "sync"]>([["write"], ["sync"]])(
  "[J1] what is appended stands behind what was there (%s)",
  async (durability) => {
    const file = join(scratchFolder(), "journal.jsonl");
    for (const part of [events.slice(0, 3), events.slice(3, 4), events.slice(4)]) {
      const journal = openJournal(file, { ...plain, durability });
      expect(await journal.append(part)).toBeUndefined();
      journal.close();
      journal.close();
    }
    expect(readFileSync(file, "utf8")).toBe(lines.join(""));
  },
);

it("[J1] what was written is read back as it was, with the state it leads to", () => {
  const read = readJournal(written(lines.join("")), start);
  const soundBytes = Buffer.byteLength(lines.join(""));
  expect(read).toEqual({ ok: true, value: { events, state: fold(start, events), soundBytes, tornBytes: 0 } });
});

it("[J1] an empty journal is a cast that has not begun", () => {
  expect(readJournal(written(""), start)).toEqual({
    ok: true,
    value: { events: [], state: fold(start, []), soundBytes: 0, tornBytes: 0 },
  });
});

it("[J2] a last line that was torn at any byte does not count", () => {
  const whole = Buffer.from(lines.slice(0, 8).join(""));
  const sound = Buffer.byteLength(lines.slice(0, 7).join(""));
  const before = fold(start, events.slice(0, 7));
  const file = written(whole);
  for (let size = whole.length - 1; size >= sound; size -= 1) {
    truncateSync(file, size);
    expect(readJournal(file, start)).toEqual({
      ok: true,
      value: { events: events.slice(0, 7), state: before, soundBytes: sound, tornBytes: size - sound },
    });
  }
});

it("[J2] a torn line in the middle of a character does not count either", () => {
  const whole = Buffer.from(lines.join(""));
  const at = whole.indexOf(Buffer.from("😀")) + 2;
  const read = readJournal(written(whole.subarray(0, at)), start);
  expect(read.ok && [read.value.tornBytes > 0, read.value.events]).toEqual([
    true,
    events.slice(0, read.ok ? read.value.events.length : 0),
  ]);
});

const changed = (at: number, change: (event: CastEvent) => object): string =>
  bare.toSpliced(at, 1, `${JSON.stringify(change(events[at] ?? ({} as CastEvent)))}\n`).join(""); // the place exists
it.each<[rule: string, content: string, line: number, says: string]>([
  ["[J3] a gap", bare.toSpliced(2, 1).join(""), 3, "event 4 cannot follow event 2"],
  ["[J3] a repeated line", bare.toSpliced(2, 0, bare[1] ?? "").join(""), 3, "event 2 cannot follow event 2"],
  ["[J3] a beginning that is missing", bare.slice(1).join(""), 1, "event 2 cannot follow event 0"],
  [
    "[J3] two bare in the wrong order",
    bare
      .with(2, bare[3] ?? "")
      .with(3, bare[2] ?? "")
      .join(""),
    3,
    "event 4 cannot follow event 2",
  ],
  ["[J3] no seq", changed(1, ({ seq: _seq, ...event }) => event), 2, "seq"],
  ["[J3] seq as text", changed(1, (event) => ({ ...event, seq: "2" })), 2, "seq"],
  ["[J3] no time", changed(1, ({ at: _at, ...event }) => event), 2, "at"],
  ["[J3] an unknown type", changed(1, (event) => ({ ...event, type: "visit_dreamt" })), 2, '"visit_dreamt" is unknown'],
  [
    "[J3] an inherited name as type",
    changed(1, (event) => ({ ...event, type: "constructor" })),
    2,
    '"constructor" is unknown',
  ],
  ["[J3] a field that is missing", changed(1, ({ seq, at, type }) => ({ seq, at, type })), 2, '"socket" is wrong'],
  ["[J3] a field of the wrong type", changed(2, (event) => ({ ...event, dropped: "none" })), 3, '"dropped" is wrong'],
  ["[J3] no JSON", bare.with(2, "oops\n").join(""), 3, "not JSON"],
  ["[J3] a line of another kind", bare.with(2, "{}\n").join(""), 3, "no event"],
  ["[J3] an empty line", bare.toSpliced(2, 0, "\n").join(""), 3, "not JSON"],
  ["[J3] two bare run together", bare.join("").replace("}\n{", "}{"), 1, "not JSON"],
  [
    "[J3] an event that cannot happen there",
    `${bare.slice(0, 2).join("")}{"seq":3,"at":"${TIME}","type":"cursor_advanced","loop":"each","index":1,"size":2}\n`,
    3,
    "cannot happen",
  ],
])("%s is refused with its line", (_rule, events, line, says) => {
  const content = sealLines(events);
  const file = written(content);
  expect(readJournal(file, start)).toEqual({
    ok: false,
    issues: [
      {
        severity: "error",
        code: "damaged_journal",
        path: [`line ${line}`],
        file,
        message: expect.stringContaining(says),
        hint: expect.any(String),
      },
    ],
  });
  expect(readFileSync(file, "utf8")).toBe(content);
});

it("[J1] a journal that is not there is a problem with its file", () => {
  const file = join(scratchFolder(), "journal.jsonl");
  expect(readJournal(file, start)).toMatchObject({ ok: false, issues: [{ code: "missing_journal", file }] });
});

it.skipIf(!existsSync("/dev/full"))("[J2] a full disk is an answer, not a rejection", async () => {
  const journal = openJournal("/dev/full", plain);
  expect(await journal.append(events)).toBe("cannot write the journal: the disk is full (ENOSPC)");
  journal.close();
});

it("[J2] a write that fails in the middle takes itself back, and nothing that was written before it", async () => {
  const file = join(scratchFolder(), "journal.jsonl");
  const journal = openJournal(file, plain);
  expect(await journal.append(events.slice(0, 2))).toBeUndefined();
  expect(await journal.append(events.slice(2, 4))).toBeUndefined();
  const mend = failingWrites();
  expect(await journal.append(events.slice(4, 6))).toContain("ENOSPC");
  mend();
  expect(readFileSync(file, "utf8")).toBe(lines.slice(0, 4).join(""));
  expect(await journal.append(events.slice(4, 6))).toBeUndefined();
  expect(readFileSync(file, "utf8")).toBe(lines.slice(0, 6).join(""));
});

/** Every write puts its beginning on the disk, which then is full. */
function failingWrites(): () => void {
  return withCalls(({ writeSync }) => ({
    writeSync: (fd: number, bytes: string | NodeJS.ArrayBufferView) => {
      writeSync(fd, Buffer.from(bytes as Uint8Array).subarray(0, 9)); // the journal writes bytes
      throw fullDisk();
    },
  }));
}

it("[J2] a journal that was closed says so", async () => {
  const journal = openJournal(join(scratchFolder(), "journal.jsonl"), plain);
  await journal.append(events.slice(0, 1));
  journal.close();
  expect(await journal.append(events.slice(1))).toMatch(/^cannot write the journal: /);
});

/** The journal of a cast whose agent said this, in a process with this environment. */
async function journalWith(
  env: Readonly<Record<string, string>>,
  context: string,
  tokens = 15,
): Promise<{ file: string; text: string }> {
  const { events: played } = await play(graph({ "Socket-1": seat("Eval") }), { says: { Eval: [{ context }] } });
  const file = join(scratchFolder(), "journal.jsonl");
  const journal = openJournal(file, { durability: "write", redact: createRedactor(env) });
  await journal.append(
    played.map((event) => (event.type === "cast_ended" ? { ...event, totals: { ...event.totals, tokens } } : event)),
  );
  journal.close();
  return { file, text: readFileSync(file, "utf8") };
}

it.each<[rule: string, secret: string]>([
  ["[S7] a key", "sk-1234567890"],
  ["[S7] a key of several lines", "-----BEGIN-----\nabcdef\n-----END-----"],
  ["[S7] a password with quotes and backslashes", 'pass"word\\1'],
])("%s does not reach the journal", async (_rule, secret) => {
  const { text } = await journalWith({ MY_KEY: secret }, `It is ${secret}, I think.`);
  expect([text.includes(secret), text.includes(JSON.stringify(secret).slice(1, -1))]).toEqual([false, false]);
  expect(text).toContain("It is [secret MY_KEY], I think.");
});

it.each<[rule: string, secret: string]>([
  ["[S17] a number that was counted", "12345678"],
  ["[S17] a word of the journal itself", "visit_completed"],
  ["[S17] a part of a time", "1970-01-01"],
])("%s as secret leaves the journal readable", async (_rule, secret) => {
  const { file } = await journalWith({ PIN_KEY: secret }, "fine", 12_345_678);
  expect(readJournal(file, startOf(graph({ "Socket-1": seat("Eval") })))).toMatchObject({ ok: true });
});

it("[C14] both ends of a long journal are read without its middle", () => {
  const answered = { type: "person_answered", socket: "Socket-1", visit: 1, text: "x".repeat(80) };
  const middle = Array.from(
    { length: 20_000 },
    (_, index) => `${JSON.stringify({ seq: index + 2, at: TIME, ...answered })}\n`,
  );
  const file = written(
    `${lines[0]}not read\n${middle.join("")}{"seq":20002,"at":"${TIME}","type":"cast_resumed","by":"me"}\n{"torn`,
  );
  const { first, last, problem } = readJournalEnds(file, (tail) => tail.length > 0);
  expect([first, last.at(-1), problem]).toEqual([
    events[0],
    { seq: 20_002, at: TIME, type: "cast_resumed", by: "me" },
    undefined,
  ]);
  expect(last.length).toBeLessThan(100);
});

it("[C14] a line of which only the end was read is none, and no damage either", () => {
  const answered = { type: "person_answered", socket: "Socket-1", visit: 1, text: "x".repeat(280) };
  const middle = Array.from({ length: 500 }, (_, at) => `${JSON.stringify({ seq: at + 2, at: TIME, ...answered })}\n`);
  // More than is asked at, fewer than the second part that is read holds: all of that part is looked at.
  const { last, unread } = readJournalEnds(written(`${lines[0]}${middle.join("")}`), (tail) => tail.length > 32);
  expect([last.length > 32, last.length < 64, unread]).toEqual([true, true, 0]);
});
