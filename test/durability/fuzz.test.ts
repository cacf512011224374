import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import type { CastEvent } from "../../src/core/cast/event.ts";
import { startState } from "../../src/core/cast/state.ts";
import { resumeCast } from "../../src/shell/casting/resume.ts";
import { startOf } from "../../src/shell/store/cast-file.ts";
import { loadCast } from "../../src/shell/store/cast-store.ts";
import { listCasts } from "../../src/shell/store/casts.ts";
import { pathText } from "../../src/core/model/issue.ts";
import { newPlace } from "../harness/cli.ts";
import { begin, onlyCast, subject } from "../harness/killed.ts";

const example = fileURLToPath(new URL("../../examples/graph-semantics-loadout", import.meta.url));
const one = subject(newPlace(), `${example}.rehearsal.json`, `${example}.json`);
await begin(one);
const { root } = one.workspace;
const castId = onlyCast(one.workspace);
const file = join(root, castId, "journal.jsonl");
const sound = readFileSync(file);
const lines = sound.toString("utf8").split("\n").slice(0, -1);
const events = lines.map((line) => JSON.parse(line) as CastEvent); // written by the cast
const loaded = loadCast(root, castId);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
const start = startState(startOf(loaded.value.file));

type Damage = (all: readonly string[], at: number, noise: string) => string;
const joined = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");
const damages: Readonly<Record<string, Damage>> = {
  cut: (all, at) => joined(all).slice(0, Math.floor((joined(all).length * (at + 1)) / all.length) - 7),
  cutAndGoOn: (all, at) => joined(all.toSpliced(at, 1, (all[at] ?? "").slice(0, at))),
  dropped: (all, at) => joined(all.toSpliced(at, 1)),
  duplicated: (all, at) => joined(all.toSpliced(at, 0, all[at] ?? "")),
  repeatedLater: (all, at) => joined([...all, all[at] ?? ""]),
  swapped: (all, at) => joined([...all.slice(0, at), all[at + 1] ?? "", all[at] ?? "", ...all.slice(at + 2)]),
  shuffled: (all, at) => joined([...all.slice(at), ...all.slice(0, at)]),
  garbage: (all, at, noise) => joined(all.toSpliced(at, 0, noise.replaceAll("\n", " "))),
  garbageBefore: (all, at, noise) => joined(all.toSpliced(at, 1, `x${noise}${all[at] ?? ""}`)),
  zeros: (all, at) => joined(all.toSpliced(at, 0, "\0".repeat(512))),
  otherType: (all, at) => joined(all.toSpliced(at, 1, (all[at] ?? "").replace(/"type":"\w+"/, '"type":"cast_ended"'))),
  otherNumber: (all, at) => joined(all.toSpliced(at, 1, (all[at] ?? "").replace(/"seq":\d+/, '"seq":1'))),
};

const damaged = fc.tuple(
  fc.constantFrom(...Object.keys(damages)),
  fc.nat(lines.length - 1),
  fc.string({ minLength: 1, unit: "binary" }),
);

/** What is read is a beginning of what happened; what is not read is an error with its line. */
function honest(found: ReturnType<typeof loadCast>): boolean {
  if (!found.ok)
    return found.issues.every(({ code, path }) => code === "damaged_journal" && /^line \d+$/.test(pathText(path)));
  const { journal } = found.value;
  const beginning = events.slice(0, journal.events.length);
  return isDeepStrictEqual(
    [journal.events, JSON.stringify(journal.state)],
    [beginning, JSON.stringify(beginning.reduce(apply, start))],
  );
}

it("[D6] cut, doubled, moved and garbled lines: an error with the line, or the state of a beginning", () => {
  fc.assert(
    fc.property(damaged, ([kind, at, noise]) => {
      writeFileSync(file, damages[kind]?.(lines, at, noise) ?? "");
      expect(honest(loadCast(root, castId))).toBe(true);
    }),
    { seed: 1, numRuns: 1_500 },
  );
  writeFileSync(file, sound);
});

it("[D6] a damaged cast is refused by a resume, which changes nothing, and hides no other cast", async () => {
  const resume = {
    agents: {},
    openReal: () => Promise.reject(new Error("nobody is asked")),
    nudge: { kind: "recast" },
    by: "test",
  } as const;
  await fc.assert(
    fc.asyncProperty(damaged, async ([kind, at, noise]) => {
      const text = damages[kind]?.(lines, at, noise) ?? "";
      writeFileSync(file, text);
      const { mtimeMs } = statSync(file);
      expect(listCasts(root).length).toBeLessThanOrEqual(1);
      if (loadCast(root, castId).ok) return;
      const resumed = await resumeCast(one.workspace, castId, resume, {
        durability: "write",
        signal: AbortSignal.abort(),
      });
      expect(resumed).toMatchObject({ ok: false, issues: [{ code: "damaged_journal" }] });
      expect([readFileSync(file, "utf8"), statSync(file).mtimeMs]).toEqual([
        Buffer.from(text).toString("utf8"),
        mtimeMs,
      ]);
    }),
    { seed: 2, numRuns: 300 },
  );
  writeFileSync(file, sound);
});

it("[D6] a journal that is cut at any byte is whole up to its last line", () => {
  for (let size = 0; size <= sound.length; size += 1 + Math.floor(sound.length / 700)) {
    writeFileSync(file, sound.subarray(0, size));
    const found = loadCast(root, castId);
    const whole = sound.subarray(0, size).toString("utf8").split("\n").length - 1;
    expect(
      found.ok && [found.value.journal.events.length, found.value.journal.soundBytes + found.value.journal.tornBytes],
    ).toEqual([whole, size]);
  }
  writeFileSync(file, sound);
});
