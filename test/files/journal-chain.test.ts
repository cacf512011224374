import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { encodeLines, firstChainHead } from "../../src/shell/store/files/journal-chain.ts";
import { readJournalEnds } from "../../src/shell/store/files/journal-ends.ts";
import { foldJournal } from "../../src/shell/store/files/read-journal.ts";
import { scratchFolder } from "../harness/agents.ts";
import { TIME, socket } from "../harness/seats.ts";
import { idOf } from "../harness/store/store-casts.ts";

const castId = idOf("c-1");
const first = firstChainHead(castId);

function event(seq: number, text = ""): CastEvent {
  const about = { socket: socket("Socket-1"), visit: 1, attempt: 1, delayMs: 0 };
  return { seq, at: TIME, type: "turn_retried", ...about, error: text };
}

const row = (from: number, to: number, text = ""): CastEvent[] =>
  Array.from({ length: to - from + 1 }, (_, at) => event(from + at, text));

function written(content: string): string {
  const file = join(scratchFolder(), "journal.jsonl");
  writeFileSync(file, content);
  return file;
}

function read(file: string) {
  const folded = foldJournal(
    file,
    castId,
    () => [] as CastEvent[],
    (events, each) => {
      events.push(each);
      return events;
    },
  );
  return folded.ok ? folded.value : folded.issues[0]?.message;
}

it.each([3, 1_023, 2_100])(
  "[J29] a later owner continues from line %i of thousands, and later lines of the earlier one do not count",
  (kept) => {
    const before = encodeLines(row(1, kept), first, 1);
    const lost = encodeLines(row(kept + 1, 2_500, "lost"), before.head, 1);
    const after = encodeLines(row(kept + 1, kept + 3, "true"), before.head, 2);
    const late = encodeLines([event(2_501, "late")], lost.head, 1);
    const folded = read(written(`${before.text}${lost.text}${after.text}${late.text}`));
    expect(folded).toMatchObject({ head: after.head, tornBytes: 0 });
    expect(folded).toHaveProperty("value", [...row(1, kept), ...row(kept + 1, kept + 3, "true")]);
  },
);

it("[J29] owners without lines change nothing: the earlier one is late, and the next continues from it", () => {
  const one = encodeLines(row(1, 3), first, 1);
  const four = encodeLines(row(4, 5), one.head, 4);
  const nine = encodeLines(row(6, 6), four.head, 9);
  const late = [encodeLines([event(4, "late")], one.head, 1).text, encodeLines([event(6, "late")], four.head, 4).text];
  for (const behind of [late, late.toReversed()])
    expect(read(written([one.text, four.text, nine.text, ...behind].join("")))).toMatchObject({
      value: row(1, 6),
      head: nine.head,
    });
});

it("[C36] the ends of a journal count the lines that cannot be read, and are asked for no farther than is wanted", () => {
  const { text } = encodeLines(row(1, 20), first, 1);
  const lines = text.split("\n");
  const asked: number[] = [];
  const ends = readJournalEnds(written([...lines.slice(0, 18), "no event", ...lines.slice(18)].join("\n")), (tail) => {
    asked.push(tail.length);
    return tail.length >= 4;
  });
  expect(ends).toEqual({ first: event(1), last: row(17, 20), unread: 1, isEmpty: false });
  expect(asked).toEqual([1, 2, 4]);
  const missing = readJournalEnds(join(scratchFolder(), "none"), () => true);
  expect(missing).toMatchObject({
    last: [],
    unread: 0,
    isEmpty: true,
    problem: expect.stringContaining("ENOENT") as string,
  });
});
