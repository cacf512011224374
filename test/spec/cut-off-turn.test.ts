import { expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import { askedPersonMateria } from "../../src/core/cast/prompt-text.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { play, startOf } from "../harness/play.ts";
import { always, graph, seat } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const config = graph(
  {
    "Socket-1": seat("Build", always("Socket-2")),
    "Socket-2": seat("Ask", always("Socket-3")),
    "Socket-3": seat("Tell"),
  },
  { materia: { Ask: { type: "person", question: "Good?" } } },
);
const start = initialState(startOf(config));
const { events, state: waiting } = await play(config);
const visiting = events.slice(0, events.findIndex(({ type }) => type === "visit_started") + 1).reduce(apply, start);

function put(state: CastState, body: object): CastState {
  return apply(state, { ...body, seq: state.seq + 1, at: "2026-01-01T00:00:00.000Z" } as CastEvent); // a whole event of its type
}

const ended = {
  type: "cast_ended",
  outcome: "aborted",
  reason: "",
  totals: { visits: 0, turns: 0, itemsDone: 0, items: 0, tokens: 0, cost: 0 },
};
const usage = { input: 7, output: 2, cost: 0.5 };

it("[D4] what a turn used that was cut off counts when the cast goes on, for the cast, its visit and its turn", () => {
  const resumed = put(put(visiting, ended), { type: "cast_resumed", by: "recast", usage });
  expect(resumed).toMatchObject({
    usage,
    largest: usage,
    phase: { kind: "visiting", visit: { usage, turn: { usage, ms: 0 } } },
  });
  const again = put(put(resumed, ended), { type: "cast_resumed", by: "recast", usage });
  const twice = { input: 14, output: 4, cost: 1 };
  expect(again).toMatchObject({ usage: twice, phase: { visit: { usage: twice, turn: { usage: twice } } } });
});

it("[D4] without such a turn a resume changes nothing but where the cast stands", () => {
  const { seq: _before, ...stood } = visiting;
  const { seq: _after, ...resumed } = put(put(visiting, ended), { type: "cast_resumed", by: "recast" });
  expect(resumed).toEqual(stood);
});

it("[D4] a cast that waits has no turn that could have used anything", () => {
  const resumed = put(put(waiting, ended), { type: "cast_resumed", by: "recast", usage });
  expect(resumed).toMatchObject({ usage: waiting.usage, phase: waiting.phase });
});

it("[Q6] the person whose answer a cast waits for is known, also after it was stopped", () => {
  expect(askedPersonMateria(waiting)).toMatchObject({ type: "person", question: "Good?" });
  expect(askedPersonMateria(put(waiting, ended))).toMatchObject({ type: "person", question: "Good?" });
  for (const other of [start, visiting, put(visiting, ended)]) expect(askedPersonMateria(other)).toBe(undefined);
});

it("[Q6] an agent that waits for an answer is no person", async () => {
  const talk = graph({ "Socket-1": seat("Talk") });
  const { state } = await play(talk, { says: { Talk: ["well?"] } });
  expect([state.phase.kind, askedPersonMateria(state)]).toEqual(["waiting", undefined]);
});
