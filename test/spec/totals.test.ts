import { describe, expect, it } from "vitest";
import type { CastEvent, EventBody } from "../../src/core/cast/state/event.ts";
import { hasTotals, totalsFromLastEvents, totalsOf } from "../../src/core/cast/state/usage.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { play, startOf, type Script, type TestConfig } from "../harness/play.ts";
import { TIME, USAGE, fold, items, socket, workshop } from "../harness/seats.ts";

const NO = { satisfied: false, context: "no" };
const YES = { satisfied: true };
const castId = "cast-1" as CastId; // of an id's form

const giving = JSON.parse(
  JSON.stringify(workshop()).replace('"maxTraversals":10', '"maxTraversals":1,"then":"next"'),
) as TestConfig; // a copy of it

/** A list of events that go on from others, as they would be written. */
function more(events: readonly CastEvent[], ...bodies: readonly EventBody[]): readonly CastEvent[] {
  return [...events, ...bodies.map((body, index) => ({ ...body, seq: events.length + index + 1, at: TIME }))];
}

describe("[C36] the figures of a cast from its last events are those of the cast itself, wherever it stands", () => {
  const says: Script["says"] = { Plan: ["no JSON", items("a", "b")], Eval: [NO, NO, YES] };

  it.each<[what: string, config: TestConfig, script: Script]>([
    ["items, reworks and a repair", workshop(), { says }],
    ["an item that was given up", giving, { says }],
    ["a turn that failed", workshop(), { says: { ...says, Tell: [{ fails: "no network" }] } }],
  ])("[C36] %s", async (_what, config, script) => {
    const { events } = await play(config, script);
    const start = startOf(config);
    const ended = events.at(-1);
    const resumed: EventBody = { type: "cast_resumed", by: "test", usage: USAGE };
    const all = ended?.type === "cast_ended" && ended.outcome === "failed" ? more(events, resumed) : events;
    for (const length of all.keys()) {
      const written = all.slice(0, length + 1);
      const last = written.findLastIndex((event) => "totals" in event);
      expect(totalsFromLastEvents(castId, written.slice(Math.max(0, last)))).toEqual(totalsOf(fold(start, written)));
      expect(hasTotals(written)).toBe(last !== -1);
    }
  });

  it.each<[what: string, body: EventBody, counts: boolean]>([
    ["an answer to a person", { type: "turn_answered", ...visit(), text: "t", usage: USAGE }, true],
    ["a turn that was stopped", { type: "turn_stopped", ...visit(), usage: USAGE, ms: 1 }, true],
    ["a text", { type: "output_accepted", ...visit(), text: "t", chars: 1, usage: USAGE }, true],
    [
      "a text that a person approved",
      { type: "output_accepted", ...visit(), text: "t", chars: 1, approved: true, usage: USAGE },
      false,
    ],
    ["a missing rehearsal", { type: "turn_failed", ...visit(), reason: "rehearsal", message: "", usage: USAGE }, false],
    ["a program", { type: "turn_failed", ...visit(), reason: "utility", message: "", usage: USAGE }, false],
    ["a provider", { type: "turn_failed", ...visit(), reason: "provider", message: "", usage: USAGE }, true],
  ])("[C36] what was used and no total has counted yet: %s", (_what, body, counts) => {
    const none = { visits: 0, itemsDone: 0, items: 0, tokens: 0, cost: 0 };
    expect(totalsFromLastEvents(castId, more([], body))).toEqual(counts ? { ...none, tokens: 5, cost: 1 } : none);
  });

  it("[C36] the cast of one item walks one item, for any length of the list", () => {
    const entered: EventBody = { type: "loop_entered", loop: "each", size: 5 };
    const child = "cast-1_1_WI-2" as CastId; // of an id's form
    expect([castId, child].map((id) => totalsFromLastEvents(id, more([], entered)).items)).toEqual([5, 1]);
  });
});

function visit() {
  return { socket: socket("Socket-1"), visit: 1 };
}
