import { expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { play, startOf } from "../harness/play.ts";
import { always, exit, graph, items, loop, notSatisfied, satisfied, seat } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

/** Plan → per item: Build → Eval, back to Build once, then the next item → Tell. */
const config = graph(
  {
    "Socket-1": seat("Plan", always("Socket-2")),
    "Socket-2": seat("Build", always("Socket-3")),
    "Socket-3": {
      ...seat("Eval", { ...notSatisfied("Socket-2", 1), then: "next" }, satisfied("Socket-2")),
      advance: { when: "satisfied" },
    },
    "Socket-4": seat("Tell"),
  },
  { loops: { each: loop(["Socket-2", "Socket-3"], exit("Socket-3", "always", "Socket-4")) } },
);
const no = { satisfied: false, context: "no" };
const { events } = await play(config, {
  says: { Plan: [items("a", "b", "c")], Eval: [no, no, { satisfied: true }, { satisfied: true }] },
});
const first = initialState(startOf(config));

/** The first event that suits, and the cast before it. */
function at(suits: (event: CastEvent) => boolean): { readonly event: CastEvent; readonly before: CastState } {
  const index = events.findIndex(suits);
  const event = events[index];
  if (!event) throw new Error("no such event");
  return { event, before: events.slice(0, index).reduce(apply, first) };
}

const of =
  (type: CastEvent["type"], more: object = {}) =>
  (event: CastEvent) =>
    event.type === type && Object.entries(more).every(([key, value]) => Reflect.get(event, key) === value);

it.each<[title: string, suits: (event: CastEvent) => boolean, change: object]>([
  ["an edge that is not there", of("edge_taken", { via: "edge" }), { index: 9 }],
  ["an edge without a place", of("edge_taken", { via: "edge", from: "Socket-3" }), { index: null }],
  ["an edge to elsewhere", of("edge_taken", { via: "edge" }), { to: "Socket-4" }],
  ["an exit that is not there", of("edge_taken", { via: "exit" }), { index: 9 }],
  ["an exit to elsewhere", of("edge_taken", { via: "exit" }), { to: "Socket-1" }],
  ["an exit of a socket outside loops", of("edge_taken", { via: "edge", from: "Socket-1" }), { via: "exit" }],
  ["more items than there are", of("loop_entered"), { size: 7 }],
  ["a loop that is not there", of("loop_entered"), { loop: "none" }],
  ["a cursor that jumps", of("cursor_advanced"), { index: 2 }],
  ["a cursor that stays", of("cursor_advanced"), { index: 0 }],
  ["another item than the one in hand", of("item_given_up"), { index: 1 }],
])("[J1] %s was not written by us", (_title, suits, change) => {
  const { event, before } = at(suits);
  expect(() => apply(before, event)).not.toThrow();
  expect(() => apply(before, { ...event, ...change })).toThrow(/no such|cannot/);
});

it.each<CastEvent["type"]>(["edge_taken", "loop_entered", "cursor_advanced", "item_given_up", "loop_exhausted"])(
  "[J1] %s cannot come first, nor in the middle of a visit",
  (type) => {
    const { event } = at(of(type));
    const visiting = apply(at(of("visit_started")).before, at(of("visit_started")).event);
    expect(() => apply({ ...first, seq: event.seq - 1 }, event)).toThrow(/cannot/);
    expect(() => apply({ ...visiting, seq: event.seq - 1 }, event)).toThrow(/cannot/);
  },
);

it("[G31] a pass knows which of its items were given up, and why", () => {
  const { event, before } = at(of("item_given_up"));
  expect([before.pass?.givenUp, apply(before, event).pass?.givenUp]).toEqual([[], [{ index: 0, reason: "no" }]]);
});

it("[J3] events follow each other without gaps, begin once, and a visit begins where the cast is on its way to", () => {
  const { event, before } = at(of("visit_started", { socket: "Socket-2" }));
  for (const seq of [event.seq - 1, event.seq + 1])
    expect(() => apply(before, { ...event, seq })).toThrow(`event ${seq} cannot follow event ${before.seq}`);
  expect(() => apply(before, { ...event, socket: "Socket-4" } as CastEvent)).toThrow("on its way to Socket-2");
  const began = at(of("cast_started"));
  expect(() => apply(before, { ...began.event, seq: event.seq })).toThrow("cast_started cannot happen");
  expect(apply(began.before, began.event).rehearsed).toBe(false);
  expect(apply(began.before, { ...began.event, rehearsed: true } as CastEvent).rehearsed).toBe(true);
});

it("[J1] limits of a cast that reached the end of its graph cannot be raised", () => {
  const end = events.reduce(apply, first);
  const raised: CastEvent = { type: "limits_raised", allow: 1, seq: end.seq + 1, at: "2026-01-01T00:00:00.000Z" };
  expect(() => apply(end, raised)).toThrow("limits_raised cannot follow the end of a cast that is ");
});

it("[G9] no more sockets are kept as walked than a person reads", () => {
  const { event, before } = at(of("visit_started", { socket: "Socket-2" }));
  const [walked = ""] = before.walked;
  for (const [stood, kept] of [
    [39, 40],
    [40, 40],
  ] as const) {
    const long = { ...before, walked: Array.from({ length: stood }, () => walked) } as CastState;
    expect(apply(long, event).walked).toEqual([...Array.from({ length: kept - 1 }, () => walked), "Socket-2"]);
  }
});
