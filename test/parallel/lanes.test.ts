import { expect, it } from "vitest";
import { boardLines, castBoard } from "../../src/core/view/progress/board.ts";
import { plainText } from "../../src/core/view/line.ts";
import { createPlayback, type CastPlayback } from "../../src/core/view/progress/playback.ts";
import { pendingItems, timelineRows, itemTimelines } from "../../src/core/view/progress/timeline-rows.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import type { CastStore } from "../../src/shell/store/cast-store.ts";
import { castStartOf } from "../../src/shell/store/cast-file.ts";
import { castIn, repositoryWith, writeFiles, type Setting } from "./harness/repository.ts";

async function replayed(setting: Setting) {
  const { store, castId } = await castIn(setting);
  const replay = await playbackOf(store, castId);
  return { store, castId, replay, ...itemTimelines(replay.events(), replay.workedAt) };
}

async function playbackOf(store: CastStore, castId: CastId): Promise<CastPlayback> {
  const cast = await store.load(castId);
  if (!cast.ok) throw new Error(JSON.stringify(cast.issues));
  const replay = createPlayback(castStartOf(cast.value.file));
  for (const event of cast.value.events) replay.push(event);
  return replay;
}

it("[V23] each item has a lane: its attempts as long as they took, its conflicts and its merge", async () => {
  const cwd = repositoryWith({ "same.txt": "before\n" });
  const {
    castId,
    replay,
    items: lanes,
  } = await replayed({
    cwd,
    titles: ["a", "b"],
    doing: {
      "WI-1": ({ cwd: tree }) => writeFiles(tree, { "same.txt": "one\n" }),
      "WI-2": ({ cwd: tree }) => writeFiles(tree, { "same.txt": "two\n" }),
      "WI-2.2": ({ cwd: tree }) => writeFiles(tree, { "same.txt": "one\ntwo\n" }),
    },
  });
  expect(lanes).toMatchObject([
    { number: 1, title: "a", attempts: [{ child: `${castId}_1_WI-1`, outcome: "done" }], marks: [{ kind: "merged" }] },
    {
      number: 2,
      title: "b",
      attempts: [{ child: `${castId}_1_WI-2`, outcome: "done" }, { outcome: "done" }],
      marks: [{ kind: "conflicted", what: "same.txt" }, { kind: "merged" }],
    },
  ]);
  const times = lanes.flatMap(({ attempts }) => attempts.map(({ from, to }) => [from, to ?? -1] as const));
  for (const [from, to] of times)
    expect([0 <= from, from <= to, to <= replay.workedAt(replay.lastSeq())]).toEqual([true, true, true]);
});

it("[V23] visits before and after parallel items are in separate rows", async () => {
  const { replay, items: lanes, parallelStarts: forked } = await replayed({ cwd: repositoryWith({}), titles: ["a"] });
  const rows = timelineRows(replay.visitsAt(replay.lastSeq()), forked);
  expect(
    rows.map(({ title, parallelRunsBefore: forks, visits }) => [title, forks, visits.map(({ socket }) => socket)]),
  ).toEqual([
    ["Before the loop", 0, ["Socket-1"]],
    ["After the loop", 1, ["Socket-5"]],
  ]);
  expect(lanes.map(({ parallelRun: fork }) => fork)).toEqual([1]);
});

it("[W8] items to come are those without a row", async () => {
  const { replay } = await replayed({ cwd: repositoryWith({}), titles: ["a", "b", "c"], lanes: 2 });
  const events = replay.events();
  const started = events.filter(({ type }) => type === "item_started");
  const seen = started.map(({ seq }) => {
    const { items: lanes } = itemTimelines(events.slice(0, seq), replay.workedAt);
    return pendingItems(replay.timelineAt(seq).state.pass, replay.visitsAt(seq), lanes);
  });
  expect(seen).toEqual([{ first: 2, last: 3, count: 2 }, { first: 3, last: 3, count: 1 }, null]);
});

it("[W8] the cast of one item has no items to come", async () => {
  const { store, items } = await replayed({ cwd: repositoryWith({}), titles: ["a", "b", "c"] });
  const [child] = items.flatMap(({ attempts }) => attempts.map((attempt) => attempt.child));
  if (child === undefined) throw new Error("no item has started");
  const replay = await playbackOf(store, child);
  const seen = replay
    .events()
    .filter(({ type }) => type === "visit_started")
    .map(({ seq }) => pendingItems(replay.timelineAt(seq).state.pass, replay.visitsAt(seq), []));
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.filter((pending) => pending !== null)).toEqual([]);
});

it("[V25] while items are at work the board says how many, and names no visit", async () => {
  const { replay } = await replayed({ cwd: repositoryWith({}), titles: ["a", "b", "c"], lanes: 2 });
  const started = replay.events().filter(({ type }) => type === "item_started");
  const seen = started.map(({ seq }) => {
    const board = castBoard(replay.timelineAt(seq), { now: 0 });
    const words = plainText(boardLines(board)).split("\n");
    return [board.item, words.find((each) => each.startsWith("Loop "))];
  });
  expect(seen).toEqual([
    [null, "Loop each  1 item at work"],
    [null, "Loop each  2 items at work"],
    [null, "Loop each  2 items at work"],
  ]);
});
