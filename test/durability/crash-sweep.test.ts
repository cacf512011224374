import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { newPlace } from "../harness/cli.ts";
import { traceCast, type CastTrace } from "../harness/cast-trace.ts";
import { begin, goOn, onlyCast, subject, type Kill, type Life, type Subject } from "../harness/killed.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";

const examples = fileURLToPath(new URL("../../examples", import.meta.url));
const names = readdirSync(examples)
  .filter((name) => name.endsWith(".rehearsal.json"))
  .map((name) => name.replace(".rehearsal.json", ""));

/** A separate project with the example in it. */
function example(name: string): Subject {
  const cwd = newPlace({ "README.md": "A project.\n" });
  return subject(cwd, join(examples, `${name}.rehearsal.json`), join(examples, `${name}.json`));
}

/** When the files of the completed visits were last written. */
function completedFiles({ workspace }: Subject): Readonly<Record<string, number>> {
  const runDir = join(workspace.root, onlyCast(workspace));
  const journal = readFileSync(join(runDir, "journal.jsonl"), "utf8");
  const lines = journal
    .slice(0, journal.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1);
  return Object.fromEntries(
    lines
      .map((line) => JSON.parse(line) as CastEvent) // written by the cast
      .flatMap((event) =>
        event.type === "visit_completed" ? [join(runDir, "sockets", event.socket, String(event.visit))] : [],
      )
      .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
      .map((path) => [path, statSync(path).mtimeMs]),
  );
}

describe.each(names)("[D1, D2] %s, killed", (name) => {
  it("after every append and in the middle of every append, ends as if nothing had happened", SWEEP, async () => {
    const whole = example(name);
    const calm = await begin(whole);
    const expected = traceCast(whole, calm);
    expect(calm.end?.kind).toBe("ended");
    const kills = Array.from({ length: calm.appends }, (_, index): readonly Kill[] => {
      const append = index + 1;
      const last = append === calm.appends;
      const places = last ? (["half", "hardly"] as const) : (["after", "half", "hardly"] as const);
      return places.map((where) => ({ append, where }));
    }).flat();
    for (const kill of sampleCases(kills, 2)) await expectSame(name, kill, { calm, expected });
  });
});

async function expectSame(
  name: string,
  kill: Kill,
  { calm, expected }: { calm: Life; expected: CastTrace },
): Promise<void> {
  const one = example(name);
  const first = await begin(one, kill);
  const finished = completedFiles(one);
  const second = await goOn(one);
  const at = `killed ${kill.where} append ${kill.append}`;
  expect({ at, ...traceCast(one, second) }).toEqual({ at, ...expected });
  // Every turn once: what was answered before the kill is not asked again, however little of it was written.
  expect({ at, asked: [...first.asked, ...second.asked] }).toEqual({ at, asked: calm.asked });
  const after = completedFiles(one);
  for (const [path, time] of Object.entries(finished)) expect([at, path, after[path]]).toEqual([at, path, time]);
}

it("[D1] killed again and again, at every second append of every life, a cast still ends the same", async () => {
  const whole = example("graph-semantics-loadout");
  const calm = await begin(whole);
  const expected = traceCast(whole, calm);
  const one = example("graph-semantics-loadout");
  let life = await begin(one, { append: 1, where: "after" });
  const asked = [...life.asked];
  let lives = 1;
  for (; life.end === undefined; lives += 1) {
    life = await goOn(one, { append: 2, where: lives % 2 === 0 ? "hardly" : "after" });
    asked.push(...life.asked);
  }
  expect(traceCast(one, life)).toEqual(expected);
  expect(asked).toEqual(calm.asked);
  expect(lives).toBeGreaterThan(calm.appends / 2);
});
