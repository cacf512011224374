import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { weather } from "../harness/storm.ts";
import { SWEEP, isFull, sweepSize } from "../harness/sweep.ts";

const CASTS = sweepSize(30, 600);
const only = process.env["SEED"];
// In memory where there is such a place: the weather is ours, not the disk's.
const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "materia-storm-"));

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What went wrong with a cast, and the command that shows it again. */
function report(seed: number, problems: readonly string[]): string {
  return `SEED=${seed} npx vitest run test/durability/simulation.test.ts\n${problems.map((problem) => `  ${problem}`).join("\n")}`;
}

it.skipIf(only !== undefined)(`[D21] ${CASTS} casts of random graphs in random weather`, SWEEP, async () => {
  const bad: string[] = [];
  const outcomes = new Map<string, number>();
  let [casts, lives] = [0, 0];
  for (let seed = 1; casts < CASTS; seed += 1) {
    const weathered = await weather(seed, root);
    if (weathered.kind === "no_graph") continue;
    casts += 1;
    lives += weathered.lives;
    const last = weathered.events.at(-1);
    const outcome = last?.type === "cast_ended" ? last.outcome : "none";
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (weathered.problems.length > 0) bad.push(report(seed, weathered.problems));
    if (bad.length > 5) break;
  }
  expect(bad.join("\n")).toBe("");
  // Rough weather and every kind of end, or this shows nothing.
  expect(lives).toBeGreaterThan(2 * CASTS);
  for (const outcome of ["completed", "not_satisfied", "failed", ...(isFull ? ["aborted"] : [])])
    expect(outcomes.get(outcome)).toBeGreaterThan(CASTS / 200);
});

it.runIf(only !== undefined)("[D21] the cast that SEED names", async () => {
  const weathered = await weather(Number(only), root);
  if (weathered.kind === "ended") for (const event of weathered.events) console.log(JSON.stringify(event));
  expect(weathered.kind === "ended" ? report(Number(only), weathered.problems) : weathered.kind).toBe(
    report(Number(only), []),
  );
});
