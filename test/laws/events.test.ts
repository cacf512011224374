import * as fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { EVENTS } from "../../src/core/cast/state/event.ts";
import { wholeNumber } from "../../src/core/model/values/number.ts";
import { checkOf } from "../../src/core/model/values/quick-check.ts";
import { sampleOf } from "../harness/samples.ts";

/** A line of the journal, stamp and body. */
const schemas = Object.entries(EVENTS).map(
  ([type, body]) => [type, v.object({ seq: wholeNumber(1), at: v.string(), ...body.entries })] as const,
);

/** No value of JSON is undefined: what is not there is left out. */
const oddity = fc.oneof(
  fc.constantFrom(null, "", "end", "Socket-1", "a b", "always", true, false, [], {}, [null], { index: 0 }),
  fc.constantFrom(0, 1, -1, 1.5, 2 ** 53, Number.NaN, Infinity, -Infinity, "edge", "maxTokens", "exact"),
  fc.jsonValue({ maxDepth: 2 }),
);

describe("[J1] the quick check of an event says what its schema says", () => {
  it.each(schemas)("[J1] of %s", (_type, schema) => {
    const isSound = checkOf(schema);
    const sample = sampleOf(schema);
    fc.assert(
      fc.property(sample, fc.array(fc.tuple(fc.nat(), oddity), { maxLength: 2 }), (sound, changes) => {
        expect(isSound(sound)).toBe(v.is(schema, sound));
        const changed = changes.reduce<unknown>((value, [at, odd]) => withChanged(value, at, odd), sound);
        expect(isSound(changed)).toBe(v.is(schema, changed));
      }),
      { seed: 1, numRuns: 400 },
    );
  });

  it("[J1] sound events are among the cases, not only odd ones", () => {
    for (const [type, schema] of schemas)
      expect([type, fc.sample(sampleOf(schema), { seed: 1, numRuns: 20 }).every((each) => v.is(schema, each))]).toEqual(
        [type, true],
      );
  });

  it.each([null, undefined, 0, "", [], "text", true])("[J1] and of what is no object at all: %j", (value) => {
    for (const [, schema] of schemas) expect(checkOf(schema)(value)).toBe(v.is(schema, value));
  });
});

/** The value with one of its places, however deep, taken by another thing; or with that place left out. */
function withChanged(value: unknown, at: number, odd: unknown): unknown {
  if (typeof value !== "object" || value === null) return odd;
  const keys = Object.keys(value);
  if (keys.length === 0 || at % 7 === 0) return odd;
  const key = keys[at % keys.length] ?? "";
  const inner: unknown = (value as Readonly<Record<string, unknown>>)[key]; // a key of its own
  if (at % 5 === 0) {
    const { [key]: _gone, ...rest } = value as Readonly<Record<string, unknown>>; // an object
    return rest;
  }
  const changed = at % 2 === 0 ? odd : withChanged(inner, Math.floor(at / 3), odd);
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
}
