import * as v from "valibot";
import { wholeNumber } from "../model/schemas.ts";

/** [T36] The visits that a fork reuses, what that saves, and the visits that it runs again. */
export const ForkPreview = v.object({
  reused: v.array(v.string()),
  saved: v.object({ tokens: v.number(), cost: v.number() }),
  anew: v.array(v.object({ visit: v.string(), why: v.string() })),
});
export type ForkPreview = v.InferOutput<typeof ForkPreview>;

/** [T19] The test written from a cast. */
export const RecordedTest = v.object({ castId: v.string(), file: v.string(), seed: v.nullable(v.string()) });
export type RecordedTest = v.InferOutput<typeof RecordedTest>;

const Range = v.object({ p50: v.nullable(v.number()), p90: v.nullable(v.number()) });

/** [T23] The forecast of a cast. */
export const ForecastResponse = v.object({
  loadout: v.string(),
  casts: wholeNumber(0),
  items: v.number(),
  turns: v.object({ ...Range.entries, worst: v.nullable(v.number()) }),
  worstCase: v.string(),
  tokens: Range,
  cost: Range,
  seconds: Range,
  unknown: v.array(v.string()),
  otherModel: v.array(v.string()),
});
export type ForecastResponse = v.InferOutput<typeof ForecastResponse>;

/** [T10] The results of tests, and the coverage of each loadout. */
export const TestsResponse = v.object({
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
export type TestsResponse = v.InferOutput<typeof TestsResponse>;

const name = v.pipe(v.string(), v.minLength(1, "is empty"));

/** [N38] A renamed materia or loadout. */
const NameChange = v.strictObject({ kind: v.picklist(["materia", "loadout"]), was: name, now: name });
export type NameChange = v.InferOutput<typeof NameChange>;

/** [N38] Without `tests` nothing is written; otherwise only tests whose tag still matches. */
export const RenameInTestsRequest = v.strictObject({
  ...NameChange.entries,
  tests: v.optional(v.array(v.strictObject({ file: v.string(), etag: v.string() }))),
});
export type RenameInTestsRequest = v.InferInput<typeof RenameInTestsRequest>;

/** [N38] The tests with the old name, its places, and the tag of each test. */
export const TestsWithOldName = v.object({
  tests: v.array(v.object({ file: v.string(), etag: v.string(), places: v.array(v.string()) })),
});
export type TestsWithOldName = v.InferOutput<typeof TestsWithOldName>;
