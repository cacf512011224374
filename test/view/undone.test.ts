import { describe, expect, it } from "vitest";
import { totalsOf } from "../../src/core/cast/state/usage.ts";
import { castListLines } from "../../src/core/view/cast-list.ts";
import { boardLines, castBoard } from "../../src/core/view/progress/board.ts";
import { buildTimeline } from "../../src/core/cast/timeline.ts";
import { eventText } from "../../src/core/view/report/event-lines.ts";
import { storyLines } from "../../src/core/view/report/story.ts";
import { plainText } from "../../src/core/view/line.ts";
import { createPlayback } from "../../src/core/view/progress/playback.ts";
import { timelineRows } from "../../src/core/view/progress/timeline-rows.ts";
import { startedSummary } from "../../src/shell/store/summary.ts";
import { graphOf, handed, play, startOf, workItems, type Play } from "../harness/build.ts";
import { itemCounts } from "../../src/core/cast/summary.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const YES = handed({ satisfied: true });
const NO = handed({ satisfied: false, context: "$ npm test\nthe sum is wrong\n1 failed" });

/** Each item: Build, then Check, which sends it back once and then gives it up. */
const graph = graphOf(
  {
    entry: "Socket-1",
    sockets: {
      "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
      "Socket-2": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
      "Socket-3": {
        materia: "Check",
        parse: "json",
        advance: { when: "satisfied" },
        edges: [
          { when: "not_satisfied", to: "Socket-2", maxTraversals: 1, then: "next" },
          { when: "always", to: "Socket-2" },
        ],
      },
    },
    loops: { each: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" } } },
  },
  { Plan: { prompt: "x", generator: true }, Build: { prompt: "x" }, Check: { prompt: "x" } },
);

function cast(titles: readonly string[], checks: readonly ReturnType<typeof handed>[]): Play {
  return play(startOf(graph), { Plan: [workItems(...titles)], Build: checks.map(() => "built"), Check: checks });
}

const whole = cast(["add", "sum"], [YES, NO, NO]);

function boardText({ start, events }: Play): string {
  return plainText(boardLines(castBoard(buildTimeline(initialState(start), events), { now: 0 }), 100));
}

describe("[G31] an item that was given up", () => {
  it("[G31] is named in the story with its reason by lines, and is not counted as done", () => {
    const story = plainText(storyLines(whole.start, whole.events)).split("\n");
    expect(story[1]).toContain(" · 1 of 2 items done, 1 given up · ");
    expect(story).not.toContain("    all 2 items done");
    const from = story.indexOf('    item 2 of 2 given up, "sum":');
    expect(story.slice(from, from + 5)).toEqual([
      '    item 2 of 2 given up, "sum":',
      "    │ $ npm test",
      "    │ the sum is wrong",
      "    │ 1 failed",
      "    1 of 2 items done, 1 given up",
    ]);
  });

  it("[G31] has a separate cell on the board", () => {
    expect(boardText(whole)).toContain("■⊠ 1 of 2, 1 given up");
    expect(boardText(cast(["add", "sum", "last"], [NO, NO]))).toContain("⊠◧□ 0 of 3, 1 given up  item 2 of 3: sum");
  });

  it("[G31] has its part of the bar of a long list", () => {
    const titles = Array.from({ length: 48 }, (_, at) => `t${at}`);
    const long = cast(titles, [YES, YES, NO, NO, NO, NO]);
    expect(boardText(long)).toContain(`█▒◧${"░".repeat(21)} 2 of 48, 2 given up`);
  });

  it("[G31] is not told as done while the cast runs", () => {
    let state = initialState(whole.start);
    const told = whole.events.flatMap((event) => {
      const words = eventText(state, event);
      state = buildTimeline(initialState(whole.start), whole.events.slice(0, event.seq)).state;
      return words ? [words.text] : [];
    });
    expect(told.filter((text) => text.startsWith("item "))).toEqual([
      "item 1 of 2 done",
      'item 2 of 2 given up, "sum": $ npm test the sum is wrong 1 failed',
    ]);
  });

  it("[G31] stands in listings beside those that are done", async () => {
    const [first] = whole.events;
    const ends = { ...(first ? { first } : {}), last: whole.events, unread: 0 };
    const summary = await startedSummary(whole.state.castId, ends, () => Promise.resolve(false));
    expect(summary?.items).toEqual({ done: 1, total: 2, givenUp: 1 });
    expect(itemCounts(totalsOf(whole.state))).toEqual(summary?.items);
    expect(plainText(castListLines(summary ? [summary] : [], { now: 0 }))).toContain("1 of 2, 1 given up");
  });

  it("[G31] is marked in its row of the timeline", () => {
    const replay = createPlayback(whole.start);
    for (const event of whole.events) replay.push(event);
    const rows = timelineRows(replay.visitsAt(replay.lastSeq()));
    expect(rows.map(({ title, givenUp }) => [title, givenUp])).toEqual([
      ["Before the loop", null],
      ["add", null],
      ["sum", "$ npm test\nthe sum is wrong\n1 failed"],
    ]);
  });
});

it("[C15] a long reason of a failure shows its first and its last lines", () => {
  const message = ["node check.mjs exited with 1", "", ...Array.from({ length: 20 }, (_, at) => `at ${at}`)];
  const failed = {
    kind: "failed",
    reason: "exit",
    message: message.join("\n"),
    usage: { input: 0, output: 0, cost: 0 },
  } as const;
  const { start, events } = play(startOf(graph), { Plan: [failed] });
  const story = plainText(storyLines(start, events)).split("\n");
  const from = story.indexOf("    failed (exit):");
  expect(story.slice(from + 1, from + 10)).toEqual([
    "    │ node check.mjs exited with 1",
    "    │ at 0",
    "    │ at 1",
    "    │ … 13 more lines",
    ...["at 15", "at 16", "at 17", "at 18", "at 19"].map((text) => `    │ ${text}`),
  ]);
});
