import { expect, it } from "vitest";
import { survey } from "../against/survey.ts";
import type { Aspect } from "../against/compare.ts";
import { SWEEP, isFull, sweepSize } from "../../harness/sweep.ts";

/** One pass over cases whose loops are parallel; the tests below report its findings. */
const CASTS = sweepSize(200, 1_500);
const { reached, differences } = survey(1, CASTS, "parallel");

it.each<[title: string, aspect: Aspect]>([
  ["[V2, V3] the rules refuse a parallel loop where the engine does, and nowhere else", "check"],
  ["[V5, V9, V11] items begin, are merged, conflict and fail as the rules say", "cast"],
  ["[V7, V10] what they leave is what the rules say", "state"],
  ["[V12] journals of a cast and its items that were cut anywhere go on to the same end", "resume"],
  ["[T14, T51] every cast replays to its own journal, and so does each of its items", "replay"],
  ["[T20, V22] a fork with the same answers goes on to the same end", "fork"],
  ["[T20, T51] a fork of an edited loadout becomes what a new cast of it becomes", "edit"],
  ["[V7] neither the number of lanes nor who is quicker changes anything", "lanes"],
  ["[V4] no cast takes more turns than its worst case, conflicts included", "worst case"],
])("%s", SWEEP, (_title, aspect) => {
  expect(differences.flatMap((difference) => (difference.aspect === aspect ? [difference.text] : []))).toEqual([]);
});

it.each([
  ["forked", 200],
  ["one", 15],
  ["begins", 400],
  ["merged", 250],
  ["conflicted", 60],
  ["joined", 120],
  ["limit maxConflicts", 15],
  ["refused V1 lanes", 2],
  ["refused V2 waits", 2],
  ["refused V2 leads out", 10],
  ["refused V2 beginnings", 2],
])("[V5] of 1,500 random cases at least so many reach %s: %i", SWEEP, (kind, least) => {
  expect(reached.get(kind) ?? 0).toBeGreaterThanOrEqual(isFull ? least : Math.floor((least * CASTS) / 3_000));
});

it.each([14, 25, 33, 273, 461, 737, 941, 2_304, 2_492, 2_615, 4_278, 314_517])(
  "[V5] seed %i, where the two once differed, gives the same",
  (seed) => {
    expect(survey(seed, 1, "parallel").differences).toEqual([]);
  },
);
