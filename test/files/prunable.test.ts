import { expect, it } from "vitest";
import { selectPrunable } from "../../src/shell/store/summary.ts";
import type { CastSummary } from "../../src/core/cast/summary.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");

const cast = (castId: string, startedAt: string, endedAt: string | null = startedAt): CastSummary => ({
  castId,
  status: "completed",
  loadout: "Main",
  request: "r",
  startedAt,
  endedAt,
  visits: 1,
  items: { done: 0, total: 0 },
  tokens: 0,
  cost: 0,
});

const old = cast("old", "2026-01-01T00:00:00Z");
const fresh = cast("fresh", "2026-05-31T00:00:00Z");

it.each<[rule: string, doubtful: CastSummary]>([
  ["[D27] begun before there was this program", cast("odd", "1970-01-01T00:00:00Z")],
  ["[D27] ended before it began", cast("odd", "2026-05-31T00:00:00Z", "2025-05-31T00:00:00Z")],
  ["[D27] from the time to come", cast("odd", "2027-01-01T00:00:00Z")],
  ["[D27] at no time at all", cast("odd", "soon")],
])("%s: a cast is not old by such a clock", (_rule, doubtful) => {
  expect(selectPrunable([fresh, old, doubtful], { olderThanDays: 30 }, NOW)).toEqual([old]);
  expect(selectPrunable([fresh, old, doubtful], { keep: 1 }, NOW)).toEqual([fresh, old]);
  expect(selectPrunable([fresh, old, doubtful], { keep: 0 }, NOW)).toEqual([fresh, old, doubtful]);
});
