import * as v from "valibot";
import { wholeNumber } from "../model/values/number.ts";

/** [T20] What a fork would take over, what that saves, and what it would run anew. */
export const ForkPlanned = v.object({
  reused: v.array(v.string()),
  saved: v.object({ tokens: v.number(), cost: v.number() }),
  anew: v.array(v.object({ visit: v.string(), why: v.string() })),
});
export type ForkPlanned = v.InferOutput<typeof ForkPlanned>;

/** [T19] The test that was written from a cast. */
export const RecordedTest = v.object({ castId: v.string(), file: v.string(), seed: v.nullable(v.string()) });
export type RecordedTest = v.InferOutput<typeof RecordedTest>;

const Side = v.object({
  castId: v.string(),
  loadout: v.string(),
  outcome: v.string(),
  visits: wholeNumber(0),
  itemsDone: wholeNumber(0),
  tokens: v.number(),
  cost: v.number(),
  seconds: v.number(),
});
export type ComparedSide = v.InferOutput<typeof Side>;

const ComparedVisit = v.object({
  /** `Socket-5#2`. */
  visit: v.string(),
  materia: v.string(),
  /** What it handed on, where that differs from the other side. */
  handed: v.nullable(v.string()),
});

/** [T25] Two casts side by side: visits that correspond stand in one row. */
export const ComparedCasts = v.object({
  first: Side,
  second: Side,
  visits: v.array(v.object({ left: v.nullable(ComparedVisit), right: v.nullable(ComparedVisit), same: v.boolean() })),
  /** The files that differ at the end; null where they were not kept for both. */
  files: v.nullable(v.array(v.string())),
});
export type ComparedCasts = v.InferOutput<typeof ComparedCasts>;

const Range = v.object({ p50: v.nullable(v.number()), p90: v.nullable(v.number()) });

/** [T23] What a cast will take. */
export const ForecastTold = v.object({
  loadout: v.string(),
  casts: wholeNumber(0),
  items: v.nullable(v.number()),
  turns: v.object({ ...Range.entries, worst: v.nullable(v.number()) }),
  tokens: Range,
  cost: Range,
  seconds: Range,
  unknown: v.array(v.string()),
  otherModel: v.array(v.string()),
});
export type ForecastTold = v.InferOutput<typeof ForecastTold>;

/** [T10] What tests say, and what of each loadout they took. */
export const TestsTold = v.object({
  tests: v.array(
    v.object({
      file: v.string(),
      ok: v.boolean(),
      failures: v.array(
        v.object({
          what: v.string(),
          expected: v.optional(v.unknown()),
          got: v.optional(v.unknown()),
          where: v.string(),
        }),
      ),
    }),
  ),
  coverage: v.record(v.string(), v.object({ taken: wholeNumber(0), of: wholeNumber(0), missing: v.array(v.string()) })),
});
export type TestsTold = v.InferOutput<typeof TestsTold>;

const name = v.pipe(v.string(), v.minLength(1, "is empty"));

/** [N38] A materia or loadout that has another name now. */
const Rename = v.strictObject({ kind: v.picklist(["materia", "loadout"]), was: name, now: name });
export type Rename = v.InferOutput<typeof Rename>;

/** [N38] Without `tests` nothing is written; with them those that are still as they were seen. */
export const RenameInTests = v.strictObject({
  ...Rename.entries,
  tests: v.optional(v.array(v.strictObject({ file: v.string(), etag: v.string() }))),
});
export type RenameInTests = v.InferInput<typeof RenameInTests>;

/** [N38] The tests that still say the old name, where they say it, and the tag of each as it stands. */
export const NamingTests = v.object({
  tests: v.array(v.object({ file: v.string(), etag: v.string(), places: v.array(v.string()) })),
});
export type NamingTests = v.InferOutput<typeof NamingTests>;
