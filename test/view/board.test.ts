import { describe, expect, it } from "vitest";
import { boardLines, castBoard, type BoardOptions } from "../../src/core/view/progress/board.ts";
import { buildTimeline } from "../../src/core/cast/timeline.ts";
import { truncate, truncateStart, withoutCutMarks } from "../../src/core/model/text.ts";
import { lineColumns, plainText } from "../../src/core/view/line.ts";
import {
  STARTED_AT,
  emptyGraph,
  fullAuto,
  graphOf,
  handed,
  play,
  playOn,
  startOf,
  workItems,
  type Play,
  type PlayedReplies,
} from "../harness/build.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const READY = { "Ignore-Artifacts": [handed({})], "Detect-VCS": [handed({})] };
const NO = handed({ satisfied: false, context: "no test" });
const YES = handed({ satisfied: true });

/** Five seconds after the last event. */
function board({ start, events }: Play, options: Partial<BoardOptions> = {}) {
  return castBoard(buildTimeline(initialState(start), events), {
    now: STARTED_AT + (events.length + 4) * 1000,
    ...options,
  });
}

function lines(cast: Play, width = 90): readonly string[] {
  return plainText(boardLines(board(cast), width)).split("\n");
}

function cast(titles: readonly string[], replies: Readonly<Record<string, readonly PlayedReplies[]>>): Play {
  return play(startOf(fullAuto()), { ...READY, "Auto-Plan": [workItems(...titles)], ...replies });
}

it("[W15] a reason that was cut ends with an ellipsis, wherever it was cut", () => {
  const long = handed({ satisfied: false, context: "no test. ".repeat(400) });
  const never = cast(["a"], { Build: ["a", "b", "c", "d"], "Auto-Eval": [long, long, long, long] });
  const { reason } = board(never);
  expect(reason).toMatch(/no test\. no/);
  expect(reason).toMatch(/…$/);
  expect(reason).not.toContain("[cut");
  expect(withoutCutMarks(`${truncateStart("x".repeat(99), 60)} and ${truncate("y".repeat(9), 3)}`)).toMatch(
    /^…x+ and yyy…$/,
  );
});

describe("[C14] where a cast stands", () => {
  const running = cast(["Parse", "Greet", "Tell"], {
    Build: ["a", "b", "c"],
    "Auto-Eval": [NO, YES],
    Maintain: ["tidy"],
  });

  it("position, item, figures and last event while it runs", () => {
    expect(lines(running)).toEqual([
      "◔ running  Full-Auto  cast-1",
      "0:44 · 9 visits · 8.4 k tokens · $0.07",
      "Add a greeting",
      "✓ Ignore-Artifacts ✓ Detect-VCS ✓ Auto-Plan ✓ Build ▸ Auto-Eval · Maintain · Narrate",
      "▣◧□ 1 of 3  item 2 of 3: Greet",
      "Auto-Eval (Socket-5)  visit 3 · 5.0 s",
      "5 s ago: Auto-Eval (Socket-5) visit 3, item 2 of 3: Greet",
      "materia abort cast-1  stop it",
    ]);
  });

  it("[T37] the time between a cast and its fork is no working time", () => {
    const { events } = running;
    const [shared, day] = [10, 24 * 3_600_000];
    const later = (at: string) => new Date(Date.parse(at) + day).toISOString();
    const forkedFrom = { castId: running.start.castId, visit: "Socket-4#1", at: later(events[shared]?.at ?? "") };
    const forked = events.map((event, index) => ({
      ...event,
      ...(event.type === "cast_started" ? { forkedFrom } : {}),
      at: index < shared ? event.at : later(event.at),
    }));
    const now = STARTED_AT + day + (events.length + 4) * 1000;
    // A second lies between any two events; the one in which the fork began is none of work.
    expect(board({ ...running, events: forked }, { now }).elapsedMs).toBe(board(running).elapsedMs - 1000);
  });

  it("the same as a value", () => {
    const { path, next, walk, ...facts } = board(running);
    expect(facts).toEqual({
      castId: "cast-1",
      status: "running",
      loadout: "Full-Auto",
      request: "Add a greeting",
      position: { socket: "Socket-5", materia: "Auto-Eval", visit: 3, ms: 5000 },
      item: { number: 2, of: 3, title: "Greet" },
      items: { done: 1, total: 3 },
      visits: 9,
      tokens: 8400,
      cost: expect.closeTo(0.07),
      elapsedMs: 44_000,
      waitsMs: 0,
      last: { text: "Auto-Eval (Socket-5) visit 3, item 2 of 3: Greet", ageMs: 5000 },
      reason: null,
      limit: null,
      asleep: null,
      question: null,
    });
    expect(walk).toEqual({ done: 1, size: 3, reworked: [0], givenUp: { count: 0, at: [] }, current: "current" });
    expect(path.stops.map(({ materia, mark }) => `${materia} ${mark}`).slice(3)).toEqual([
      "Build visited",
      "Auto-Eval here",
      "Maintain to_come",
      "Narrate to_come",
    ]);
    expect(next).toEqual([{ command: "materia abort cast-1", does: "stop it" }]);
  });

  it("a process that is gone stands still at its last event", () => {
    expect(board(running, { alive: false, now: STARTED_AT + 1e9 })).toMatchObject({
      status: "interrupted",
      elapsedMs: 39_000,
      position: { ms: 0 },
      next: [{ command: "materia recast cast-1" }],
    });
  });

  it("a limit: the item that failed, the reason, the way out", () => {
    const failed = cast(["Parse", "Greet"], { Build: ["a", "b", "c", "d"], "Auto-Eval": [NO, NO, NO, NO] });
    expect(lines(failed).slice(3)).toEqual([
      "✓ Ignore-Artifacts ✓ Detect-VCS ✓ Auto-Plan ✓ Build ✕ Auto-Eval · Maintain · Narrate",
      "▨□ 0 of 2  item 1 of 2: Parse",
      "Auto-Eval (Socket-5)  visit 4 · 4.0 s",
      'the edge Socket-5 → Socket-4 for the item "Parse" was taken 3 of 3 times; last reason: no',
      "test",
      "materia recast cast-1 --allow 1  allow this edge once more and go on",
      "materia recast cast-1 --hint <words>  the same, with a hint",
      "materia recast cast-1 --accept  accept it as it is and go on",
      "materia recast cast-1 --next  give the item up and go on with the next",
    ]);
    expect(board(failed).limit).toBe("maxTraversals");
  });

  it("a person: what is asked, and how to answer", () => {
    const graph = graphOf(
      { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } },
      { Ask: { prompt: "x", interactive: true } },
    );
    const waiting = play(startOf(graph), { Ask: ["Which one,\nA or B?"] });
    expect(lines(waiting).slice(3)).toEqual([
      "‖ Ask",
      "Ask (Socket-1)  visit 1 · 2.0 s  waiting for you",
      "5 s ago: Ask (Socket-1) waits for a person",
      "Which one,",
      "A or B?",
      "materia continue cast-1 <message>  answer",
      "materia continue cast-1  take the result and go on",
    ]);
    // [C57] Its wait is no work.
    expect(lines(waiting)[1]).toContain("3.0 s · waits 5.0 s · ");
    const going = playOn(waiting, [{ type: "person_answered", socket: graph.entry, visit: 1, text: "B" }]);
    expect(board(going)).toMatchObject({ status: "running", question: null, elapsedMs: 8000 });
  });

  it("a chain and the cast it continues", () => {
    const lineage = { targets: ["Check", "Build"], fromCastId: "cast-0" };
    expect(board(running, { lineage }).loadout).toBe("linked: Check → Build, continued from cast-0");
  });

  it("a cast that has not begun, and one without sockets", () => {
    const unstarted = { start: startOf(fullAuto()), events: [], state: initialState(startOf(fullAuto())) };
    expect(board(unstarted)).toMatchObject({ position: null, item: null, walk: null, elapsedMs: 0, last: null });
    const empty = startOf(emptyGraph());
    expect(lines({ start: empty, events: [], state: initialState(empty) })).toContain("Add a greeting");
  });
});

describe("[C14] items as cells", () => {
  it.each<[size: number, done: number, line: string]>([
    [3, 3, "■■■ 3 of 3"],
    [24, 2, `■■◧${"□".repeat(21)} 2 of 24  item 3 of 24: t`],
    [25, 0, `◧${"░".repeat(23)} 0 of 25  item 1 of 25: t`],
    [100, 50, `${"█".repeat(12)}◧${"░".repeat(11)} 50 of 100  item 51 of 100: t`],
    [100, 100, `${"█".repeat(24)} 100 of 100`],
  ])("%i items, %i done", (size, done, line) => {
    const titles = Array.from({ length: size }, () => "t");
    const many = (reply: PlayedReplies) => Array.from({ length: done }, () => reply);
    const at = cast(titles, { Build: many("x"), "Auto-Eval": many(YES), Maintain: many("x") });
    expect(lines(at)[4]).toBe(line);
  });

  it("a second list begins anew, and both count in all", () => {
    const graph = graphOf(
      {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-2": { materia: "Build", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-3": {
            materia: "Judge",
            parse: "json",
            edges: [
              { when: "not_satisfied", to: "Socket-1", maxTraversals: 1 },
              { when: "satisfied", to: "end" },
            ],
          },
        },
        loops: {
          each: {
            sockets: ["Socket-2"],
            consumes: { from: "Socket-1", output: "workItems" },
            exits: [{ id: "x", from: "Socket-2", condition: "always", targetSocketId: "Socket-3" }],
          },
        },
      },
      { Plan: { prompt: "x", generator: true } },
    );
    const second = play(startOf(graph), {
      Plan: [workItems("a", "b"), workItems("c")],
      Build: ["x", "x"],
      Judge: [NO],
    });
    expect(lines(second)[4]).toBe("◧ 0 of 1 (2 of 3 in all)  item 1 of 1: c");
  });
});

describe("[C14] the position in a large graph", () => {
  const sockets = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `Socket-${index + 1}`,
      {
        materia: `M${index + 1}`,
        edges: index === 299 ? [] : [{ when: "always" as const, to: `Socket-${index + 2}` }],
      },
    ]),
  );
  const start = startOf(graphOf({ entry: "Socket-1", sockets }));
  const after = (visits: number) =>
    play(start, Object.fromEntries(Array.from({ length: visits }, (_, index) => [`M${index + 1}`, ["x"]])));

  it.each<[number, string]>([
    [0, "▸ M1 · M2 · M3 · M4 · M5 …"],
    [149, "… ✓ M149 ▸ M150 · M151 · M152 …"],
    [299, "… ✓ M297 ✓ M298 ✓ M299 ▸ M300"],
    [300, "… ✓ M297 ✓ M298 ✓ M299 ✓ M300"],
  ])("after %i visits", (visits, line) => expect(lines(after(visits), 31)[3]).toBe(line));

  it("every line keeps within the width", () => {
    const at = board(after(100));
    for (const width of [1, 10, 40, 80, 200]) {
      expect(Math.max(...boardLines(at, width).map(lineColumns))).toBeLessThanOrEqual(width);
    }
  });
});
