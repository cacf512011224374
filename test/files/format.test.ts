import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { encodeLines, firstChainHead, type ChainHead } from "../../src/shell/store/files/journal-chain.ts";
import { readJournalEnds } from "../../src/shell/store/files/journal-ends.ts";
import { scratchFolder } from "../harness/agents.ts";
import { readJournal } from "../harness/journals.ts";
import { play, startOf } from "../harness/play.ts";
import { fold, items, workshop } from "../harness/seats.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";

const { events } = await play(workshop(), { says: { Plan: [items("a", "ü😀")], Eval: ['{"satisfied":true}'] } });
const start = startOf(workshop());
const first = firstChainHead(start.castId);
const encoded = (some: readonly CastEvent[], head: ChainHead = first, epoch = 1) => encodeLines(some, head, epoch);
const whole = encoded(events).text;

function read(content: string | Uint8Array) {
  const file = join(scratchFolder(), "journal.jsonl");
  writeFileSync(file, content);
  return { file, read: readJournal(file, start) };
}

it("[J25] lines are read back unchanged, without the journal's own fields", () => {
  const { read: found } = read(whole);
  expect(found).toMatchObject({ ok: true, value: { events, state: fold(start, events), tornBytes: 0 } });
  expect(JSON.parse(whole.slice(0, whole.indexOf("\n")))).toMatchObject({
    seq: 1,
    epoch: 1,
    crc: expect.stringMatching(/^[0-9a-f]{8}$/),
  });
});

it("[J25] every flipped bit is detected", SWEEP, () => {
  const bytes = Buffer.from(encoded(events.slice(0, 6)).text);
  const file = join(scratchFolder(), "journal.jsonl");
  const unnoticed: string[] = [];
  for (let at = 0; at < bytes.length; at += sweepSize(11, 1))
    for (let bit = 0; bit < 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << bit);
      writeFileSync(file, changed);
      if (readJournal(file, start).ok) unnoticed.push(`byte ${at}, bit ${bit}`);
    }
  expect(unnoticed).toEqual([]);
});

it("[J25] lines of another cast are damage", () => {
  expect(read(encoded(events, firstChainHead("cast-2")).text).read).toMatchObject({
    ok: false,
    issues: [{ code: "damaged_journal", path: ["line 1"] }],
  });
});

it("[J29] the line of an evicted owner does not count, at any place", () => {
  const before = encoded(events.slice(0, 5));
  const rest = encoded(events.slice(5), before.head, 2);
  const late = encoded(events.slice(5, 7), before.head, 1);
  const lines = rest.text.split(/(?<=\n)/);
  const texts = lines.map((_, at) => [before.text, ...lines.toSpliced(at + 1, 0, late.text)].join(""));
  for (const text of texts) expect(read(text).read).toMatchObject({ ok: true, value: { events } });
});

it("[J29] lines of an evicted owner just before and after its successor's are skipped", () => {
  const before = encoded(events.slice(0, 5));
  const late = encoded(events.slice(5, 7), before.head, 1);
  const later = encoded(events.slice(7, 8), late.head, 1);
  const rest = encoded(events.slice(5), before.head, 2);
  const text = `${before.text}${late.text}${rest.text}${later.text}`;
  expect(read(text).read).toMatchObject({ ok: true, value: { events } });
});

it("[J29] lines of an owner that was evicted before its first line are late", () => {
  const before = encoded(events.slice(0, 5));
  const rest = encoded(events.slice(5), before.head, 3);
  const late = encoded(events.slice(5, 6), before.head, 2);
  expect(read(`${before.text}${rest.text}${late.text}`).read).toMatchObject({ ok: true, value: { events } });
});

it("[J29] a late line does not change what a listing says", () => {
  const before = encoded(events.slice(0, 5));
  const rest = encoded(events.slice(5), before.head, 2);
  const late = encoded(events.slice(5, 8), before.head, 1);
  const { file } = read(`${before.text}${rest.text}${late.text}`);
  expect(readJournalEnds(file, (tail) => tail.length > 0).last.at(-1)).toEqual(events.at(-1));
});
