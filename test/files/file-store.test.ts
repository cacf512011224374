import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { thisProcess } from "../../src/shell/process/process-identity.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import type { CastLayout } from "../../src/shell/store/layout.ts";
import { fullDisk, openFiles, withCalls } from "../harness/faulty-disk.ts";
import { castFile, claimed, created, eventsOf, filePlace, finished, idOf } from "../harness/store/store-casts.ts";
import { socket } from "../harness/seats.ts";

const castId = idOf("c-1");
const [here, name] = [socket("Socket-1"), "output.md"];
const isLinux = process.platform === "linux";

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** What is synced from here on, in order, by its name in the folder of the cast. */
function syncsIn({ folder }: CastLayout): string[] {
  const names: string[] = [];
  withCalls((real) => {
    const recorded = (sync: (fd: number) => void) => (fd: number) => {
      sync(fd);
      const path = readlinkSync(`/proc/self/fd/${fd}`).replace(/\.new-c-1/, "c-1");
      names.push(relative(folder, path.replace(/\.\d+$/, "")) || ".");
    };
    return { fsyncSync: recorded(real.fsyncSync), fdatasyncSync: recorded(real.fdatasyncSync) };
  });
  return names;
}

it.skipIf(!isLinux)(
  "[D7] what a line speaks of is on the disk before the line, each folder with what is new in it",
  async () => {
    const { store, layout } = filePlace();
    const names = syncsIn(layout);
    const taken = (): string[] => names.splice(0);
    const made = await store.create({ file: castFile("c-1"), attachments: { "a.json": "[]" } }, { durability: "sync" });
    if (!made.ok) throw new Error("not made");
    const { artifacts, journal } = made.value;
    expect(taken()).toEqual(["a.json", "cast.json", ".", "..", "../.."]);
    const events = await eventsOf("c-1");
    await journal.append(events.slice(0, 2), 0);
    expect(taken()).toEqual([".", "journal.jsonl"]);
    await artifacts.write(here, 1, name, "text");
    await artifacts.append(here, 1, "prompt.md", "text");
    writeFileSync(layout.visitFile(here, 1, "transcript.jsonl"), "{}\n");
    expect(taken()).toEqual(["sockets/Socket-1/1/output.md", "sockets/Socket-1/1/prompt.md"]);
    await journal.append(events.slice(2, 3), 2);
    const [visit, of] = ["sockets/Socket-1/1", "sockets/Socket-1"];
    expect(taken()).toEqual([".", "sockets", of, visit, `${visit}/transcript.jsonl`, "journal.jsonl"]);
    // An agent's library makes the folders of a visit by itself.
    mkdirSync(layout.visitFolder(here, 2), { recursive: true });
    await artifacts.write(here, 2, name, "text");
    const kept = await artifacts.storeValue("x".repeat(5_000));
    const digest = kept.kind === "kept" && (kept.json as { $value: string }).$value; // it is large
    expect(taken()).toEqual(["sockets/Socket-1/2/output.md", `values/${digest}.json`, "values"]);
    await journal.append(events.slice(3, 4), 3);
    expect(taken().toSorted()).toEqual(
      [".", "journal.jsonl", "sockets", of, `${of}/2`, `${visit}/transcript.jsonl`, "values"].toSorted(),
    );
    await made.value.release();
  },
);

it("[D7] without it nothing waits for the disk, and all of it is its owner's alone", async () => {
  const { root, store, layout } = filePlace();
  const names = syncsIn(layout);
  const made = await store.create({ file: castFile("c-1"), attachments: { "a.json": "[]" } }, {});
  if (!made.ok) throw new Error("not made");
  await made.value.artifacts.write(here, 1, name, "text");
  await made.value.artifacts.storeValue("x".repeat(5_000));
  await made.value.writeNote("program", "1");
  await made.value.journal.append(await eventsOf("c-1"), 0);
  await made.value.release();
  await store.requestAbort(castId);
  const all = readdirSync(layout.folder, { recursive: true, encoding: "utf8" }).map((each) =>
    join(layout.folder, each),
  );
  const modes = all.filter((each) => each !== layout.lock).map((each) => [statSync(each).isDirectory(), modeOf(each)]);
  expect(new Set(modes.map(String))).toEqual(new Set(["true,700", "false,600"]));
  expect([names, modeOf(root), modeOf(layout.folder)]).toEqual([[], "700", "700"]);
});

it.skipIf(!isLinux)(
  "[C3] a cast that cannot be made leaves no trace, not even the folder of casts, and nothing of others is touched",
  async () => {
    const { root, store } = filePlace();
    const fail = (): never => {
      throw fullDisk();
    };
    const before = openFiles(dirname(root));
    // Once its claim cannot be written, once it cannot be given its name.
    for (const call of ["writeSync", "renameSync"] as const) {
      const mend = withCalls(() => ({ [call]: fail }));
      expect(await store.create({ file: castFile("c-1") }, {})).toMatchObject({
        ok: false,
        issues: [{ code: "write_failed", message: expect.stringContaining("ENOSPC"), file: join(root, "c-1") }],
      });
      expect([existsSync(root), existsSync(dirname(root))]).toEqual([false, true]);
      mend();
    }
    mkdirSync(root);
    writeFileSync(join(root, "c-1"), "in the way");
    expect((await store.create({ file: castFile("c-1") }, {})).ok).toBe(false);
    expect(readdirSync(root)).toEqual(["c-1"]);
    await (await created(store, "c-2")).discard();
    expect([readdirSync(root), openFiles(dirname(root))]).toEqual([["c-1"], before]);
  },
);

it("[D20] what a killed process left half made or half removed goes with the next prune; what is being made stays", async () => {
  const { root, store } = filePlace();
  await finished(store);
  for (const left of [".removed-c-7", ".new-c-8", ".new-c-9", ".trees"])
    mkdirSync(join(root, left, "owner"), { recursive: true });
  writeFileSync(join(root, ".new-c-9", "owner", "1.json"), JSON.stringify(thisProcess()));
  expect(await store.remove([])).toEqual({ ok: true, value: [] });
  expect(readdirSync(root)).toEqual([".gitignore", ".new-c-9", ".trees", "c-1"]);
  expect(await fileStore(join(root, "none")).remove(["c-1"])).toEqual({ ok: true, value: [] });
  expect(await store.remove(["c-1"])).toEqual({ ok: true, value: ["c-1"] });
  expect(readdirSync(root)).toEqual([".gitignore", ".new-c-9", ".trees"]);
});

it("[D20] a cast that cannot be removed is said, with its place, and is free", async () => {
  const { store, layout } = filePlace();
  await finished(store);
  const mend = withCalls(() => ({
    renameSync: () => {
      throw fullDisk();
    },
  }));
  expect(await store.remove(["c-1"])).toMatchObject({
    ok: false,
    issues: [{ code: "remove_failed", file: layout.folder }],
  });
  mend();
  expect(await store.owner(castId)).toBeUndefined();
  withCalls(() => ({
    rmSync: () => {
      throw fullDisk();
    },
  }));
  expect(await store.remove(["c-1"])).toMatchObject({
    ok: false,
    issues: [{ code: "remove_failed", file: store.location }],
  });
});

it("[J2] a torn last line is cut before anything is written behind it", async () => {
  const { store, layout } = filePlace();
  const events = await eventsOf("c-1");
  const first = await created(store);
  await first.journal.append(events.slice(0, 2), 0);
  await first.release();
  appendFileSync(layout.journal, '{"seq":3,"torn');
  const known = await store.load(castId);
  if (!known.ok) throw new Error("unreadable");
  expect(known.value).toMatchObject({ tornBytes: 14, events: events.slice(0, 2) });
  const second = await claimed(store);
  // Without a load: the first write follows the valid lines.
  expect(await second.journal.append(events.slice(2, 3), 2)).toBeUndefined();
  await second.release();
  appendFileSync(layout.journal, "{");
  const again = await store.load(castId);
  const third = await claimed(store);
  expect((await third.load(again.ok ? again.value : undefined)).ok).toBe(true);
  expect(await third.journal.append(events.slice(3), 3)).toBeUndefined();
  expect(await store.load(castId)).toMatchObject({ ok: true, value: { events, tornBytes: 0 } });
  await third.release();
  expect(await third.journal.append(events, 0)).toBeTypeOf("string");
});

it("[J2] a torn line that cannot be cut is a refusal, and nothing is written behind it", async () => {
  const { store, layout } = filePlace();
  await finished(store);
  appendFileSync(layout.journal, "{");
  withCalls(() => ({
    truncateSync: () => {
      throw fullDisk();
    },
  }));
  const owned = await claimed(store);
  const why = expect.stringMatching(/: the disk is full \(ENOSPC\)$/);
  expect(await owned.load()).toMatchObject({ ok: false, issues: [{ code: "write_failed", message: why }] });
  expect(await owned.journal.append(await eventsOf("c-1"), 0)).toEqual(why);
});

it("[J2] nothing is written after a damaged line, and the problem names the line", async () => {
  const { store, layout } = filePlace();
  await finished(store);
  appendFileSync(layout.journal, "{}\n");
  const owned = await claimed(store);
  expect(await owned.journal.append(await eventsOf("c-1"), 0)).toMatch(/^cannot write the journal: line \d+ .*damaged/);
  expect(await owned.load()).toMatchObject({ ok: false, issues: [{ code: "damaged_journal" }] });
});

it("[D35] a heartbeat sets the time of the claim", async () => {
  const { store, layout } = filePlace();
  const owned = await created(store);
  utimesSync(layout.claim(1), 1, 1);
  await owned.heartbeat();
  expect(statSync(layout.claim(1)).mtimeMs).toBeGreaterThan(60_000);
});

it("[J19] the folder of a visit that somebody removed is made again; a cast that was removed does not come back", async () => {
  const { store, layout } = filePlace();
  const { artifacts } = await created(store);
  for (const gone of [layout.visitFolder(here, 1), layout.sockets]) {
    expect(await artifacts.write(here, 1, name, "one")).toBeUndefined();
    rmSync(gone, { recursive: true });
    expect(await artifacts.append(here, 1, name, "two")).toBeUndefined();
    expect(readFileSync(layout.visitFile(here, 1, name), "utf8")).toBe("two");
  }
  rmSync(layout.folder, { recursive: true });
  expect(await artifacts.write(here, 1, name, "three")).toMatch(/^cannot write an artifact: .*\(ENOENT\)$/);
  expect(existsSync(layout.folder)).toBe(false);
});

it("[D36] an evicted owner stores no value and discards nothing", async () => {
  const { store, layout } = filePlace();
  const first = await created(store);
  rmSync(layout.lock);
  writeFileSync(layout.claim(2), JSON.stringify(thisProcess()));
  expect([first.isSuperseded(), await first.holdsClaim()]).toEqual([true, false]);
  expect(await first.artifacts.storeValue("x".repeat(5_000))).toMatchObject({ kind: "failed" });
  await first.discard();
  expect([existsSync(layout.folder), existsSync(layout.values)]).toEqual([true, false]);
});

it("[C3] what is taken back goes as a whole, even where it cannot be removed at once", async () => {
  const { root, store } = filePlace();
  const owned = await created(store);
  withCalls(() => ({
    rmSync: () => {
      throw fullDisk();
    },
  }));
  await owned.discard();
  expect([readdirSync(root), await store.listIds()]).toEqual([[".gitignore", ".removed-c-1"], { ok: true, value: [] }]);
});

it("[J22] who asks for the end is heard; what was asked of an earlier owner is not, nor what cannot be asked", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { store, layout } = filePlace();
  const owned = await created(store);
  await store.requestAbort(castId);
  let heard = 0;
  const stop = owned.onAbortRequest(() => (heard += 1));
  await vi.advanceTimersByTimeAsync(500);
  expect(heard).toBe(0);
  await store.requestAbort(castId);
  await vi.advanceTimersByTimeAsync(100);
  stop();
  await vi.advanceTimersByTimeAsync(500);
  expect(heard).toBe(1);
  rmSync(layout.folder, { recursive: true });
  await store.requestAbort(castId);
  await owned.writeNote("program", "1");
  expect([await owned.readNote("program"), existsSync(layout.folder)]).toEqual([undefined, false]);
});

it("[J21] a cast whose first event is written while it is read is listed all the same", async () => {
  const { store, layout } = filePlace();
  const owned = await created(store);
  const [first] = await eventsOf("c-1");
  const restore = withCalls((real) => ({
    statSync: ((file: string) => {
      try {
        return real.statSync(file);
      } finally {
        // As another process would, behind the first look.
        if (file === layout.journal) real.writeFileSync(file, `${JSON.stringify(first)}\n`);
      }
    }) as typeof statSync, // the one form that the store calls
  }));
  expect(await store.summary(castId)).toMatchObject({ castId, status: "running", visits: 0 });
  restore();
  expect(existsSync(layout.journal)).toBe(true);
  await owned.release();
});
