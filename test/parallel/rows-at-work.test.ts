import { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import type { Io } from "../../src/apps/cli/terminal/io.ts";
import { openProgress } from "../../src/apps/cli/terminal/progress.ts";
import { buildTimeline } from "../../src/core/cast/timeline.ts";
import { lineText } from "../../src/core/view/line.ts";
import type { RunObserver } from "../../src/shell/context/run-context.ts";
import { castStartOf } from "../../src/shell/store/cast-file.ts";
import { itemsAtWork, watched, type AtWork } from "./harness/at-work.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

/** What hears of items that are at work, and what it shows. */
interface Face extends Required<Pick<RunObserver, "onItemSteps" | "onItemProgress" | "onItemQueued">> {
  readonly lines: () => readonly string[];
}

function rowsInPi(atWork: AtWork): Face {
  const { widgetContent: picture, ...heard } = watched(atWork);
  return { ...heard, lines: () => picture.lines(100).map(lineText) };
}

function rowsInTerminal({ file, events, steps }: AtWork): Face {
  let frame = "";
  const [env, cwd, stdin] = [{}, "/", Readable.from([])];
  const as = { live: true, canAsk: false, isTerminal: true, color: false, columns: () => 101, program: "materia" };
  const io: Io = { ...as, env, cwd, stdin, out: () => undefined, err: (text) => (frame = text) };
  const progress = openProgress(io, {}, () => buildTimeline(initialState(castStartOf(file)), events));
  onTestFinished(progress.stop);
  progress.onItemSteps?.(steps);
  return {
    onItemSteps: (more) => progress.onItemSteps?.(more),
    onItemProgress: (...heard) => progress.onItemProgress?.(...heard),
    onItemQueued: (state) => progress.onItemQueued?.(state),
    lines: () => {
      progress.onItemSteps?.([]);
      return frame.split("\n");
    },
  };
}

/** What all of it has used more than at first, and each of the two items, reply by reply. */
async function counted(open: (atWork: AtWork) => Face): Promise<readonly (readonly number[])[]> {
  const atWork = await itemsAtWork(["a small hut", "a garden"]);
  const face = open(atWork);
  const tokens = (): readonly number[] =>
    face.lines().flatMap((each) => {
      const [, count] = / · (\S+) tokens/.exec(each) ?? [];
      return count === undefined ? [] : [Number(count)];
    });
  const [hut, garden] = [1, 2].map((item) => {
    const found = atWork.steps.findLast(({ after }) => after.castId.endsWith(`_WI-${item}`));
    if (!found) throw new Error(`no step of item ${item}`);
    return found.after;
  });
  if (!hut || !garden) throw new Error("two items are at work");
  const [before = 0] = tokens();
  const more = (): readonly number[] => {
    const [total = 0, ...items] = tokens();
    return [total - before, ...items];
  };
  for (let piece = 0; piece < 100; piece += 1) face.onItemProgress({ kind: "text", delta: "four" }, hut);
  face.onItemProgress({ kind: "thinking", delta: "x".repeat(80) }, garden);
  const written = more();
  face.onItemProgress({ kind: "used", usage: { input: 200, output: 90, cost: 0 } }, hut);
  const told = more();
  face.onItemProgress({ kind: "text", delta: "x".repeat(40) }, hut);
  return [written, told, more()];
}

const COUNTED = [
  [120, 100, 20],
  [310, 290, 20],
  [320, 300, 20],
];

it("[V15, X40] in Pi the tokens of items count while their agents still write, each its own, and as the model tells them then", async () => {
  expect(await counted(rowsInPi)).toEqual(COUNTED);
});

it("[V15] and so they do in a terminal", async () => {
  expect(await counted(rowsInTerminal)).toEqual(COUNTED);
});

it.each([
  ["Pi", rowsInPi],
  ["a terminal", rowsInTerminal],
])("[B54] in %s an item without its worker waits for another until that writes an event", async (_where, open) => {
  const atWork = await itemsAtWork(["a small hut", "a garden"]);
  const face = open(atWork);
  const waiting = (): readonly string[] =>
    face.lines().flatMap((each) => / tokens {2}(.*) {2}waits for a worker$/.exec(each)?.[1] ?? []);
  expect(waiting()).toEqual([]);
  const last = atWork.steps.findLast(({ after }) => after.castId.endsWith("_WI-2"));
  if (!last) throw new Error("no step of item 2");
  face.onItemQueued(last.after);
  expect(waiting()).toEqual(["a garden"]);
  face.onItemSteps([last]);
  expect(waiting()).toEqual([]);
});
