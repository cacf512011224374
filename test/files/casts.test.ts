import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { thisProcess } from "../../src/shell/process/process-identity.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { castLayout } from "../../src/shell/store/layout.ts";
import { scratchFolder } from "../harness/agents.ts";
import { claimIn, listCasts } from "../harness/journals.ts";
import { play } from "../harness/play.ts";
import { castFile, created, idOf } from "../harness/store/store-casts.ts";
import { TIME, graph, items, seat, workshop } from "../harness/seats.ts";

const { events } = await play(workshop(), {
  request: "Make it so.",
  says: { Plan: [items("a", "b")], Eval: ['{"satisfied":true}'] },
});
const line = (event: object): string => `${JSON.stringify(event)}\n`;
const lines = (some: readonly CastEvent[]): string => some.map(line).join("");
const last = events.at(-1);
const ended = last?.type === "cast_ended" ? last : undefined;
/** As far as Build of the first item. */
const begun = events.slice(
  0,
  events.findIndex((event) => event.type === "cursor_advanced"),
);

/** A folder of casts with these journals. */
function root(journals: Readonly<Record<string, string>>): string {
  const folder = scratchFolder();
  for (const [castId, journal] of Object.entries(journals)) {
    mkdirSync(join(folder, castId));
    writeFileSync(join(folder, castId, "journal.jsonl"), journal);
  }
  return folder;
}

const TOLD = {
  castId: "c-1",
  status: "completed",
  loadout: "Main",
  request: "Make it so.",
  startedAt: events[0]?.at,
  endedAt: ended?.at,
  visits: 6,
  items: { done: 2, total: 2 },
  tokens: 90,
  cost: ended?.totals.cost,
};

it("[C13] a cast that is over", async () => {
  expect(await listCasts(root({ "c-1": lines(events) }))).toEqual([{ ...TOLD, reason: "the graph reached its end" }]);
});

it("[C13] newest first, by id", async () => {
  const some = lines(events);
  const listed = await listCasts(
    root({ "20260101-000000-b": some, "20260101-000000-a": some, "20251231-235959-z": some }),
  );
  expect(listed.map(({ castId }) => castId)).toEqual(["20260101-000000-b", "20260101-000000-a", "20251231-235959-z"]);
});

it("[C13] no casts, and no folder for them", async () => {
  expect([await listCasts(scratchFolder()), await listCasts(join(scratchFolder(), "none"))]).toEqual([[], []]);
});

it("[C13] what is no cast is passed over", async () => {
  const folder = root({
    "c-1": lines(events),
    ".hidden": lines(events),
    empty: "",
    "not-json": "oops\n",
    "no-start": lines(events.slice(1)),
    "a b": lines(events),
  });
  writeFileSync(join(folder, "file"), "");
  mkdirSync(join(folder, "bare"));
  expect((await listCasts(folder)).map(({ castId }) => castId)).toEqual(["c-1"]);
});

const waiting = (await play(graph({ "Socket-1": seat("Talk") }))).events;
const failed = (await play(graph({ "Socket-1": seat("Build") }), { says: { Build: [{ fails: "no key" }] } })).events;
const unsatisfied = (await play(graph({ "Socket-1": seat("Eval") }), { says: { Eval: [{ satisfied: false }] } }))
  .events;
const raised = { seq: failed.length + 1, at: TIME, type: "limits_raised", allow: 1 };
const resumed = { seq: failed.length + 2, at: TIME, type: "cast_resumed", by: "recast" };

const again = { ...resumed };
const answered = { at: TIME, type: "person_answered", socket: "Socket-1", visit: 1, text: "yes" };
/** A cast that waited, and what came then. */
const wait = (...then: readonly (object | undefined)[]): string =>
  lines(waiting) + then.map((event, at) => line({ at: TIME, ...event, seq: waiting.length + at + 1 })).join("");

it.each<[rule: string, journal: string, status: string]>([
  ["[C13] completed", lines(events), "completed"],
  ["[C13] not satisfied", lines(unsatisfied), "not_satisfied"],
  ["[C13] failed", lines(failed), "failed"],
  ["[C13] waiting, though nobody drives it", lines(waiting), "waiting"],
  ["[J21] in the middle, and nobody drives it", lines(begun), "interrupted"],
  ["[J21] just begun, and nobody drives it", lines(events.slice(0, 1)), "interrupted"],
  ["[J21] failed, with a raised limit", `${lines(failed)}${line(raised)}`, "failed"],
  ["[J21] resumed, and nobody drives it", `${lines(failed)}${line(raised)}${line(resumed)}`, "interrupted"],
  ["[D19] resumed where it waited, and killed before the answer", wait(again), "waiting"],
  ["[D19] aborted where it waited, and resumed", wait(ended && { ...ended, outcome: "aborted" }, again), "waiting"],
  ["[D19] resumed where it waited, with a raised limit", wait({ ...raised }, again), "waiting"],
  ["[D19] answered where it waited", wait(again, answered), "interrupted"],
  [
    "[J21] nothing but its beginning and a resume",
    `${lines(events.slice(0, 1))}${line({ ...resumed, seq: 2 })}`,
    "interrupted",
  ],
  [
    "[J21] ended, the last line torn",
    `${lines(events.slice(0, -1))}${line(events.at(-1) ?? {}).slice(0, -1)}`,
    "interrupted",
  ],
])("%s", async (_rule, journal, status) => {
  expect((await listCasts(root({ "c-1": journal }))).map((cast) => cast.status)).toEqual([status]);
});

it("[J21] a cast runs as long as its process lives, and is interrupted at once when it is gone", async () => {
  const folder = root({ "c-1": lines(begun) });
  const mine = await claimIn(join(folder, "c-1"));
  expect(await listCasts(folder)).toEqual([
    {
      ...TOLD,
      status: "running",
      endedAt: null,
      visits: 3,
      items: { done: 0, total: 2 },
      tokens: 45,
      cost: 0.03,
      model: "test",
    },
  ]);
  if (mine.kind === "mine") mine.release();
  // [C57] Since its last event nobody has worked on it.
  expect((await listCasts(folder))[0]).toMatchObject({ status: "interrupted", idleSince: begun.at(-1)?.at });
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  writeFileSync(join(folder, "c-1", "owner", "2.json"), JSON.stringify({ ...thisProcess(), pid }));
  expect((await listCasts(folder))[0]?.status).toBe("interrupted");
});

it("[J21] a cast that ended is over, even while a process owns it", async () => {
  const folder = root({ "c-1": lines(events) });
  await claimIn(join(folder, "c-1"));
  expect((await listCasts(folder))[0]?.status).toBe("completed");
});

it("[C13] a listing reads the ends of a long journal, with long lines too", async () => {
  const long = { ...events[0], request: `long ${"ü".repeat(30_000)}` };
  const retried = {
    type: "turn_retried",
    socket: "Socket-1",
    visit: 1,
    attempt: 1,
    error: "😀".repeat(20),
    delayMs: 0,
  };
  const many = Array.from({ length: 5_000 }, (_, index) =>
    line({ seq: begun.length + index + 1, at: TIME, ...retried }),
  );
  const journal = `${line(long)}${lines(begun.slice(1))}${many.join("")}{"seq":9,"torn`;
  expect(await listCasts(root({ "c-1": journal }))).toEqual([
    {
      ...TOLD,
      status: "interrupted",
      request: long.request,
      endedAt: null,
      idleSince: TIME,
      visits: 3,
      items: { done: 0, total: 2 },
      tokens: 45,
      cost: 0.03,
      model: "test",
    },
  ]);
});

it("[D1, C13] a cast that was killed within its first line can be resumed, so it is listed", async () => {
  const folder = root({});
  const store = fileStore(folder);
  const owned = await created(store);
  writeFileSync(castLayout(folder, idOf("c-1")).journal, line(events[0] ?? {}).slice(0, 20));
  await owned.release();
  expect(await store.load(idOf("c-1"))).toMatchObject({ ok: true, value: { events: [], tornBytes: 20 } });
  expect((await listCasts(folder)).map(({ castId, status }) => [castId, status])).toEqual([["c-1", "interrupted"]]);
});

it("[C13] a rehearsal is listed as one, begun or not, and nothing else is", async () => {
  const folder = root({
    "c-1": lines(events),
    "c-2": `${line({ ...events[0], rehearsed: true })}${lines(events.slice(1))}`,
  });
  for (const [id, rehearsal] of Object.entries({ "c-3": "answers.json", "c-4": null })) {
    const made = await fileStore(folder).create({ file: { ...castFile(id), rehearsal } }, {});
    if (made.ok) await made.value.release();
  }
  expect((await listCasts(folder)).map(({ castId, rehearsed }) => [castId, rehearsed])).toEqual([
    ["c-4", undefined],
    ["c-3", true],
    ["c-2", true],
    ["c-1", undefined],
  ]);
});

it("[C13] one damaged cast does not hide the others", async () => {
  const folder = root({ "c-1": lines(events), "c-2": `${lines(events.slice(0, 3))}\0\0\0oops\n` });
  mkdirSync(join(folder, "c-3", "journal.jsonl"), { recursive: true });
  expect((await listCasts(folder)).map(({ castId, status }) => [castId, status])).toEqual([
    ["c-2", "interrupted"],
    ["c-1", "completed"],
  ]);
});

it("[J23] a folder of casts ignores itself; one that holds other files does not", async () => {
  const [own, shared] = [scratchFolder(), scratchFolder()];
  writeFileSync(join(shared, "notes.txt"), "mine");
  for (const folder of [own, shared]) await created(fileStore(folder));
  expect(readFileSync(join(own, ".gitignore"), "utf8")).toBe("*\n");
  expect(existsSync(join(shared, ".gitignore"))).toBe(false);
});
