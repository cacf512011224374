import { expect, it } from "vitest";
import { survey } from "./against/survey.ts";
import type { Aspect } from "./against/compare.ts";
import { SWEEP, isFull, sweepSize } from "../harness/sweep.ts";

/** One pass over all cases; the tests below report its findings. */
const CASTS = sweepSize(400, 3_000);
const { reached, differences } = survey(1, CASTS);

it.each<[title: string, aspect: Aspect]>([
  ["[G16, L18] the rules refuse what the engine refuses, and nothing else", "check"],
  ["[O6, P1, Z8] every cast goes as the rules say, and every agent gets the prompt that they say", "cast"],
  ["[H14] it leaves the state that the rules say", "state"],
  ["[D1, Z3] a journal that was cut anywhere goes on to the same end", "resume"],
  ["[T14] every cast replays to its own journal", "replay"],
  ["[T20] a fork with the same answers goes on to the same end", "fork"],
  ["[T20] a fork of an edited loadout becomes what a new cast of it becomes", "edit"],
  ["[G18, O16, L15] what the check calls impossible does not happen", "flow"],
  ["[G24] no cast takes more turns than its worst case", "worst case"],
])("%s", SWEEP, (_title, aspect) => {
  expect(differences.flatMap((difference) => (difference.aspect === aspect ? [difference.text] : []))).toEqual([]);
});

it.each([
  ["visit", 5_000],
  ["told", 4_000],
  ["accepted exact", 1_000],
  ["accepted fenced", 500],
  ["accepted embedded", 300],
  ["text", 500],
  ["rejected", 200],
  ["waiting", 200],
  ["entered", 500],
  ["advanced", 500],
  ["exhausted advance", 100],
  ["exhausted empty", 100],
  ["way always exit", 100],
  ["way satisfied exit", 10],
  ["way not_satisfied exit", 10],
  ["joint", 300],
  ["limit maxTraversals", 100],
  ["limit maxNoAdvanceCycles", 300],
  ["limit maxRepairs", 50],
  ["limit maxUnchanged", 20],
  ["gave", 30],
  ["way not_satisfied edge", 500],
  ["way then", 100],
  ["limit maxTokens", 20],
  ["resumed", 200],
  ["ended completed", 500],
  ["ended not_satisfied", 50],
  ["ended failed", 300],
  ["bounded", 300],
  ["slept", 200],
])("[D21] of 3,000 random cases at least so many reach %s: %i", SWEEP, (kind, least) => {
  expect(reached.get(kind) ?? 0).toBeGreaterThanOrEqual(isFull ? least : Math.floor((least * CASTS) / 6_000));
});

/** What only some kinds of cases reach, each at least so often in 1,000. */
const OTHERS = [
  ["shapes", "forked", 80],
  ["chains", "joint", 500],
  ["plans", "entered", 300],
  ["broken", "ended aborted", 50],
  ["earlier", "entered", 250],
  ["anything", "told", 1_000],
] as const;

it.each(OTHERS)("[D21, L20, R6] casts of the kind %s go as the rules say, and reach %s", SWEEP, (kind, fact, least) => {
  const casts = sweepSize(40, 1_000);
  const { reached, differences } = survey(5_000, casts, kind);
  expect(differences.map(({ text }) => text)).toEqual([]);
  expect(reached.get(fact) ?? 0).toBeGreaterThanOrEqual(Math.floor((least * casts) / (isFull ? 1_000 : 2_000)));
});

it.each([
  [12_167, "mixed"],
  [38_069, "mixed"],
  [41_699, "mixed"],
  [47_383, "mixed"],
  [1_004_513, "dense"],
  [1_008_934, "single"],
  [1_012_084, "parallel"],
  [1_015_916, "single"],
  [2_210_625, "dense"],
  [21_091, "single"],
  [22_374, "raised"],
  [475, "lists"],
  [4_506_208, "raised"],
  [11_978, "lists"],
  [13_554, "lists"],
  [18_766, "lists"],
  [7_024_241, "parallel"],
  [7_046_376, "single"],
  [7_046_929, "raised"],
  [9_035_465, "single"],
  [20_269_009_414, "lists"],
] as const)("[D21] seed %i, where the two once differed, gives the same: %s", (seed, kind) => {
  expect(survey(seed, 1, kind).differences).toEqual([]);
});

it.each([
  [77_000_060, "mixed"],
  [77_000_235, "parallel"],
  [77_000_114, "parallel"],
  [77_000_389, "parallel"],
] as const)("[T14, R6, V50] seed %i, which once did not replay to its own journal, does: %s", (seed, kind) => {
  expect(survey(seed, 1, kind).differences).toEqual([]);
});

it.each([
  [128, "parallel"],
  [300_580, "parallel"],
  [300_208, "plans"],
  [300_609, "shapes"],
] as const)("[T51, V13, V3] seed %i, whose items once replayed otherwise, gives the same: %s", (seed, kind) => {
  expect(survey(seed, 1, kind).differences).toEqual([]);
});

it.each([20_269_014_696, 31_191_261])("[G40] a list that comes back has its traversals: seed %i", (seed) => {
  expect(survey(seed, 1, "lists").differences).toEqual([]);
});

it("[V54] a list that an item copied is that list, also where an item before it has replaced it", () => {
  expect(survey(20_269_038_750, 1, "lists").differences).toEqual([]);
});
