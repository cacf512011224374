import { expect, it } from "vitest";
import { socketOf } from "../../src/core/compile/graph.ts";
import { requiredHandoffFields } from "../../src/core/compile/socket-outputs.ts";
import { readHandoff } from "../../src/core/handoff/read-handoff.ts";
import { compiled, play, type TestConfig } from "../harness/play.ts";
import { always, exit, graph, items, loop, notSatisfied, satisfied, seat, socket } from "../harness/seats.ts";

const ends = [satisfied("end"), notSatisfied("end")];
const loopMember = (condition: string, advance: string, ...more: readonly object[]): TestConfig =>
  graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": { ...seat("Eval", always("Socket-2")), advance: { when: advance } },
      "Socket-3": seat("Tell"),
      "Socket-4": seat("Tell"),
    },
    {
      loops: {
        each: loop(["Socket-2"], exit("Socket-2", condition, "Socket-3"), ...more.map((each) => ({ ...each }))),
      },
    },
  );

it.each<[rule: string, config: TestConfig, id: string, fields: readonly string[]]>([
  ["[H9, H10] nothing", graph({ "Socket-1": seat("Eval", always("end")) }), "Socket-1", []],
  [
    "[H9, H10] an edge that asks for true",
    graph({ "Socket-1": seat("Eval", satisfied("end")) }),
    "Socket-1",
    ["satisfied"],
  ],
  [
    "[H9, H10] an edge that asks for false",
    graph({ "Socket-1": seat("Eval", notSatisfied("end")) }),
    "Socket-1",
    ["satisfied"],
  ],
  [
    "[H9, H10] a guard before always",
    graph({ "Socket-1": seat("Eval", satisfied("end"), always("end")) }),
    "Socket-1",
    ["satisfied"],
  ],
  ["[H9, H10] advance", loopMember("always", "satisfied"), "Socket-2", ["satisfied"]],
  ["[H9, H10] a guarded exit", loopMember("satisfied", "always"), "Socket-2", ["satisfied"]],
  [
    "[H9, H10] a guarded exit beside always",
    loopMember("satisfied", "always", exit("Socket-2", "always", "Socket-4")),
    "Socket-2",
    ["satisfied"],
  ],
  ["[H9, H10] an exit that is always taken", loopMember("always", "always"), "Socket-2", []],
  ["[H9, H10] a generator", graph({ "Socket-1": seat("Plan") }), "Socket-1", ["workItems"]],
  [
    "[H9, H10] a generator that judges",
    graph({ "Socket-1": seat("Plan", ...ends) }),
    "Socket-1",
    ["workItems", "satisfied"],
  ],
  [
    "[H22, H10] assign of context",
    graph({ "Socket-1": { ...seat("Eval"), assign: { note: "$.context" } } }),
    "Socket-1",
    [],
  ],
  [
    "[H9, H10] assign of a part",
    graph({ "Socket-1": { ...seat("Eval"), assign: { first: "$.workItems.0.title" } } }),
    "Socket-1",
    ["workItems"],
  ],
  ["[H9, H10] assign of all", graph({ "Socket-1": { ...seat("Eval"), assign: { all: "$" } } }), "Socket-1", []],
  [
    "[H9, H10] assign of state",
    graph({ "Socket-1": { ...seat("Eval"), assign: { a: "state.satisfied" } } }),
    "Socket-1",
    [],
  ],
])("%s", async (_rule, config, id, fields) => {
  const { graph: made } = compiled(config);
  const at = socketOf(made, socket(id));
  const reading = readHandoff(made, at, "{}", { data: { satisfied: true }, item: null });
  const missing = reading.ok
    ? []
    : reading.problems.flatMap((problem) => /^"(\w+)" is missing/.exec(problem)?.[1] ?? []);
  const { asked } = await play(config, { data: { satisfied: true }, says: { Plan: [items("a")], [id]: ["{}"] } });
  const turns = asked.filter((request) => request.socket === id);
  expect([...requiredHandoffFields(made, at).keys()]).toEqual(fields);
  expect(missing).toEqual(fields);
  expect(required(turns[0]?.system)).toEqual(fields);
  expect(required(turns.at(-1)?.prompt)).toEqual(fields);
});

function required(text = ""): readonly string[] {
  return [...text.matchAll(/"(\w+)" \(required\)/g)].map((match) => match[1] ?? "");
}
