import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUNDLED_LOADOUTS } from "../../src/core/catalog/bundled-loadouts.ts";
import { compileReader } from "../../src/core/model/schemas.ts";
import { validate } from "../../src/core/catalog/validate.ts";
import { Loadout } from "../../src/core/model/loadout.ts";
import { oddity, sampleOf, withChanged } from "../harness/samples.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";

const readSound = compileReader(Loadout);

/** What the schema makes of it, its keys in their order; nothing where there is anything to say of it. */
function readBySchema(value: unknown): string | undefined {
  const { value: read, issues } = validate(Loadout, value, []);
  return issues.length === 0 ? JSON.stringify(read) : undefined;
}

const unknownKey = fc.constantFrom("maxTraversal", "x", "constructor", "__proto__", "Socket-2", "label", "then");

/** With a key, known or not, put into one of its objects. */
function withKey(value: unknown, at: number, key: string, inner: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const keys = Object.keys(value);
  const [chosen = ""] = keys.slice(at % Math.max(1, keys.length));
  if (at % 3 !== 0 && keys.length > 0)
    return Array.isArray(value)
      ? value.with(Number(chosen), withKey(value[Number(chosen)], Math.floor(at / 3), key, inner))
      : { ...value, [chosen]: withKey((value as Record<string, unknown>)[chosen], Math.floor(at / 3), key, inner) }; // a key of its own
  // JSON.parse makes an own key of any name.
  return Array.isArray(value) ? value : Object.fromEntries([...Object.entries(value), [key, inner]]);
}

describe("[F4] the quick reading of a loadout", () => {
  it("[F4] gives what its schema gives, and nothing where there is anything to say", SWEEP, () => {
    let [sound, odd] = [0, 0];
    fc.assert(
      fc.property(
        sampleOf(Loadout),
        fc.array(fc.tuple(fc.nat(), oddity), { maxLength: 2 }),
        fc.array(fc.tuple(fc.nat(), unknownKey, oddity), { maxLength: 1 }),
        (sample, changes, added) => {
          const changed = changes.reduce<unknown>((value, [at, each]) => withChanged(value, at, each), sample);
          const value = added.reduce<unknown>((each, [at, key, inner]) => withKey(each, at, key, inner), changed);
          const read = readSound(value);
          if (read === undefined) odd += 1;
          else sound += 1;
          // What it leaves to the schema is the schema's.
          expect(read === undefined ? undefined : JSON.stringify(read)).toBe(read && readBySchema(value));
        },
      ),
      { seed: 1, numRuns: sweepSize(500, 3_000) },
    );
    expect(Math.min(sound, odd)).toBeGreaterThan(sweepSize(30, 200));
  });

  it("[F4] reads every loadout that comes with the package, and what is sound", () => {
    const sound = fc.sample(sampleOf(Loadout), { seed: 2, numRuns: 300 }).filter((each) => readBySchema(each));
    expect(sound.length).toBeGreaterThan(100);
    for (const loadout of [...Object.values(BUNDLED_LOADOUTS), ...sound]) expect(readSound(loadout)).toBeDefined();
    for (const loadout of [...Object.values(BUNDLED_LOADOUTS), ...sound])
      expect(JSON.stringify(readSound(loadout))).toBe(readBySchema(loadout));
  });
});
