import { describe, expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import { totalTokens } from "../../src/core/cast/state/usage.ts";
import { drawnLinesOf } from "../../src/core/view/layout/routes.ts";
import { costTable, pendingItems, timelineRows } from "../../src/core/view/progress/timeline-rows.ts";
import { groupCasts, matchesSearch, sortCasts, type CastFilter, type CastSort } from "../../src/core/view/cast-list.ts";
import { createPlayback, type CastPlayback } from "../../src/core/view/progress/playback.ts";
import { currentRework } from "../../src/core/view/progress/cast-path.ts";
import { fullAuto, graphOf, handed, play, playOn, startOf, workItems, type Play } from "../harness/build.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import type { JournalEnds } from "../../src/shell/store/cast-store.ts";
import { startedSummary } from "../../src/shell/store/summary.ts";
import type { CastSummary } from "../../src/core/cast/summary.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const REPLIES = {
  "Ignore-Artifacts": [handed({})],
  "Detect-VCS": [handed({})],
  "Auto-Plan": [workItems("a", "b")],
  Build: ["built", "mended", "built"],
  "Auto-Eval": [
    handed({ satisfied: false, context: "no test" }),
    handed({ satisfied: true }),
    handed({ satisfied: true }),
  ],
  Maintain: ["tidy", "tidy"],
  Narrate: ["told"],
};

function replayed({ start, events }: Play): CastPlayback {
  const replay = createPlayback(start);
  for (const event of events) replay.push(event);
  return replay;
}

const whole = play(startOf(fullAuto()), REPLIES);
const all = whole.events.length;

function visitsOf(replay: CastPlayback, seq = replay.lastSeq()): readonly string[] {
  return replay
    .visitsAt(seq)
    .map(({ materia, visit, item, outcome }) => `${materia} ${visit} ${item?.title ?? "-"} ${outcome}`);
}

describe("a cast seen again", () => {
  it("[W6] after every event it is the fold of the events so far", () => {
    const replay = replayed(whole);
    let state = initialState(whole.start);
    for (const event of whole.events) {
      state = apply(state, event);
      expect(replay.timelineAt(event.seq).state).toEqual(state);
      const shorter = replayed({ ...whole, events: whole.events.slice(0, event.seq) });
      expect(replay.visitsAt(event.seq)).toEqual(shorter.visitsAt(event.seq));
      expect(replay.waysTakenAt(event.seq)).toEqual(shorter.waysTakenAt(event.seq));
    }
  });

  it("[W6] an event that is known, or that does not follow, is passed over", () => {
    const replay = replayed(whole);
    const [first] = whole.events;
    if (first) replay.push(first);
    expect(replay.lastSeq()).toBe(all);
  });

  it("[W6] any of 10,000 events is reached, and is what folding up to it gives", () => {
    const items = Array.from({ length: 850 }, (_, index) => `item ${index}`);
    const long = play(startOf(fullAuto()), {
      ...REPLIES,
      "Auto-Plan": [workItems(...items)],
      Build: items.map(() => "built"),
      "Auto-Eval": items.map(() => handed({ satisfied: true })),
      Maintain: items.map(() => "tidy"),
    });
    expect(long.events.length).toBeGreaterThan(10_000);
    const replay = replayed(long);
    for (const seq of [1, 2, 4_999, 9_890, 9_990]) {
      const folded = long.events.slice(0, seq).reduce(apply, initialState(long.start));
      expect(replay.timelineAt(seq).state).toEqual(folded);
    }
  });

  it("[W7] every visit with its item and its outcome", () => {
    expect(visitsOf(replayed(whole))).toEqual([
      "Ignore-Artifacts 1 - done",
      "Detect-VCS 1 - done",
      "Auto-Plan 1 - done",
      "Build 1 a done",
      "Auto-Eval 1 a not_satisfied",
      "Build 2 a done",
      "Auto-Eval 2 a satisfied",
      "Maintain 1 a done",
      "Build 3 b done",
      "Auto-Eval 3 b satisfied",
      "Maintain 2 b done",
      "Narrate 1 - done",
    ]);
  });

  it("[W7] how it came there, how it left, why it is done again, and what it took", () => {
    const mended = replayed(whole).visitsAt(all)[5];
    const event = (seq: number | null | undefined) => whole.events[(seq ?? 0) - 1];
    expect(event(mended?.cameBy)).toMatchObject({ type: "edge_taken", from: "Socket-5", when: "not_satisfied" });
    expect(event(mended?.leftBy)).toMatchObject({ type: "edge_taken", from: "Socket-4", when: "always" });
    expect(mended).toMatchObject({
      reasons: [{ socket: "Socket-5", materia: "Auto-Eval", text: "no test" }],
      usage: { input: 1000, output: 200, cost: 0.01 },
      to: (mended?.from ?? 0) + 2000,
    });
  });

  it("[W7] running, waiting and aborted; a resumed cast goes on with the same visit", () => {
    const graph = graphOf(
      { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } },
      { Ask: { prompt: "Ask.", interactive: true } },
    );
    const waiting = play(startOf(graph), { Ask: ["What colour?"] });
    expect(visitsOf(replayed(waiting))).toEqual(["Ask 1 - waiting"]);
    const answered = playOn(waiting, [{ type: "person_answered", ...placeOf(waiting), text: "blue" }]);
    expect(visitsOf(replayed(answered))).toEqual(["Ask 1 - running"]);
    const aborted = playOn(answered, [{ type: "cast_ended", outcome: "aborted", reason: "stop", totals: TOTALS }]);
    expect(visitsOf(replayed(aborted))).toEqual(["Ask 1 - aborted"]);
    const resumed = playOn(aborted, [{ type: "cast_resumed", by: "recast" }]);
    expect(visitsOf(replayed(resumed))).toEqual(["Ask 1 - running"]);
  });

  it("[W7] rework shows its limit while the item is current", () => {
    const replay = replayed(whole);
    const at = (type: string, from: string): number =>
      whole.events.find((event) => event.type === type && "from" in event && event.from === from)?.seq ?? 0;
    expect(currentRework(replay.timelineAt(at("edge_taken", "Socket-5")).state)).toEqual({ taken: 1, of: 3 });
    expect(currentRework(replay.timelineAt(all).state)).toBeNull();
  });

  it("[W8] one row per item, and those before and after the loop", () => {
    const rows = timelineRows(replayed(whole).visitsAt(all));
    expect(rows.map(({ number, title, visits }) => `${number ?? "-"} ${title} ${visits.length}`)).toEqual([
      "- Before the loop 3",
      "1 a 5",
      "2 b 3",
      "- After the loop 1",
    ]);
  });

  it("[W8] items to come are one row; a cast without items is one row", () => {
    const replay = replayed(whole);
    const building =
      whole.events.find((event) => event.type === "visit_started" && event.socket === "Socket-4")?.seq ?? 0;
    expect(pendingItems(replay.timelineAt(building).state.pass, replay.visitsAt(building), [])).toEqual({
      first: 2,
      last: 2,
      count: 1,
    });
    expect(pendingItems(replay.timelineAt(all).state.pass, replay.visitsAt(all), [])).toBeNull();
    const plain = play(startOf(graphOf({ entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } })), {
      Build: ["built"],
    });
    expect(timelineRows(replayed(plain).visitsAt(99)).map(({ title }) => title)).toEqual(["The whole cast"]);
  });

  it("[W9] lines and columns add up to what the cast took", () => {
    const table = costTable(timelineRows(replayed(whole).visitsAt(all)));
    expect(table.columns.map(({ title }) => title)).toEqual(["Before", "Item 1", "Item 2", "After"]);
    expect(
      table.lines.map(
        ({ materia, cells }) => `${materia} ${cells.map((cell) => (cell ? totalTokens(cell) : "")).join("|")}`,
      ),
    ).toEqual([
      "Auto-Plan 1200|||",
      "Build |2400|1200|",
      "Auto-Eval |2400|1200|",
      "Maintain |1200|1200|",
      "Narrate |||1200",
    ]);
    expect(totalTokens(table.total)).toBe(totalTokens(whole.state.usage));
    expect(table.total.cost).toBeCloseTo(whole.state.usage.cost);
  });

  it("[W10] every way that was walked has the id of a way that is drawn", () => {
    const empty = play(startOf(fullAuto()), { ...REPLIES, "Auto-Plan": [workItems()] });
    const drawn = new Set(drawnLinesOf(fullAuto()).map(({ id }) => id));
    for (const cast of [whole, empty]) {
      const taken = replayed(cast)
        .waysTakenAt(999)
        .map(({ id }) => id);
      expect(taken.filter((id) => !drawn.has(id))).toEqual([]);
      expect(taken).toContain("loop-exit:workItemIteration:done");
    }
    expect(
      replayed(whole)
        .waysTakenAt(all)
        .map(({ id }) => id),
    ).toEqual([
      "edge:Socket-1:1",
      "edge:Socket-2:1",
      "edge:Socket-3:1",
      "edge:Socket-4:1",
      "edge:Socket-5:2",
      "edge:Socket-4:1",
      "edge:Socket-5:1",
      "edge:Socket-6:1",
      "edge:Socket-4:1",
      "edge:Socket-5:1",
      "loop-exit:workItemIteration:done",
      "edge:Socket-7:1",
    ]);
  });
});

const TOTALS = { visits: 0, itemsDone: 0, items: 0, tokens: 0, cost: 0 };

function placeOf({ state }: Play) {
  if (state.phase.kind !== "waiting") throw new Error("nothing waits");
  return { socket: state.phase.visit.socket, visit: state.phase.visit.number };
}

function summary(
  castId: string,
  status: CastSummary["status"],
  day: string,
  part: Partial<CastSummary> = {},
): CastSummary {
  return {
    castId,
    status,
    loadout: "Full-Auto",
    request: `do ${castId}`,
    startedAt: day,
    endedAt: null,
    visits: 0,
    items: { done: 0, total: 0 },
    tokens: 0,
    cost: 0,
    ...part,
  };
}

const LIST = [
  summary("e", "running", "Today"),
  summary("d", "completed", "Today"),
  summary("c", "waiting", "Yesterday"),
  summary("b", "not_satisfied", "Yesterday", { loadout: "Docs", request: "Bring the API in line" }),
  summary("a", "failed", "Monday"),
];

describe("a list of casts", () => {
  it("[W11] what needs a person, what runs, then by day", () => {
    const groups = groupCasts(LIST, (at) => at);
    expect(groups.map(({ title, casts }) => `${title}: ${casts.map(({ castId }) => castId).join("")}`)).toEqual([
      "Needs you: c",
      "Running: e",
      "Failed or interrupted: a",
      "Today: d",
      "Yesterday: b",
    ]);
  });

  it("[W11] rehearsals of the past are folded, unless there is nothing else", () => {
    const rehearsed = LIST.map((cast) => ({ ...cast, castId: `r${cast.castId}`, rehearsed: true as const }));
    const groups = groupCasts([...LIST, ...rehearsed], (at) => at);
    expect(groups.at(-1)).toMatchObject({ title: "Rehearsals", isFolded: true, casts: [{}, {}, {}] });
    expect(groupCasts(rehearsed, (at) => at).map(({ isFolded }) => isFolded)).not.toContain(true);
  });

  it("[W46, C36] a listed cast has the model that answered last", async () => {
    const first = { seq: 1, at: "2026-01-01T00:00:00.000Z", type: "cast_started", loadout: "Main", request: "x" };
    const said = (seq: number, model: string) => ({ seq, at: first.at, type: "turn_answered", model });
    const last = [said(2, "a/first"), said(3, "b/second")] as readonly object[];
    const summary = await startedSummary("c" as CastId, { first, last } as JournalEnds, () => Promise.resolve(true));
    expect(summary?.model).toBe("b/second");
    const rehearsed = { first: { ...first, rehearsed: true }, last } as JournalEnds;
    expect(await startedSummary("c" as CastId, rehearsed, () => Promise.resolve(true))).not.toHaveProperty("model");
  });

  it("[W46] a list is sorted by any column, either way", () => {
    const by = (sort: CastSort) => sortCasts(LIST, sort, 0).map(({ castId }) => castId);
    expect(by({ by: "request", isDescending: false })[0]).toBe("b");
    expect(by({ by: "status", isDescending: true })).toEqual(["c", "e", "b", "a", "d"]);
  });

  it.each<[rule: string, filter: CastFilter, text: string, loadout: string | null, found: string]>([
    ["[W11] everything", "all", "", null, "edcbai"],
    ["[W11] what needs a person", "needs_you", "", null, "c"],
    ["[W11] one status", "not_satisfied", "", null, "b"],
    ["[W11] words in any order and case", "all", "line api", null, "b"],
    ["[W11] one loadout", "all", "", "Full-Auto", "edcai"],
    ["[W11] nothing", "aborted", "", null, ""],
    ["[W11] what was interrupted", "interrupted", "", null, "i"],
  ])("%s", (_rule, filter, text, loadout, found) => {
    expect(
      [...LIST, summary("i", "interrupted", "Monday")]
        .filter((cast) => matchesSearch(cast, { filter, text, loadout }))
        .map(({ castId }) => castId)
        .join(""),
    ).toBe(found);
  });
});
