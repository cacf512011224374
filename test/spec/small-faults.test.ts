import { describe, expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import type { EventBody } from "../../src/core/cast/state/event.ts";
import { next } from "../../src/core/cast/next.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { countOf } from "../../src/core/cast/state/persistent-map.ts";
import { buildFlow } from "../../src/core/compile/flow.ts";
import { requiredHandoffFields } from "../../src/core/compile/socket-outputs.ts";
import { socketOf } from "../../src/core/compile/graph.ts";
import { NONE, at } from "../harness/cast.ts";
import { compiled, play, startOf } from "../harness/play.ts";
import { TIME, USAGE, after, always, exit, graph, items, loop, refusals, seat, socket } from "../harness/seats.ts";
import { main, problems } from "../harness/loadouts.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const pair = graph({ "Socket-1": seat("Eval", always("Socket-2")), "Socket-2": seat("Eval") });

/** A cast whose first visit has begun. */
function visiting(config = pair): CastState {
  return after(
    initialState(startOf(config)),
    { type: "cast_started", castId: startOf(config).castId, request: "do it", loadout: "Main" },
    { type: "visit_started", ...at("Socket-1"), materia: "Eval", item: null },
  );
}

describe("[J1] an event of another visit does not fit", () => {
  const accepted = {
    type: "handoff_accepted" as const,
    handoff: {},
    found: "exact" as const,
    dropped: [],
    usage: USAGE,
  };
  it.each<[string, EventBody]>([
    ["[J1] another socket", { ...accepted, ...at("Socket-2") }],
    ["[J1] another number", { ...accepted, ...at("Socket-1", 2) }],
    [
      "[J1] a failed turn elsewhere",
      { type: "turn_failed", ...at("Socket-2"), reason: "provider", message: "", usage: USAGE },
    ],
  ])("%s", (_rule, body) => {
    expect(() => apply(visiting(), { seq: 3, at: TIME, ...body })).toThrow(/names visit/);
  });
});

it.each<[rule: string, reason: string, turns: number]>([
  ["[A11] a reply that was missing was not had", "rehearsal", 0],
  ["[A11] a request that failed was", "provider", 1],
])("%s", (_rule, reason, turns) => {
  const failed = after(visiting(), { type: "turn_failed", ...at("Socket-1"), reason, message: "", usage: NONE });
  expect(countOf(failed.turns, "Socket-1")).toBe(turns);
});

it("[J36, J37] after a raise the budget warns again", async () => {
  const config = { ...pair, budget: { maxTokens: 30, warnAtPercent: 40 } };
  const played = await play(config, { says: { Eval: [{}] } });
  expect(played.state.warned).toBe(true);
  const stopped = { ...played.state, phase: { kind: "unstarted" } as const };
  expect(after(stopped, { type: "limits_raised", maxTokens: 1000 }).warned).toBe(false);
});

it("[J15] a reply that is to be repaired once too often says so, even where the budget is used up as well", () => {
  const config = { ...pair, budget: { maxTokens: 5 }, limits: { maxRepairs: 0 } };
  const rejected = after(visiting(config), {
    type: "handoff_rejected",
    ...at("Socket-1"),
    attempt: 1,
    issues: ["no object"],
    usage: USAGE,
  });
  expect(next(rejected)).toMatchObject({ kind: "record", events: [{ type: "limit_reached", limit: "maxRepairs" }] });
});

it("[H9] a guarded exit asks nothing of a member that never advances", () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Eval", always("Socket-3")),
      "Socket-3": { ...seat("Build", always("Socket-2")), advance: {} },
      "Socket-4": seat("Tell"),
    },
    { loops: { each: loop(["Socket-2", "Socket-3"], exit("Socket-2", "satisfied", "Socket-4")) } },
  );
  const { graph: compiledGraph } = compiled(config);
  expect([...requiredHandoffFields(compiledGraph, socketOf(compiledGraph, socket("Socket-2"))).keys()]).toEqual([]);
});

it("[O8] behind an empty loop a way may lead back into the loop it came from, which begins a new pass", () => {
  const sockets = {
    "Socket-4": { materia: "Tool", edges: [{ when: "always", to: "Socket-1" }] },
    "Socket-1": { materia: "Text", advance: { items: "state.a" }, edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Text", advance: { items: "state.b" }, edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-3": { materia: "Text", edges: [{ when: "always", to: "end" }] },
  };
  const { graph: compiledGraph } = compiled(
    main(
      sockets,
      {
        A: { sockets: ["Socket-1"], exits: [exit("Socket-1", "always", "Socket-3")] },
        B: { sockets: ["Socket-2"], exits: [exit("Socket-2", "always", "Socket-1")] },
      },
      { materia: { Tool: { type: "utility", command: ["tool"], parse: "json" } } },
    ),
  );
  const flow = buildFlow(compiledGraph);
  const landings = flow.steps[flow.numberOf.get("Socket-1") ?? -1]
    ?.find(({ way }) => way.to === "Socket-2")
    ?.landings.map((each) => flow.sockets[each]?.id);
  expect(landings).toEqual(["Socket-2", "Socket-1", "Socket-3"]);
});

it("[O11] every member is looked at, not only the first: the second may be entered before the generator", () => {
  const config = graph(
    {
      "Socket-4": seat("Eval", { when: "satisfied", to: "Socket-1" }, always("Socket-3")),
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Build", always("Socket-3")),
      "Socket-3": { ...seat("Build", always("end")), advance: {} },
    },
    { loops: { each: loop(["Socket-2", "Socket-3"]) } },
  );
  expect(refusals(config)).toEqual(["loop_before_generator loadouts.Main.loops.each"]);
});

it("[H8] a list that assign puts in the place of the work items is checked like one that was handed over", async () => {
  const config = graph({ "Socket-1": { ...seat("Eval"), assign: { workItems: "state.found" } } });
  const { state } = await play(config, {
    says: { Eval: [{}] },
    data: { found: [{ title: "a" }], ...items("old") },
  });
  expect(state.phase).toMatchObject({ kind: "ended", outcome: "failed" });
  expect(state.data["workItems"]).toEqual(items("old")["workItems"]);
});

it("[G21] the item in hand is state that a loop sets, and nothing sets outside it", () => {
  const sockets = {
    "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Show", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-3": { materia: "Show" },
  };
  const loops = { L: loop(["Socket-2"], exit("Socket-2", "always", "Socket-3")) };
  const config = main(sockets, loops, { materia: { Show: { prompt: "{{state.workItem.title}}" } } });
  expect(problems(config)).toEqual(["warning state_never_set sockets.Socket-3"]);
});

it("[G21] a utility that is read as text sets no state", () => {
  const config = main(
    { "Socket-1": { materia: "Say", edges: [{ when: "always", to: "Socket-2" }] }, "Socket-2": { materia: "Reader" } },
    {},
    {
      materia: { Say: { type: "utility", command: ["say"] }, Reader: { prompt: "Use {{state.report}}." } },
    },
  );
  expect(problems(config)).toEqual(["warning state_never_set sockets.Socket-2"]);
});

it("[O15] a utility that is read as text makes no list", () => {
  const config = main(
    {
      "Socket-1": { materia: "Say", edges: [{ when: "always", to: "Socket-2" }] },
      "Socket-2": { materia: "Text", advance: { items: "state.plans" }, edges: [{ when: "always", to: "Socket-2" }] },
    },
    { L: { sockets: ["Socket-2"], exits: [] } },
    { materia: { Say: { type: "utility", command: ["say"] } } },
  );
  expect(problems(config)).toContain("error list_never_produced loops.L");
});
