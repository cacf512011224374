import * as fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { EVENT_SCHEMAS } from "../../src/core/cast/state/event.ts";
import { wholeNumber, compileCheck } from "../../src/core/model/schemas.ts";
import { oddity, sampleOf, withChanged } from "../harness/samples.ts";

/** A line of the journal, stamp and body. */
const schemas = Object.entries(EVENT_SCHEMAS).map(
  ([type, body]) => [type, v.object({ seq: wholeNumber(1), at: v.string(), ...body.entries })] as const,
);

describe("[J1] the quick check of an event says what its schema says", () => {
  it.each(schemas)("[J1] of %s", (_type, schema) => {
    const isSound = compileCheck(schema);
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
    for (const [, schema] of schemas) expect(compileCheck(schema)(value)).toBe(v.is(schema, value));
  });
});
