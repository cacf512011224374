import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastStart } from "../../src/core/cast/state/state.ts";
import type { CastStep } from "../../src/core/cast/timeline.ts";
import type { Ports } from "../../src/shell/ports.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import type { RunOutcome } from "../../src/shell/context/run-context.ts";
import { scratchFolder } from "../harness/agents.ts";
import { readJournal, sealLines } from "../harness/journals.ts";
import { startOf } from "../harness/play.ts";
import { exited, fold, graph, items, said, seat, workshop, world } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

interface Run {
  readonly end: RunOutcome;
  readonly appended: readonly (readonly CastEvent[])[];
  readonly asked: number;
  readonly heard: number;
  readonly steps: readonly CastStep[];
}

const CONTENT = '{"satisfied":true}';

/** A cast with these replies one after another, then contented ones. */
async function run(start: CastStart, replies: readonly string[], part: Partial<Ports> = {}): Promise<Run> {
  const left = [...replies];
  const heard: (readonly CastStep[])[] = [];
  const ports = world(() => said(left.shift() ?? CONTENT), part);
  const end = await runCast(initialState(start), ports, {
    cwd: "/project",
    signal: new AbortController().signal,
    onSteps: (steps) => void heard.push(steps),
  });
  return { end, appended: ports.appended, asked: ports.asked.length, heard: heard.length, steps: heard.flat() };
}

const start = startOf(workshop({ limits: { maxNoAdvanceCycles: 100, maxRepairs: 2 } }));
const plan = JSON.stringify(items("a", "b", "c"));
const rounds = [
  plan,
  "built",
  '{"satisfied":false,"context":"no test"}',
  "built",
  "oops",
  '{"satisfied":true}',
  "built",
  '```\n{"satisfied":true}\n```',
];

const replies = fc.array(
  fc.constantFrom(
    plan,
    '{"workItems":[]}',
    "built",
    "",
    '{"satisfied":true}',
    '{"satisfied":false}',
    '{"satisfied":false,"context":"no"}',
    '{"satisfied":1}',
    "[]",
  ),
  { maxLength: 30 },
);

it("[J1] folding the journal gives the live state, for any answers", async () => {
  await fc.assert(
    fc.asyncProperty(replies, async (said) => {
      const { end, appended } = await run(start, said);
      expect(fold(start, appended.flat())).toEqual(end.state);
    }),
    { numRuns: 60 },
  );
});

it("[J27] a watcher gets what was written, each event with the cast before and after it", async () => {
  const { appended, steps } = await run(start, rounds);
  expect(steps.map(({ event }) => event)).toEqual(appended.flat());
  expect(steps[0]?.before).toEqual(initialState(start));
  for (const [at, { event, before, after }] of steps.entries()) {
    expect(after).toEqual(apply(before, event));
    expect(steps[at + 1]?.before ?? after).toBe(after);
  }
});

it("[J1] folding any beginning of a journal and going on from there gives the same journal", async () => {
  const whole = (await run(start, rounds)).appended.flat();
  for (const [at, event] of whole.entries()) {
    // A turn that was not answered is asked again; what was written stays.
    const turns = whole.slice(0, at).filter(({ type }) => /accepted|rejected/.test(type)).length;
    const left = rounds.slice(turns);
    const ports = world(() => said(left.shift() ?? CONTENT));
    await runCast(fold(start, whole.slice(0, at)), ports, {
      cwd: "/project",

      signal: new AbortController().signal,
    });
    expect(ports.appended.flat()[0]).toEqual(event);
    expect([...whole.slice(0, at), ...ports.appended.flat()]).toEqual(whole);
  }
});

it("[J1] a number that JSON cannot hold does not make journal and cast differ", async () => {
  const utility = startOf(graph({ "Socket-1": { ...seat("Tool"), assign: { n: "$.n" } } }));
  const { end, appended } = await run(utility, [], { runUtility: async () => exited('{"n":1e999}') });
  expect(fold(utility, appended.flat())).toEqual(end.state);
});

it("[J2] a journal that fails at any append: nothing happens after it", async () => {
  const whole = await run(start, rounds);
  for (let fails = 1; fails <= whole.appended.length; fails += 1) {
    const written: (readonly CastEvent[])[] = [];
    let attempts = 0;
    const append: Ports["journal"]["append"] = async (events) => {
      attempts += 1;
      if (attempts >= fails) return "the disk is full";
      written.push(events);
      return undefined;
    };
    const broken = await run(start, rounds, { journal: { append } });
    expect(written).toEqual(whole.appended.slice(0, fails - 1));
    expect(broken.end).toEqual({ kind: "broken", state: fold(start, written.flat()), problem: "the disk is full" });
    expect([attempts, broken.asked, broken.heard]).toEqual([fails, fails - 1, fails - 1]);
  }
});

it("[J2] the journal is written once for each turn, before the next begins", async () => {
  const { appended, asked } = await run(start, rounds);
  expect(appended.length).toBe(asked + 1);
  expect(appended.map((events) => events.at(-1)?.type)).toEqual([
    ...Array.from({ length: 5 }, () => "visit_started"),
    "handoff_rejected",
    ...Array.from({ length: 5 }, () => "visit_started"),
    "cast_ended",
  ]);
});

it("[J4] what the thousandth item adds is no more than what the second adds", async () => {
  const titles = Array.from({ length: 1_000 }, (_, index) => `item ${String(index).padStart(4, "0")}`);
  const { appended } = await run(start, [
    JSON.stringify(items(...titles)),
    ...titles.flatMap(() => ["built", '{"satisfied":true}']),
  ]);
  const bytes = appended.map((events) => JSON.stringify(events).length);
  const [first, second, last, lastButOne] = [bytes[3], bytes[4], bytes.at(-3), bytes.at(-4)];
  // Only numbers grow, by a few digits.
  expect(lastButOne).toBeLessThanOrEqual((first ?? 0) + 40);
  expect(last).toBeLessThanOrEqual((second ?? 0) + 40);
  expect(Math.max(...bytes.slice(2))).toBeLessThanOrEqual(1_024);
});

const lines = async (): Promise<readonly string[]> =>
  (await run(start, rounds)).appended.flat().map((event) => JSON.stringify(event));

type Damage = (lines: readonly string[], at: number) => string;
const whole = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");
const damages: Readonly<Record<string, Damage>> = {
  drop: (all, at) => whole(all.toSpliced(at, 1)),
  duplicate: (all, at) => whole(all.toSpliced(at, 0, all[at] ?? "")),
  swap: (all, at) => whole([...all.slice(0, at), all[at + 1] ?? "", all[at] ?? "", ...all.slice(at + 2)]),
  reverse: (all, at) => whole([...all.slice(0, at), ...all.slice(at).toReversed()]),
  cutLine: (all, at) => whole(all.toSpliced(at, 1, (all[at] ?? "").slice(0, at + 5))),
  cutFile: (all, at) => whole(all).slice(0, Math.floor((whole(all).length * at) / all.length)),
  blank: (all, at) => whole(all.toSpliced(at, 0, "")),
  join: (all, at) =>
    whole(all)
      .split("\n")
      .map((line, index) => (index === at ? line : `${line}\n`))
      .join(""),
  garble: (all, at) => whole(all.toSpliced(at, 1, (all[at] ?? "").replaceAll('"', "'"))),
  type: (all, at) => whole(all.toSpliced(at, 1, (all[at] ?? "").replace('"type":"', '"type":"not_'))),
  zeros: (all, at) => whole(all.toSpliced(at, 0, "\0".repeat(40))),
};

it("[J1] a damaged journal gives the state of a beginning of it, or an error with the line", async () => {
  const bare = await lines();
  const sound = sealLines(whole(bare)).trimEnd().split("\n");
  const events = bare.map((line) => JSON.parse(line) as CastEvent); // written just above
  const file = join(scratchFolder(), "journal.jsonl");
  const ofLine: unknown = expect.stringMatching(/^line \d+$/);
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(damages)), fc.nat(sound.length - 1), (kind, at) => {
      writeFileSync(file, damages[kind]?.(sound, at) ?? "");
      const read = readJournal(file, start);
      const beginning = events.slice(0, read.ok ? read.value.events.length : 0);
      expect(read).toMatchObject(
        read.ok
          ? { value: { events: beginning, state: fold(start, beginning) } }
          : { issues: [{ code: "damaged_journal", path: [ofLine], file }] },
      );
    }),
    { numRuns: 300 },
  );
});

it("[J1] no bytes make the reader throw", async () => {
  const sound = sealLines(whole(await lines()));
  const file = join(scratchFolder(), "journal.jsonl");
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 500 }).map((noise) => Buffer.from(noise)),
    fc
      .tuple(fc.nat(sound.length), fc.uint8Array({ minLength: 1, maxLength: 20 }))
      .map(([at, noise]) => Buffer.concat([Buffer.from(sound.slice(0, at)), noise, Buffer.from(sound.slice(at))])),
    fc.jsonValue().map((value) => Buffer.from(`${JSON.stringify(value)}\n`)),
  );
  fc.assert(
    fc.property(bytes, (content) => {
      writeFileSync(file, content);
      expect(typeof readJournal(file, start).ok).toBe("boolean");
    }),
    { numRuns: 300 },
  );
});
