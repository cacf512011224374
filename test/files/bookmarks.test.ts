import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { emptyPackingContext, packTimeline } from "../../src/core/cast/bookmark.ts";
import type { CastTimeline } from "../../src/core/cast/timeline.ts";
import { castStartOf, type CastFile } from "../../src/shell/store/cast-file.ts";
import { type CastStore, type CurrentCast, type OwnedCast, TIMELINE } from "../../src/shell/store/cast-store.ts";
import {
  digestFileStart,
  BOOKMARK_FORMAT,
  firstSeal,
  sealBookmark,
  readSealedLines,
  type Bookmark,
} from "../../src/shell/store/files/bookmarks.ts";
import { encodeLines } from "../../src/shell/store/files/journal-chain.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import type { CastLayout } from "../../src/shell/store/layout.ts";
import { compiled } from "../harness/play.ts";
import { TIME, workshop } from "../harness/seats.ts";
import { ranOn } from "../harness/store/bookmarked.ts";
import { castFile, eventsOf, filePlace, idOf } from "../harness/store/store-casts.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const KEY = "the key of this user";
const castId = idOf("c-1");
const file: CastFile = { ...castFile("c-1"), graph: compiled(workshop()).graph };

let root: string;
let layout: CastLayout;
const storeOf = (key = KEY, every = 1_000): CastStore =>
  fileStore(root, { bookmarks: { key: { find: () => key, make: () => key }, intervalBytes: every } });

beforeEach(() => {
  ({ root, layout } = filePlace());
});

async function created(store = storeOf()): Promise<OwnedCast> {
  const owned = await store.create({ file }, {});
  if (!owned.ok) throw new Error(JSON.stringify(owned.issues));
  return owned.value;
}

async function begun(turns: number, store = storeOf()): Promise<void> {
  await ranOn(await created(store), TIMELINE.begin(file), turns);
}

async function goneOn(turns: number, store = storeOf()): Promise<CurrentCast> {
  const owned = await store.claim(castId, {});
  if (!owned.ok) throw new Error(JSON.stringify(owned.issues));
  const cast = await owned.value.load();
  if (!cast.ok) throw new Error(JSON.stringify(cast.issues));
  await ranOn(owned.value, cast.value.timeline, turns);
  return cast.value;
}

async function current(store = storeOf()): Promise<CastTimeline> {
  const cast = await store.current(castId);
  if (!cast.ok) throw new Error(JSON.stringify(cast.issues));
  return cast.value.timeline;
}

async function whole(): Promise<CastTimeline> {
  const cast = await storeOf().load(castId);
  if (!cast.ok) throw new Error(JSON.stringify(cast.issues));
  return cast.value.timeline;
}

interface Line {
  readonly seq: number;
  readonly crc: string;
}

function marks(): readonly Bookmark[] {
  const all: Bookmark[] = [];
  readSealedLines(readFileSync(layout.bookmarks, "utf8"), KEY, firstSeal(layout.castFile, castId), (each) =>
    all.push(each),
  );
  return all;
}

/** Replaces the bookmarks by one with another request, which shows whether it was read. */
function forge(key: string, seal = firstSeal(layout.castFile, castId)): void {
  const last = marks().at(-1);
  if (!last) throw new Error("no bookmark was made");
  const trail = TIMELINE.begin(file);
  const other = { ...trail, state: { ...initialState(castStartOf(file)), seq: last.head.seq, request: "forged" } };
  const line = sealBookmark({ ...last, pack: packTimeline(other, emptyPackingContext(trail)).pack }, key, seal);
  writeFileSync(layout.bookmarks, line.text);
  // What comes behind would not follow a cast that never began.
  const bytes = readFileSync(layout.journal);
  writeFileSync(layout.journal, bytes.subarray(0, last.bytes));
}

describe("[J28] bookmarks", () => {
  it("[J28] are made as the journal grows, and lead to what all events lead to", async () => {
    await begun(30);
    const all = marks();
    expect(all.length).toBeGreaterThan(3);
    for (const [index, each] of all.entries())
      expect(each.bytes - (all[index - 1]?.bytes ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(statSync(layout.bookmarks).mode & 0o077).toBe(0);
    expect(await current()).toStrictEqual(await whole());
  });

  it("[J28] go on with the next owner, who is killed too, to the same end", async () => {
    await begun(30);
    const before = marks().length;
    appendFileSync(layout.bookmarks, `no seal\n${"half a li".repeat(10_000)}`);
    expect(marks().length).toBe(before);
    const taken = await goneOn(30);
    expect(marks().length).toBeGreaterThan(before);
    expect(readFileSync(layout.bookmarks, "utf8")).not.toContain("half a li");
    await goneOn(1_000);
    expect(taken.state.done.visits).toBeGreaterThan(25);
    // Each would be believed: none of them speaks of other bytes than those that are there.
    expect(marks().map(({ bytes }) => digestFileStart(layout.journal, bytes))).toEqual(
      marks().map(({ digest }) => digest),
    );
    const end = await current();
    expect([end.state.phase.kind, end.state.done.itemsDone]).toEqual(["ended", 40]);
    expect(end).toStrictEqual(await whole());
  });

  it("[J41] of this user count, those of another key, cast or version do not", async () => {
    const seen: string[] = [];
    const other: readonly (readonly [key: string, of: (seal: string) => string])[] = [
      [KEY, (seal) => seal],
      ["another key", (seal) => seal],
      [KEY, (seal) => seal.replace(" c-1 ", " c-2 ")],
      [KEY, (seal) => seal.replace(/^[\d.]+ /, "0.0.9 ")],
    ];
    for (const [key, of] of other) {
      rmSync(layout.folder, { recursive: true, force: true });
      await begun(30);
      forge(key, of(firstSeal(layout.castFile, castId)));
      seen.push((await current()).state.request);
    }
    expect(seen).toEqual(["forged", "Make it so.", "Make it so.", "Make it so."]);
  });

  it("[J41] do not count when cast.json has changed", async () => {
    await begun(30);
    const text = readFileSync(layout.castFile, "utf8");
    writeFileSync(layout.castFile, text.replace('"maxNoAdvanceCycles": 3', '"maxNoAdvanceCycles": 7'));
    expect((await current()).state.limits.maxNoAdvanceCycles).toBe(7);
    expect(await current()).toStrictEqual(await whole());
  });

  it("[J41] without a key none is written or used", async () => {
    await begun(30, fileStore(root, { bookmarks: { intervalBytes: 1_000 } }));
    expect(existsSync(layout.bookmarks)).toBe(false);
    expect((await current(fileStore(root))).state.done.visits).toBeGreaterThan(25);
  });
});

describe("[J28] no bookmark is made", () => {
  it("[J28] where another process has written to the journal since", async () => {
    let before = 0;
    const owned = await created();
    await ranOn(owned, TIMELINE.begin(file), 60, (turn) => {
      if (turn !== 30) return;
      before = marks().length;
      appendFileSync(layout.journal, "what no owner wrote\n");
    });
    expect(before).toBeGreaterThan(3);
    expect(marks().length).toBe(before);
  });

  it("[J28] of a cast as it stood before the last write, or before the first", async () => {
    const owned = await created(storeOf(KEY, 0));
    owned.bookmark?.(TIMELINE.begin(file));
    const [first] = await eventsOf("c-1");
    if (!first) throw new Error("a cast begins with an event");
    await owned.journal.append([first], 0);
    owned.bookmark?.(TIMELINE.begin(file));
    expect(existsSync(layout.bookmarks)).toBe(false);
    owned.bookmark?.(TIMELINE.step(TIMELINE.begin(file), first));
    expect(marks().map(({ head }) => head.seq)).toEqual([1]);
    await owned.release();
  });
});

describe("[J41, D6] a journal that does not match a bookmark is read in full", () => {
  it("[J41, D6] damage before the bookmark is reported", async () => {
    await begun(30);
    const text = readFileSync(layout.journal, "utf8");
    writeFileSync(layout.journal, text.replace('"Make it so."', '"Make it no."'));
    expect(await storeOf().current(castId)).toMatchObject({ ok: false, issues: [{ code: "damaged_journal" }] });
  });

  it("[J41, D6] damage after it is reported", async () => {
    await begun(30, storeOf(KEY, 5_000));
    const [last] = marks().slice(-1);
    const bytes = readFileSync(layout.journal);
    const at = bytes.indexOf('"type":"', (last?.bytes ?? 0) + 300) + 9;
    bytes[at] = 0x78;
    writeFileSync(layout.journal, bytes);
    expect(await storeOf().current(castId)).toMatchObject({ ok: false, issues: [{ code: "damaged_journal" }] });
  });

  it("[J41, D6] a journal that lost its end is read up to its present end", async () => {
    await begun(30);
    const lines = readFileSync(layout.journal, "utf8").split("\n");
    writeFileSync(layout.journal, `${lines.slice(0, 12).join("\n")}\n${lines[12]?.slice(0, 20)}`);
    expect(await current()).toStrictEqual(await whole());
    expect((await current()).state.seq).toBe(12);
    await goneOn(10);
    expect(await current()).toStrictEqual(await whole());
  });

  it("[J29, J41] lines of an evicted owner are skipped", async () => {
    await begun(30);
    const { seq, crc } = JSON.parse(readFileSync(layout.journal, "utf8").trimEnd().split("\n").at(-1) ?? "") as Line;
    await goneOn(5);
    const before = await whole();
    const event: CastEvent = { seq: seq + 1, at: TIME, type: "cast_resumed", by: "one that slept" };
    appendFileSync(layout.journal, encodeLines([event], { seq, crc: Number.parseInt(crc, 16) }, 1).text);
    expect(await current()).toStrictEqual(before);
    await goneOn(10);
    expect(await current()).toStrictEqual(await whole());
    expect((await whole()).state.done.visits).toBeGreaterThan(before.state.done.visits);
  });
});

describe("[J23, D22] foreign files in place of bookmarks", () => {
  it.each<[what: string, plant: () => void]>([
    ["a folder", () => mkdirSync(layout.bookmarks)],
    ["a text", () => writeFileSync(layout.bookmarks, "no bookmark\n\n \n")],
    ["bytes that are no text", () => writeFileSync(layout.bookmarks, Buffer.from([0xff, 0xfe, 0x0a, 0x00]))],
    ["a link to nothing", () => symlinkSync("/nowhere/at/all", layout.bookmarks)],
  ])("[J23, D22] %s is ignored", async (_what, plant) => {
    await begun(30);
    rmSync(layout.bookmarks);
    plant();
    expect(await current()).toStrictEqual(await whole());
    await goneOn(10);
    expect(await current()).toStrictEqual(await whole());
  });

  it("[J23, D22] a link to another file is not written through", async () => {
    await begun(30);
    const mine = `${root}-mine.txt`;
    writeFileSync(mine, "mine");
    rmSync(layout.bookmarks);
    symlinkSync(mine, layout.bookmarks);
    await goneOn(30);
    expect(readFileSync(mine, "utf8")).toBe("mine");
    expect(marks().length).toBeGreaterThan(0);
  });
});

it("[J41] the digest of a file's beginning covers exactly those bytes, and a shorter file has none", () => {
  mkdirSync(root, { recursive: true });
  const name = `${root}/digest`;
  writeFileSync(name, "a".repeat(300_000));
  expect(digestFileStart(name, 300_000)).not.toBe(digestFileStart(name, 299_999));
  expect([digestFileStart(name, 0), digestFileStart(name, 300_001)]).toEqual([0, undefined]);
});

it("[J28] what is kept has the shape of its format: another shape needs another format", async () => {
  await begun(30);
  const { state, ...trail } = await whole();
  expect(BOOKMARK_FORMAT).toBe(5);
  const shape = [trail, state, state.counts, state.pass ?? {}, state.phase].map((each) => Object.keys(each).join(" "));
  expect(shape).toEqual([
    "order clock visitSince last walk",
    "castId request graph limits budget data rehearsed seq phase pass lastPass handed notes satisfied visits turns itemTurns walked lastVisits begun counts walks reports conversations sentBack rework givenUp usage done warned files largest forks providers item",
    "taken allowed returns unchanged passedBy",
    "loop items note cursor end oneByOne door givenUp since",
    "kind visit ask",
  ]);
});
