import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { thisProcess } from "../../src/shell/process/process-identity.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { encodeLines, firstChainHead } from "../../src/shell/store/files/journal-chain.ts";
import { castLayout } from "../../src/shell/store/layout.ts";
import { inlineValues } from "../../src/shell/store/cast-store.ts";
import { scratchFolder } from "../harness/agents.ts";
import { openFiles } from "../harness/faulty-disk.ts";
import { created, drained, eventsOf, filePlace, finished, idOf } from "../harness/store/store-casts.ts";
import { socket } from "../harness/seats.ts";

const castId = idOf("c-1");
const [here, name] = [socket("Socket-1"), "output.md"];
const at = { socket: here, visit: 1, name };

it.skipIf(process.platform !== "linux")(
  "[N4] a file of a visit is read only if it is one, and lies in its cast",
  async () => {
    const { store, layout } = filePlace();
    const { artifacts } = await created(store);
    const outside = join(scratchFolder(), "secret");
    writeFileSync(outside, "secret");
    mkdirSync(layout.visitFolder(here, 1), { recursive: true });
    const file = layout.visitFile(here, 1, name);
    const read = async (part = {}): Promise<unknown> => {
      const found = await store.readArtifact(castId, at, part);
      return found && Buffer.from(found.bytes).toString("utf8");
    };
    const before = openFiles(layout.folder);
    symlinkSync(outside, file);
    expect(await read()).toBeUndefined();
    rmSync(file);
    symlinkSync(layout.castFile, file);
    // Inside, but a link: what it leads to may change between the look and the reading.
    expect(await read()).toBeUndefined();
    rmSync(file);
    execFileSync("sh", ["-c", 'mkfifo "$0"', file]);
    expect(await read()).toBeUndefined();
    rmSync(file);
    mkdirSync(file);
    expect(await read()).toBeUndefined();
    rmSync(file, { recursive: true });
    await artifacts.write(here, 1, name, "0123456789");
    expect([await read({ from: 4 }), await read({ from: 4, maxBytes: 3 }), await read({ from: 20 })]).toEqual([
      "456789",
      "456",
      "",
    ]);
    expect(openFiles(layout.folder)).toBe(before);
  },
);

it("[J26] a value is found by its digest alone, with its cast or with the parent of its item", async () => {
  const { root, store, layout } = filePlace();
  const { artifacts } = await created(store);
  const value = { list: ["ü".repeat(3_000), "short"], word: "x".repeat(4_094) };
  const kept = await artifacts.storeValue(value);
  if (kept.kind !== "kept") throw new Error(kept.problem);
  // In its quotes the word has 4,096 characters: just enough. The list has fewer.
  expect(kept.json).toEqual({ list: value.list, word: { $value: expect.stringMatching(/^[0-9a-f]{32}$/) } });
  const digest = (kept.json as { word: { $value: string } }).word.$value; // as the line above says
  expect(await store.readValue(castId, digest)).toBe(JSON.stringify(value.word));
  const item = idOf("c-1_1_WI-1");
  expect(await store.readValue(item, digest)).toBe(JSON.stringify(value.word));
  expect(await store.readValue(item, "0".repeat(32))).toBeUndefined();
  mkdirSync(join(castLayout(root, item).folder, "values"), { recursive: true });
  writeFileSync(join(castLayout(root, item).folder, "values", `${"0".repeat(32)}.json`), "1");
  expect(await store.readValue(item, "0".repeat(32))).toBe("1");
  writeFileSync(join(layout.folder, "values", "planted.json"), "1");
  for (const planted of ["planted", "../cast", `${digest}0`, `0${digest}`, digest.toUpperCase()])
    expect(await store.readValue(castId, planted)).toBeUndefined();
  rmSync(layout.values, { recursive: true });
  writeFileSync(layout.values, "");
  expect(await artifacts.storeValue("y".repeat(5_000))).toMatchObject({ kind: "failed", problem: expect.any(String) });
});

it("[C13] what stands in the folder of a socket and is no visit does not count as one", async () => {
  const { store, layout } = filePlace();
  await created(store);
  for (const each of ["3", "12", "13.5", "x20", "-1"])
    mkdirSync(join(layout.socketFolder(here), each), { recursive: true });
  expect(await store.lastVisit(castId, here)).toBe(12);
});

it("[C13] a folder of casts that cannot be listed is said with its place; one that is not there has none", async () => {
  const root = join(scratchFolder(), "casts");
  expect(await fileStore(root).listIds()).toEqual({ ok: true, value: [] });
  symlinkSync(root, root);
  for (const listed of [await fileStore(root).listIds(), await fileStore(root).list()])
    expect(listed).toMatchObject({ ok: false, issues: [{ code: "unreadable_file", file: root }] });
});

it("[C13] a cast whose first line is damaged, and names that are none, are passed over; owners that nobody can read own nothing", async () => {
  const { root, store, layout } = filePlace();
  await finished(store);
  mkdirSync(join(root, ".trees"));
  rmSync(layout.owner, { recursive: true });
  symlinkSync(layout.owner, layout.owner);
  expect([await store.listIds(), await store.owner(castId)]).toEqual([{ ok: true, value: [castId] }, undefined]);
  writeFileSync(layout.journal, "oops\n");
  expect([await store.summary(castId), await store.list()]).toEqual([undefined, { ok: true, value: [] }]);
});

it("[J22] the refusal names the owner, and how long one that is out of sight counts", async () => {
  const { store, layout } = filePlace();
  await finished(store);
  const near = { ...thisProcess(), locked: false };
  const far = { pid: 77, startedAt: "then", host: "elsewhere" };
  writeFileSync(layout.claim(2), JSON.stringify(near));
  const told = async (): Promise<string> => {
    const mine = await store.claim(castId, {});
    return mine.ok ? "" : (mine.issues[0]?.message ?? "");
  };
  expect(await told()).toBe(`process ${process.pid} on ${hostname()} runs this cast`);
  writeFileSync(layout.claim(3), JSON.stringify(far));
  expect(await told()).toMatch(/^process 77 on elsewhere runs this cast; it is out of sight from here, .* 5 minutes/);
});

it("[C6] a cast whose folder or file is a link to elsewhere has no stamp and is none", async () => {
  const { root, store, layout } = filePlace();
  await finished(store);
  const stamp = await store.stamp(castId);
  expect([typeof stamp, await store.stamp(castId), await store.stamp(idOf("c-2"))]).toEqual([
    "string",
    stamp,
    undefined,
  ]);
  const outside = join(scratchFolder(), "c-1");
  const moved = join(outside, "..", "cast.json");
  renameSync(layout.castFile, moved);
  symlinkSync(moved, layout.castFile);
  expect([await store.stamp(castId), (await store.find(castId)).ok]).toEqual([undefined, false]);
  rmSync(layout.castFile);
  renameSync(moved, layout.castFile);
  expect([await store.stamp(castId), (await store.find(castId)).ok]).not.toEqual([stamp, false]);
  rmSync(layout.journal);
  symlinkSync("/etc/hostname", layout.journal);
  expect((await store.find(castId)).ok).toBe(false);
  renameSync(layout.folder, outside);
  symlinkSync(outside, layout.folder);
  expect([await store.stamp(castId), (await store.find(castId)).ok, readdirSync(root)]).toEqual([
    undefined,
    false,
    [".gitignore", "c-1"],
  ]);
});

it("[J25] another cast in place of this one is refused, by its file and by its journal", async () => {
  const { store, layout } = filePlace();
  await finished(store);
  const other = JSON.parse(readFileSync(layout.castFile, "utf8")) as object; // written just now
  writeFileSync(layout.castFile, JSON.stringify({ ...other, castId: "c-2" }));
  expect(await store.load(castId)).toMatchObject({
    ok: false,
    issues: [{ code: "bad_cast_file", message: expect.stringContaining("c-2") }],
  });
  writeFileSync(layout.castFile, JSON.stringify({ ...other, versions: { format: 9, materia: "9", node: "9" } }));
  const later = expect.stringContaining("its format is not");
  expect(await store.load(castId)).toMatchObject({ ok: false, issues: [{ code: "bad_cast_file", message: later }] });
  writeFileSync(layout.castFile, JSON.stringify(other));
  const events = await eventsOf("c-2");
  writeFileSync(layout.journal, encodeLines(events, firstChainHead("c-1"), 1).text);
  expect(await store.load(castId)).toMatchObject({
    ok: false,
    issues: [{ code: "damaged_journal", message: expect.stringContaining("another cast, c-2") }],
  });
});

/** What a follower is given of a journal of these lines. */
async function followed(text: string, after = 0): Promise<readonly [news: unknown, events: readonly CastEvent[]]> {
  const { store, layout } = filePlace();
  await finished(store);
  writeFileSync(layout.journal, text);
  const follower = store.followEvents(castId, after, () => undefined);
  onTestFinished(follower.close);
  const events = await drained(follower);
  return [await follower.next(), events];
}

it("[N12] late lines of an owner that was given up are passed over; where a later one went on from before, all is read again", async () => {
  const events = await eventsOf("c-1");
  const before = encodeLines(events.slice(0, 3), firstChainHead("c-1"), 1);
  const late = encodeLines(events.slice(3, 4), before.head, 1).text;
  const rest = encodeLines(events.slice(3), before.head, 2).text;
  expect((await followed(`${before.text}${rest}${late}`, 1))[1]).toEqual(events.slice(1));
  const { store, layout } = filePlace();
  await finished(store);
  writeFileSync(layout.journal, `${before.text}${late}${rest}`);
  const follower = store.followEvents(castId, 0, () => undefined);
  onTestFinished(follower.close);
  expect(await follower.next()).toEqual({ kind: "lost" });
});

it("[N12] damage is reported with its line, after the events before it", async () => {
  const events = await eventsOf("c-1");
  const { text, head } = encodeLines(events.slice(0, 3), firstChainHead("c-1"), 1);
  const { store, layout } = filePlace();
  await finished(store);
  const repeated = encodeLines(events.slice(2, 3), head, 1).text;
  for (const [bad, after] of [
    ["{}\n", 0],
    ["{}\n", 2],
    [repeated, 0],
  ] as const) {
    writeFileSync(layout.journal, `${text}${bad}`);
    const follower = store.followEvents(castId, after, () => undefined);
    expect(await follower.next()).toEqual({ kind: "damaged", events: events.slice(after, 3), line: 4 });
    follower.close();
  }
});

it("[N26] a transcript that is a link out of its cast tells nothing", async () => {
  const { store, layout } = filePlace();
  await created(store);
  const outside = join(scratchFolder(), "lines");
  writeFileSync(outside, "secret\n");
  mkdirSync(layout.visitFolder(here, 1), { recursive: true });
  symlinkSync(outside, layout.visitFile(here, 1, "transcript.jsonl"));
  const follower = store.followTranscript(castId, at, () => undefined);
  onTestFinished(follower.close);
  expect(await follower.next()).toEqual({ kind: "nothing" });
});

it("[N42] large values are inserted up to the limit; damaged ones stay references", async () => {
  const values: Readonly<Record<string, string>> = { five: '"abc"', list: '[{"$value":"five"}]' };
  const store = { ...filePlace().store, readValue: async (_id: unknown, digest: string) => values[digest] };
  const shown = async (json: unknown, most: number): Promise<unknown> =>
    JSON.parse(await inlineValues(store, castId, JSON.stringify(json), most));
  const five = { $value: "five" };
  expect(await shown({ a: five, b: [five, 1] }, 10)).toEqual({ a: "abc", b: ["abc", 1] });
  expect(await shown({ a: five, b: five }, 9)).toEqual({ a: "abc", b: five });
  expect(await shown(five, 4)).toEqual(five);
  expect(await shown({ $value: "list" }, 100)).toEqual(["abc"]);
  const others = [{}, null, { $value: 7 }, { $value: "five", more: 1 }, { $value: "gone" }, "text"];
  expect(await shown(others, 100)).toEqual(others);
  expect(await inlineValues(store, castId, "{torn", 100)).toBe("{torn");
});
