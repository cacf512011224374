import { describe, expect, it } from "vitest";
import { castListLines } from "../../src/core/view/cast-list.ts";
import { lineColumns, plainText } from "../../src/core/view/line.ts";
import { fullAuto, graphOf, handed, play, startOf } from "../harness/build.ts";
import { castStatus, type CastSummary } from "../../src/core/cast/summary.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const NOW = Date.parse("2026-01-14T12:34:00Z");

function summary(part: Partial<CastSummary>): CastSummary {
  return {
    castId: "cast-1",
    status: "completed",
    loadout: "Full-Auto",
    request: "Add a greeting",
    startedAt: "2026-01-14T12:00:00Z",
    endedAt: null,
    visits: 3,
    items: { done: 1, total: 3 },
    tokens: 1_520_000,
    cost: 3.84,
    ...part,
  };
}

describe("[C13] the listing of casts", () => {
  it("one aligned row each, every status with its glyph", () => {
    const casts = [
      summary({ status: "running" }),
      summary({ castId: "cast-22", status: "waiting", request: "one\n two" }),
      summary({ status: "not_satisfied", items: { done: 0, total: 0 } }),
      summary({ status: "failed", startedAt: "2026-01-10T12:00:00Z" }),
      summary({ status: "aborted", loadout: "Context-Check → Planning-Consult → Build" }),
      summary({ status: "interrupted", startedAt: "never" }),
      summary({}),
    ];
    expect(plainText(castListLines(casts, { now: NOW })).split("\n")).toEqual([
      "status           cast     items   started     loadout           request",
      "◔ running        cast-1   1 of 3  34 min ago  Full-Auto         Add a greeting",
      "‖ waiting        cast-22  1 of 3  34 min ago  Full-Auto         one two",
      "⊖ not satisfied  cast-1           34 min ago  Full-Auto         Add a greeting",
      "✕ failed         cast-1   1 of 3  4 days ago  Full-Auto         Add a greeting",
      "■ aborted        cast-1   1 of 3  34 min ago  Context-Check →…  Add a greeting",
      "╌ interrupted    cast-1   1 of 3  0 s ago     Full-Auto         Add a greeting",
      "✓ completed      cast-1   1 of 3  34 min ago  Full-Auto         Add a greeting",
    ]);
  });

  it("tokens and cost where there is room", () => {
    expect(plainText(castListLines([summary({})], { now: NOW, width: 120 })).split("\n")).toEqual([
      "status       cast    items   time   tokens  cost   started     loadout    request",
      "✓ completed  cast-1  1 of 3  34:00  1.52 M  $3.84  34 min ago  Full-Auto  Add a greeting",
    ]);
  });

  it("[C57] the time of work, and apart from it how long a cast waits", () => {
    const timeOf = (part: Partial<CastSummary>): string | undefined =>
      /1 of 3  (.*?)  1\.52 M/.exec(plainText(castListLines([summary(part)], { now: NOW, width: 160 })))?.[1];
    const [startedAt, idleSince] = ["2026-01-14T12:00:00Z", "2026-01-14T12:04:10Z"];
    expect([
      timeOf({ status: "running" }),
      timeOf({ status: "waiting", idleSince }),
      timeOf({ status: "paused", idleSince }),
      timeOf({ status: "interrupted", idleSince }),
      timeOf({ endedAt: "2026-01-14T12:00:00.450Z", startedAt }),
    ]).toEqual(["34:00", "4:10 · waits 29:50", "4:10 · waits 29:50", "4:10", "0.4 s"]);
  });

  it("within any width", () => {
    const casts = [summary({ castId: "c".repeat(200), request: "漢字 ".repeat(100), loadout: "👩‍👩‍👧 ".repeat(20) })];
    for (const width of [1, 20, 80, 200]) {
      expect(Math.max(...castListLines(casts, { now: NOW, width }).map(lineColumns))).toBeLessThanOrEqual(width);
    }
  });

  it("no casts: one sentence and one way on", () => {
    expect(plainText(castListLines([], { now: NOW }))).toBe(
      "No casts yet. Start one, or run the demo: it needs no model.",
    );
  });
});

describe("[C13] the status of a cast", () => {
  const graph = graphOf({ entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask", parse: "json" } } });
  const asking = graphOf(
    { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } },
    { Ask: { prompt: "x", interactive: true } },
  );

  it.each<[string, ReturnType<typeof initialState>, boolean]>([
    ["running", initialState(startOf(fullAuto())), true],
    ["interrupted", initialState(startOf(fullAuto())), false],
    ["waiting", play(startOf(asking), { Ask: ["?"] }).state, false],
    ["completed", play(startOf(graph), { Ask: [handed({})] }).state, false],
    ["not_satisfied", play(startOf(graph), { Ask: [handed({ satisfied: false })] }).state, true],
    ["failed", play(startOf(graph), { Ask: ["no", "no"] }).state, false],
    ["aborted", play(startOf(graph), { Ask: [{ kind: "aborted" }] }).state, false],
  ])("%s", (status, state, alive) => expect(castStatus(state, alive)).toBe(status));
});
