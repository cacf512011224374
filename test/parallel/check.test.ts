import { expect, it } from "vitest";
import { socketOf } from "../../src/core/compile/graph.ts";
import { feedsParallelLoop } from "../../src/core/compile/socket-outputs.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { worstCase } from "../../src/core/compile/worst-case.ts";
import { readHandoff } from "../../src/core/handoff/read-handoff.ts";
import { limitOf } from "../../src/core/model/config.ts";
import { handoffContractText } from "../../src/core/prompt/handoff-contract.ts";
import { gridLines } from "../../src/core/view/graph/terminal-grid.ts";
import { lineText } from "../../src/core/view/line.ts";
import { refsOf } from "../harness/chain.ts";
import { catalogOf, compiled, type TestConfig } from "../harness/play.ts";
import { always, exit, graph, notSatisfied, refusals, satisfied, seat, socket, workshop } from "../harness/seats.ts";
import { parallelWorkshop } from "./harness/scenarios.ts";

function withLoop(more: object, sockets: Readonly<Record<string, object>> = {}): TestConfig {
  const base = {
    "Socket-1": seat("Plan", always("Socket-2")),
    "Socket-2": seat("Build", always("Socket-3")),
    "Socket-3": { ...seat("Eval", notSatisfied("Socket-2"), satisfied("Socket-2")), advance: { when: "satisfied" } },
    "Socket-4": seat("Tell"),
  };
  const each = {
    sockets: ["Socket-2", "Socket-3"],
    consumes: { from: "Socket-1", output: "workItems" },
    exits: [exit("Socket-3", "always", "Socket-4")],
    parallel: 2,
    ...more,
  };
  const materia = { Ask: { type: "person", question: "Shall it be?" } };
  return graph({ ...base, ...sockets }, { loops: { each }, materia }); // parts of sockets
}

it("[V1] parallel is a whole number from 1 to 64", () => {
  const said = [0, 65, 1.5, "two", 1, 64].map((parallel) => refusals(withLoop({ parallel })));
  const wrong = ["bad_value loadouts.Main.loops.each.parallel"];
  expect(said).toEqual([wrong, wrong, wrong, wrong, [], []]);
});

it("[V1] an item runs again at most 2 times because of conflicts, unless a limit is set", () => {
  expect([limitOf({}, "maxConflicts"), limitOf({ maxConflicts: 5 }, "maxConflicts")]).toEqual([2, 5]);
});

it("[V1, V26, V27] limits.maxConflicts and worktree are settings, and faulty ones are refused", () => {
  const { settings } = catalogOf({
    ...withLoop({}),
    limits: { maxConflicts: 5 },
    worktree: { copy: [".env"] },
  } as TestConfig);
  expect([settings.limits.maxConflicts, settings.worktree]).toEqual([5, { copy: [".env"] }]);
  const broken = catalogOf({ ...withLoop({}), worktree: { setup: [] } } as TestConfig);
  expect(broken.issues.map(({ code }) => code)).toEqual(["bad_value"]);
});

it.each<[what: string, config: TestConfig, code: string]>([
  [
    "no list",
    withLoop({ consumes: undefined, exits: [], sockets: ["Socket-2"] }, { "Socket-3": seat("Eval") }),
    "parallel_without_list loadouts.Main.loops.each.parallel",
  ],
  [
    "an interactive member",
    withLoop({}, { "Socket-2": seat("Talk", always("Socket-3")) }),
    "parallel_person_gate loadouts.Main.sockets.Socket-2",
  ],
  [
    "a person as a member",
    withLoop({}, { "Socket-2": seat("Ask", satisfied("Socket-3"), notSatisfied("Socket-3")) }),
    "parallel_person_gate loadouts.Main.sockets.Socket-2",
  ],
  [
    "an edge out",
    withLoop({}, { "Socket-2": seat("Eval", satisfied("Socket-3"), notSatisfied("Socket-4")) }),
    "parallel_loop_escape loadouts.Main.sockets.Socket-2.edges.1",
  ],
  [
    "a then out",
    withLoop(
      {},
      { "Socket-2": seat("Eval", satisfied("Socket-3"), { ...notSatisfied("Socket-2", 1), then: "Socket-4" }) },
    ),
    "parallel_loop_escape loadouts.Main.sockets.Socket-2.edges.1",
  ],
  [
    "a later member that leads out",
    withLoop(
      {},
      {
        "Socket-3": {
          ...seat("Eval", notSatisfied("Socket-4"), satisfied("Socket-2")),
          advance: { when: "satisfied" },
        },
      },
    ),
    "parallel_loop_escape loadouts.Main.sockets.Socket-3.edges.0",
  ],
  [
    "another member for later items",
    withLoop(
      {},
      {
        "Socket-3": {
          ...seat("Eval", notSatisfied("Socket-2"), satisfied("Socket-3")),
          advance: { when: "satisfied" },
        },
      },
    ),
    "parallel_entry_mismatch loadouts.Main.loops.each.parallel",
  ],
])("[V2] a parallel loop with %s is an error", (_what, config, code) => {
  expect(refusals(config)).toContain(code);
});

it("[V2] a loop in which the cast begins and which it enters elsewhere later has two doors, and both are named", () => {
  const advance = { items: "state.list" };
  const config = graph(
    {
      "Socket-3": { ...seat("Build", always("Socket-3")), advance },
      "Socket-1": { ...seat("Eval", always("Socket-2")), assign: { list: "$.workItems" } },
      "Socket-2": seat("Build", always("Socket-3")),
    },
    {
      loops: {
        each: { sockets: ["Socket-2", "Socket-3"], exits: [exit("Socket-3", "always", "Socket-1")], parallel: 2 },
      },
    },
  );
  const found = compileTargets([{ kind: "loadout", name: "Main" }], catalogOf(config));
  const messages = found.ok ? [] : found.issues.map(({ message }) => message);
  expect(messages).toEqual(['items of the parallel loop "each" begin at Socket-3 and Socket-2']);
});

it("[V2] a member may lead to the end, and a loop that is sound has no error", () => {
  expect(refusals(parallelWorkshop(4))).toEqual([]);
});

const around = { data: {}, item: null };
const plan = (config: TestConfig, workItems: unknown) => {
  const { graph: made } = compiled(config);
  const planner = made.sockets["Socket-1"];
  if (!planner) throw new Error("there is a planner");
  return readHandoff(made, planner, JSON.stringify({ workItems }), around);
};
const item = (after?: unknown) => ({ title: "t", context: "c", ...(after === undefined ? {} : { after }) });

it("[V3] after names earlier items; a later one, its own number and what is no number are invalid", () => {
  expect(plan(withLoop({}), [item(), item([1]), item([1, 2])])).toMatchObject({ ok: true, dropped: [] });
  const wrong = [
    [item([1])],
    [item(), item([2])],
    [item(), item([3]), item()],
    [item(), item("1")],
    [item(), item([0])],
  ];
  for (const list of wrong) expect(plan(withLoop({}), list)).toMatchObject({ ok: false, blame: "reply" });
});

it("[V3] in a list that no parallel loop walks it is dropped, and the contract does not speak of it", () => {
  expect(plan(workshop(), [item(), item("nonsense")])).toMatchObject({
    ok: true,
    dropped: ["workItems[].after"],
    handoff: { workItems: [item(), item()] },
  });
  const told = [workshop(), withLoop({})].map((config) => {
    const { graph: made } = compiled(config);
    const planner = made.sockets["Socket-1"];
    return planner ? handoffContractText(made, planner).includes('"after"') : undefined;
  });
  expect(told).toEqual([false, true]);
});

it("[V3] a list in state that is copied to the work items keeps its order for the loop to check", () => {
  const made = compiled(
    graph({
      "Socket-1": seat("Tool", always("Socket-2")),
      "Socket-2": { ...seat("Eval"), assign: { workItems: "state.list" } },
    }),
  ).graph;
  const list = [{ title: "a", context: "a", after: [1] }];
  const state = { data: { list }, item: null };
  expect(readHandoff(made, socketOf(made, socket("Socket-2")), "{}", state)).toMatchObject({ ok: true });
});

it("[V3] the makers of the list of a parallel loop know it, named or not, and no others", () => {
  const listed = (parallel: object): TestConfig =>
    graph(
      {
        "Socket-1": { ...seat("Eval", always("Socket-2")), assign: { list: "$.workItems", note: "$.context" } },
        "Socket-2": { ...seat("Build", always("Socket-2")), advance: { items: "state.list" } },
        "Socket-3": { ...seat("Eval"), assign: { note: "$.context" } },
      },
      { loops: { region: { sockets: ["Socket-3"] }, each: { sockets: ["Socket-2"], ...parallel } } },
    );
  const isTold = (config: TestConfig, id: string): boolean => {
    const { graph: made } = compiled(config);
    return feedsParallelLoop(made, socketOf(made, socket(id)));
  };
  const second = withLoop({}, { "Socket-5": seat("Plan", always("Socket-1")) });
  expect([isTold(second, "Socket-1"), isTold(second, "Socket-5")]).toEqual([true, false]);
  const several = listed({ parallel: 2 });
  expect([isTold(several, "Socket-1"), isTold(several, "Socket-3")]).toEqual([true, false]);
  expect(isTold(listed({}), "Socket-1")).toBe(false);
});

it("[V4] the worst case counts every attempt, and the grid says how many at once", () => {
  const amounts = [workshop(), withLoop({})].map((config) => {
    const result = compileTargets([{ kind: "loadout", name: "Main" }], catalogOf(config));
    if (!result.ok) throw new Error("it compiles");
    return worstCase(result.value.graph, result.value.flow, { ...catalogOf(config).settings.limits, maxConflicts: 3 })
      .turns;
  });
  const [one, several] = amounts.map((amount) => amount?.["each"] ?? 0);
  expect(several).toBe(4 * (one ?? 0));
  const drawn = gridLines(compiled(withLoop({})).graph)
    .map(lineText)
    .join("\n");
  // Before the list, which a narrow terminal cuts.
  expect(drawn).toContain("Loop each (2 at once) over ");
});

it("[L16] a loadout whose parallel loop ends it leads on to the next of a chain", () => {
  const config = withLoop({ exits: [] });
  const chain = compileTargets(refsOf("Main Tell"), catalogOf(config));
  const exits = chain.ok && chain.value.graph.loops["t1-each"]?.exits.map(({ targetSocketId }) => targetSocketId);
  expect(exits).toEqual(["Socket-5"]);
});
