import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { encodeLines, firstChainHead, type ChainHead } from "../../src/shell/store/files/journal-chain.ts";
import { readJournalEnds } from "../../src/shell/store/files/journal-ends.ts";
import { createLineReader } from "../../src/shell/store/files/line-reader.ts";
import { foldJournal } from "../../src/shell/store/files/read-journal.ts";
import { openJournalWriter, type JournalWriter } from "../../src/shell/store/files/write-journal.ts";
import { scratchFolder } from "../harness/agents.ts";
import { fullDisk, openFiles, withCalls } from "../harness/faulty-disk.ts";
import { chanceOf } from "../harness/random-graph.ts";
import { idOf } from "../harness/store/store-casts.ts";
import { TIME, socket } from "../harness/seats.ts";

const castId = idOf("c-1");
const first = firstChainHead(castId);

/** An event that says so much. */
function event(seq: number, text = ""): CastEvent {
  const about = { socket: socket("Socket-1"), visit: 1, attempt: 1, delayMs: 0 };
  return { seq, at: TIME, type: "turn_retried", ...about, error: text };
}

const rowOf = (size: number, text = ""): CastEvent[] => Array.from({ length: size }, (_, at) => event(at + 1, text));

function written(content: string | Uint8Array): string {
  const file = join(scratchFolder(), "journal.jsonl");
  writeFileSync(file, content);
  return file;
}

/** Every event of a journal, and how much of it is sound. */
function read(file: string) {
  const folded = foldJournal(
    file,
    castId,
    () => [] as CastEvent[],
    (events, each) => [...events, each],
  );
  return folded.ok ? folded.value : folded.issues[0]?.message;
}

/** Owners one after another; each that was given up may write more lines at any moment, behind what it believes the end. */
function manyOwners(seed: number): { readonly text: string; readonly events: readonly CastEvent[] } {
  const chance = chanceOf(seed);
  const late: { head: ChainHead; readonly epoch: number }[] = [];
  const events: CastEvent[] = [];
  let [text, head, epoch] = ["", first, 1];
  for (let step = 0; step < 14; step += 1) {
    const what = chance.count(0, 3);
    const given = late[chance.count(0, late.length - 1)];
    if (what === 0 && given) {
      const line = encodeLines([event(given.head.seq + 1, `late ${step}`)], given.head, given.epoch);
      text += line.text;
      given.head = line.head;
    } else if (what === 1) {
      late.push({ head, epoch });
      epoch += 1 + chance.count(0, 1);
    } else {
      const made = Array.from({ length: 1 + chance.count(0, 1) }, (_, at) => event(head.seq + at + 1, `true ${step}`));
      events.push(...made);
      const lines = encodeLines(made, head, epoch);
      text += lines.text;
      head = lines.head;
    }
  }
  const end = [event(head.seq + 1, "the end")];
  const last = late.at(-1);
  const behind = last && chance.happens(0.5) ? encodeLines([event(last.head.seq + 1)], last.head, last.epoch).text : "";
  return { text: `${text}${encodeLines(end, head, epoch).text}${behind}`, events: [...events, ...end] };
}

it("[J29] of any number of evicted owners only the lines of their successors count", () => {
  for (let seed = 1; seed <= 150; seed += 1) {
    const { text, events } = manyOwners(seed);
    const file = written(text);
    expect(read(file), `seed ${seed}`).toMatchObject({ value: events, tornBytes: 0 });
    expect(readJournalEnds(file, (tail) => tail.length > 0).last.at(-1)).toEqual(events.at(-1));
  }
});

it("[J25] a line with a wrong end is damage", () => {
  const [line = ""] = encodeLines(rowOf(1), first, 1).text.split("\n");
  const crc = /"crc":"(.*)"/.exec(line)?.[1] ?? "";
  const tails: readonly (readonly [string, string])[] = [
    [`"${crc}"}`, `"${crc.toUpperCase()}A"}`],
    [`"${crc}"}`, `"${crc.slice(1)}"}`],
    [`"${crc}"}`, `"${crc}"]`],
    [`"${crc}"}`, `"${crc.slice(0, 7)}g"}`],
    [`"${crc}"}`, `"${crc.slice(0, 7)}/"}`],
    [`"${crc}"}`, `"${crc.slice(0, 7)}:"}`],
    ['"epoch":1', '"epoch":'],
    ['"epoch":1', '"epoch":a'],
    ['"epoch":1', '"epoch":1234567890'],
    ['"epoch":1', '"epich":1'],
    [',"epoch":1', ""],
    [line, line.slice(-18)],
    [line, ""],
  ];
  for (const [is, becomes] of tails)
    expect([becomes, read(written(`${line.replace(is, becomes)}\n`))]).toEqual([
      becomes,
      "line 1 of the journal is damaged: it has no digest",
    ]);
  const far = encodeLines(rowOf(2), first, 999_999_999).text;
  expect(read(written(far))).toMatchObject({ value: rowOf(2), soundBytes: far.length });
});

it("[J25, J29] a changed line is damage, also a late one or the first of a later owner", () => {
  const before = encodeLines(rowOf(3), first, 1);
  const late = encodeLines([event(4, "late")], before.head, 1).text;
  const rest = encodeLines([event(4, "true")], before.head, 2).text;
  const other = encodeLines([event(4, "late")], firstChainHead("c-2"), 1).text;
  const unfit = "of the journal is damaged: its digest does not fit";
  const cases: readonly (readonly [text: string, line: number])[] = [
    [`${before.text}${rest}${late.replace("late", "laté")}`, 5],
    [`${before.text}${rest}${other}`, 5],
    [`${before.text}${late}${rest.replace("true", "trüe")}`, 5],
    [`${before.text}${rest.replace("true", "trüe")}`, 4],
    [`${before.text}${late}${encodeLines([event(4, "again")], before.head, 1).text}`, 5],
  ];
  for (const [text, line] of cases) expect(read(written(text))).toBe(`line ${line} ${unfit}`);
});

it("[J2] a last line without its end is torn; one whose end became something else is damage", () => {
  const { text } = encodeLines(rowOf(3), first, 1);
  const [sound, last] = [text.lastIndexOf("\n", text.length - 2) + 1, text.length];
  for (const size of [last - 1, last - 2, sound + 1, sound])
    expect(read(written(text.slice(0, size)))).toMatchObject({
      value: rowOf(2),
      soundBytes: sound,
      tornBytes: size - sound,
    });
  expect(read(written(`${text.slice(0, -1)} `))).toBe("line 3 of the journal is damaged: its line end is missing");
});

it("[J1] a part that is read at once may end at any byte of a line, also inside a letter", () => {
  const PART = 64 * 1024;
  const size = (text: string): number => Buffer.byteLength(text);
  const rest = [event(2, 'ü नमस्ते ไทย עברית 👩‍🚀 "}{,\n'), event(3)];
  const bare = size(encodeLines([event(1)], first, 1).text);
  const behind = size(encodeLines(rest.slice(0, 1), first, 1).text);
  const file = written("");
  for (let inside = 0; inside <= behind; inside += 1) {
    const events = [event(1, "x".repeat(PART - bare - inside)), ...rest];
    const { text, head } = encodeLines(events, first, 1);
    writeFileSync(file, text);
    expect(read(file), `${inside} bytes in`).toEqual({ value: events, head, soundBytes: size(text), tornBytes: 0 });
  }
});

it("[J1] lines of any length are read whole, in order, by those who read all of a file and by those who follow it", () => {
  // Shorter and longer than every part that is read at once, and many across their ends.
  const sizes = [10, 70_000, 300_000, 3, 1_300_000, ...Array.from({ length: 40 }, (_, at) => at * 997)];
  const events = sizes.map((size, at) => event(at + 1, "ü".repeat(size / 2)));
  const { text } = encodeLines(events, first, 1);
  const file = written(text);
  expect(read(file)).toMatchObject({ value: events, soundBytes: Buffer.byteLength(text), tornBytes: 0 });
  const reader = createLineReader(file);
  const lines: string[] = [];
  for (let news = reader.read(); news.kind === "lines"; news = reader.read()) lines.push(...news.lines.map(String));
  expect(lines.map((line) => `${line}\n`).join("")).toBe(text);
  for (const wanted of [1, 4, 30, 44, 45]) {
    const { first: begin, last, unread } = readJournalEnds(file, (tail) => tail.length >= wanted);
    expect([begin, last.at(-1), last.length >= wanted, unread]).toEqual([events[0], events.at(-1), true, 0]);
    expect(last).toEqual(events.slice(-last.length));
  }
  const torn = written(`${encodeLines([event(1, "x".repeat(100_000))], first, 1).text}torn`);
  expect(readJournalEnds(torn, () => false)).toMatchObject({ first: { seq: 1 }, last: [{ seq: 1 }], unread: 1 });
  const isEmpty = (journal: string): boolean => readJournalEnds(journal, () => false).isEmpty;
  expect([torn, written("x".repeat(100_000)), join(torn, "none")].map(isEmpty)).toEqual([false, true, true]);
});

it("[N11] a file that is followed is young, grows, and is lost once it is gone or shorter", () => {
  const folder = scratchFolder();
  const file = join(folder, "deep", "lines");
  const reader = createLineReader(file);
  expect(reader.read()).toEqual({ kind: "lost" });
  mkdirSync(join(folder, "deep"));
  expect(reader.read()).toEqual({ kind: "nothing" });
  writeFileSync(file, "half");
  expect([reader.read(), reader.read()]).toEqual([{ kind: "nothing" }, { kind: "nothing" }]);
  appendFileSync(file, " a line\n\nand");
  expect(reader.read()).toEqual({ kind: "lines", lines: [Buffer.from("half a line"), Buffer.from("")] });
  expect(reader.read()).toEqual({ kind: "nothing" });
  truncateSync(file, 13);
  expect(reader.read()).toEqual({ kind: "nothing" });
  truncateSync(file, 12);
  expect(reader.read()).toEqual({ kind: "lost" });
  rmSync(file);
  expect(reader.read()).toEqual({ kind: "lost" });
});

function writer(file: string, durability: "write" | "sync" = "write"): JournalWriter {
  const redact = (text: string): string => text;
  return openJournalWriter({ folder: join(file, ".."), file, epoch: 1, head: first, durability, redact });
}

it("[J2] a disk that takes a part at a time gets all of it", () => {
  const file = join(scratchFolder(), "journal.jsonl");
  withCalls(({ writeSync }) => ({
    writeSync: (fd: number, bytes: NodeJS.ArrayBufferView | string, from?: number | null) =>
      writeSync(fd, bytes as Uint8Array, from ?? 0, Math.min(7, (bytes as Uint8Array).length - (from ?? 0))), // bytes
  }));
  const journal = writer(file);
  expect(journal.append(rowOf(3), 0)).toBeUndefined();
  journal.close();
  expect(readFileSync(file, "utf8")).toBe(encodeLines(rowOf(3), first, 1).text);
});

it("[D7] what could not be written through is taken back, and can be written again", () => {
  const file = join(scratchFolder(), "journal.jsonl");
  const journal = writer(file, "sync");
  expect(journal.append(rowOf(1), 0)).toBeUndefined();
  const mend = withCalls(() => ({
    fdatasyncSync: () => {
      throw fullDisk();
    },
  }));
  expect(journal.append([event(2)], 1)).toBe("cannot write the journal: the disk is full (ENOSPC)");
  expect(read(file)).toMatchObject({ value: rowOf(1), tornBytes: 0 });
  mend();
  expect(journal.append([event(2)], 1)).toBeUndefined();
  journal.close();
  expect(read(file)).toMatchObject({ value: rowOf(2), tornBytes: 0 });
});

it("[D36] cutting a failed write leaves the lines of another process", () => {
  const file = join(scratchFolder(), "journal.jsonl");
  const journal = writer(file);
  journal.append(rowOf(1), 0);
  const before = readFileSync(file, "utf8");
  const foreign = "a line of another owner\n".repeat(20);
  withCalls(({ writeSync, appendFileSync: append }) => ({
    writeSync: (fd: number, bytes: NodeJS.ArrayBufferView | string) => {
      writeSync(fd, (bytes as Uint8Array).subarray(0, 9)); // the journal writes bytes
      append(file, foreign);
      throw fullDisk();
    },
  }));
  expect(journal.append([event(2)], 1)).toContain("ENOSPC");
  journal.close();
  expect(readFileSync(file, "utf8")).toBe(`${before}${encodeLines([event(2)], first, 1).text.slice(0, 9)}${foreign}`);
});

it("[J2] a journal that is gone is not written into nothing, and a half write that cannot be taken back is still told", () => {
  const file = join(scratchFolder(), "journal.jsonl");
  const journal = writer(file);
  expect(journal.append(rowOf(1), 0)).toBeUndefined();
  rmSync(file);
  expect(journal.append([event(2)], 1)).toBe("cannot write the journal: it is gone");
  journal.close();
  const other = writer(file);
  const fail = (): never => {
    throw fullDisk();
  };
  withCalls(() => ({ writeSync: fail, ftruncateSync: fail }));
  expect(other.append(rowOf(1), 0)).toContain("ENOSPC");
  other.close();
});

it.skipIf(process.platform !== "linux")("[J1] reading a journal, damaged or not, leaves nothing open", () => {
  const { text } = encodeLines(rowOf(3), first, 1);
  const files = [written(text), written(`${text}oops\n`), written("")];
  for (const file of files) {
    read(file);
    readJournalEnds(file, () => true);
    createLineReader(file).read();
    const journal = writer(file);
    journal.append(rowOf(1), 0);
    journal.close();
    journal.close();
  }
  expect(files.map((file) => openFiles(file))).toEqual([0, 0, 0]);
});
