import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import { type Result, pathText } from "../../src/core/model/issue.ts";
import { prepareResume } from "../../src/shell/casting/resume-cast.ts";
import { castStartOf } from "../../src/shell/store/cast-file.ts";
import type { LoadedCast } from "../../src/shell/store/cast-store.ts";
import { listCasts } from "../harness/journals.ts";
import { newPlace } from "../harness/cli.ts";
import { begin, onlyCast, subject } from "../harness/killed.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const example = fileURLToPath(new URL("../../examples/graph-semantics-loadout", import.meta.url));
const one = subject(newPlace(), `${example}.rehearsal.json`, `${example}.json`);
await begin(one);
const { root, store } = one.workspace;
const castId = onlyCast(one.workspace);
const file = join(root, castId, "journal.jsonl");
const sound = readFileSync(file);
const lines = sound.toString("utf8").split("\n").slice(0, -1);
const loaded = await store.load(castId);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
const { events } = loaded.value;
const start = initialState(castStartOf(loaded.value.file));

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
function honest(found: Result<LoadedCast>): boolean {
  if (!found.ok)
    return found.issues.every(({ code, path }) => code === "damaged_journal" && /^line \d+$/.test(pathText(path)));
  const { events: read, state } = found.value;
  const beginning = events.slice(0, read.length);
  return isDeepStrictEqual([read, JSON.stringify(state)], [beginning, JSON.stringify(beginning.reduce(apply, start))]);
}

it(
  "[D6] cut, doubled, moved and garbled lines: an error with the line, or the state of a beginning",
  SWEEP,
  async () => {
    await fc.assert(
      fc.asyncProperty(damaged, async ([kind, at, noise]) => {
        writeFileSync(file, damages[kind]?.(lines, at, noise) ?? "");
        expect(honest(await store.load(castId))).toBe(true);
      }),
      { seed: 1, numRuns: sweepSize(100, 1_500) },
    );
    writeFileSync(file, sound);
  },
);

/** What a resume must make of what was found. */
function expectation(found: Result<LoadedCast>): "damaged" | "over" | "goesOn" {
  if (!found.ok) return "damaged";
  const { phase } = found.value.state;
  return phase.kind === "ended" && (phase.outcome === "completed" || phase.outcome === "not_satisfied")
    ? "over"
    : "goesOn";
}

it(
  "[D6] a resume refuses what is damaged, takes up the beginning that is sound, and changes nothing by looking",
  SWEEP,
  async () => {
    const agents = { openReal: () => Promise.reject(new Error("nobody is asked")) };
    const asked = { castId, how: { kind: "recast" }, by: "test" } as const;
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(damaged, async ([kind, at, noise]) => {
        const text = damages[kind]?.(lines, at, noise) ?? "";
        writeFileSync(file, text);
        const { mtimeMs } = statSync(file);
        expect((await listCasts(root)).length).toBeLessThanOrEqual(1);
        const found = await store.load(castId);
        expect(honest(found)).toBe(true);
        const resumed = await prepareResume(one.workspace, asked, agents);
        seen.add(expectation(found));
        expect(resumed).toMatchObject(
          {
            damaged: { ok: false, issues: [{ code: "damaged_journal" }] },
            over: { ok: false, issues: [{ code: "cast_finished" }] },
            goesOn: { ok: true, value: { castId } },
          }[expectation(found)],
        );
        const stands = found.ok && expectation(found) === "goesOn" ? found.value.timeline : undefined;
        expect(resumed.ok ? resumed.value.timeline() : undefined).toEqual(stands);
        expect([readFileSync(file, "utf8"), statSync(file).mtimeMs]).toEqual([
          Buffer.from(text).toString("utf8"),
          mtimeMs,
        ]);
      }),
      { seed: 2, numRuns: sweepSize(150, 300) },
    );
    // Damage of every kind, or this shows less than it says.
    expect([...seen].toSorted()).toEqual(["damaged", "goesOn", "over"]);
    writeFileSync(file, sound);
  },
);

it("[D6] a journal that is cut at any byte is whole up to its last line", SWEEP, async () => {
  for (let size = 0; size <= sound.length; size += 1 + Math.floor(sound.length / sweepSize(40, 700))) {
    writeFileSync(file, sound.subarray(0, size));
    const found = await store.load(castId);
    const whole = sound.subarray(0, size).toString("utf8").split("\n").length - 1;
    expect(found.ok && [found.value.events.length, found.value.tornBytes]).toEqual([
      whole,
      size - sound.subarray(0, size).lastIndexOf(0x0a) - 1,
    ]);
  }
  writeFileSync(file, sound);
});
