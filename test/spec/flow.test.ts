import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reachable, stronglyConnectedComponents } from "../../src/core/compile/digraph.ts";
import type { Flow } from "../../src/core/compile/flow.ts";
import { always, consuming, exit, main, notSatisfied, satisfied, type EdgeInput } from "../harness/loadouts.ts";
import { compiled, type TestConfig } from "../harness/play.ts";

/** What a visit can lead to: `answer → socket`, what moved on before it, and behind `or` where empty lists lead. */
function waysFrom(config: TestConfig, id: string): readonly string[] {
  const { flow } = compiled(config);
  const number = flow.numberOf.get(id) ?? -1;
  return (flow.steps[number] ?? []).map(({ way, satisfied: answer, advanced, exhausted, landings }) => {
    const [, ...others] = landings.map((to) => flow.sockets[to]?.id);
    const used = way.via === "edge" && way.then ? "used up " : "";
    const moved = `${advanced ? " advanced" : ""}${exhausted ? " exhausted" : ""}`;
    return `${used}${answer ?? "any"} → ${way.to}${moved}${others.length > 0 ? ` or ${others.join(", ")}` : ""}`;
  });
}

const usedUp = (to: string, then: string): EdgeInput => ({ when: "not_satisfied", to, maxTraversals: 1, then });

/** Plan → per item: Text → Json → Text → Socket-6; the judge may also send a plan straight to the second member. */
function shop(then: string, exits = [exit("Socket-4", "always", "Socket-6")], last: object = {}): TestConfig {
  return main(
    {
      "Socket-1": { materia: "Plan", edges: [satisfied("Socket-3"), always("Socket-2")] },
      "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
      "Socket-3": { materia: "Json", edges: [usedUp("Socket-2", then), satisfied("Socket-4")] },
      "Socket-4": { materia: "Json", advance: {}, edges: [always("Socket-2")], ...last },
      "Socket-6": { materia: "Text" },
    },
    { L: consuming(["Socket-2", "Socket-3", "Socket-4"], ...exits) },
  );
}

describe("[G27, G28] where a visit can lead", () => {
  it.each<[rule: string, then: string, ways: readonly string[]]>([
    ["[G27] to a socket", "Socket-4", ["used up false → Socket-4"]],
    ["[G27] to the end", "end", ["used up false → end"]],
    [
      "[G28, G34] to the next item, by each door of the loop, and behind the last as an empty list goes",
      "next",
      ["false → Socket-6 advanced exhausted", "used up false → Socket-3 advanced", "used up false → Socket-2 advanced"],
    ],
  ])("%s", (_rule, then, ways) => {
    const [first, back, ...rest] = waysFrom(shop(then), "Socket-3");
    expect([first, back]).toEqual(["true → Socket-4", "false → Socket-2"]);
    expect(rest).toEqual(ways);
  });

  it("[G34] after the last item the exits of its member decide, also when they end the cast", () => {
    const own = [exit("Socket-3", "not_satisfied", "Socket-6"), exit("Socket-4", "always", "end")];
    expect(waysFrom(shop("next", own), "Socket-3")).toContain("false → Socket-6 advanced exhausted");
    const ending = waysFrom(shop("next", [exit("Socket-4", "always", "end")]), "Socket-3");
    expect(ending.filter((way) => way.includes("exhausted"))).toEqual([]);
  });

  it("[G28] only the loop of the socket that gives up begins its next item", () => {
    const config = main(
      {
        "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
        "Socket-2": {
          materia: "Json",
          advance: { when: "satisfied" },
          edges: [usedUp("Socket-2", "next"), satisfied("Socket-2")],
        },
        "Socket-3": { materia: "Text", advance: {}, edges: [always("Socket-3")] },
        "Socket-4": { materia: "Text" },
      },
      {
        A: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")),
        B: consuming(["Socket-3"], exit("Socket-3", "always", "Socket-4")),
      },
    );
    expect(waysFrom(config, "Socket-2")).toEqual([
      "true → Socket-2 advanced",
      "true → Socket-3 advanced exhausted or Socket-4",
      "false → Socket-2",
      "false → Socket-3 advanced exhausted or Socket-4",
      "used up false → Socket-2 advanced",
    ]);
    expect(waysFrom(config, "Socket-3")).toEqual(["any → Socket-3 advanced", "any → Socket-4 advanced exhausted"]);
  });

  it.each<[rule: string, exits: readonly object[], ways: readonly string[]]>([
    ["[O9] without its own guarded exit the answer does not matter", [exit("Socket-4", "always", "Socket-6")], ["any"]],
    [
      "[O9] a guarded exit asks for it",
      [exit("Socket-4", "satisfied", "Socket-6"), exit("Socket-4", "not_satisfied", "end")],
      ["true", "true", "false", "false"],
    ],
    ["[O9] one of another member does not", [exit("Socket-3", "satisfied", "Socket-6")], ["any"]],
  ])("%s", (_rule, exits, answers) => {
    const found = waysFrom(shop("end", [...exits]), "Socket-4").map((way) => way.split(" ")[0]);
    expect(answers.length === 1 ? [...new Set(found)] : found).toEqual(answers);
  });
});

/** Random graphs of up to eight sockets, each with up to three ways. */
const graphs = fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 1, maxLength: 8 }).map((targets): Flow => {
  const size = targets.length;
  const edges = (to: readonly number[]): readonly EdgeInput[] =>
    to.map((each, index) => [satisfied, notSatisfied, always][index]?.(`Socket-${(each % size) + 1}`) ?? always("end"));
  const sockets = targets.map((to, index) => [`Socket-${index + 1}`, { materia: "Json", edges: edges(to) }] as const);
  return compiled(main(Object.fromEntries(sockets))).flow;
});

function reachedWithout({ onward }: Flow, starts: readonly number[], without = -1): ReadonlySet<number> {
  const seen = new Set<number>();
  const open = starts.filter((start) => start !== without);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(onward[at] ?? []).filter((to) => to !== without));
  }
  return seen;
}

const pairsOf = ({ sockets }: Flow): readonly (readonly [number, number])[] =>
  [...sockets.keys()].flatMap((a) => [...sockets.keys()].map((b) => [a, b] as const));

it("[O11] what can run before a socket is exactly what ways without it lead to", () => {
  fc.assert(
    fc.property(graphs, (flow) => {
      const asked = pairsOf(flow).filter(([first, then]) => first !== then && flow.reached.has(then));
      expect(asked.filter(([first, then]) => !reachable(flow.onward, flow.starts, new Set([first])).has(then))).toEqual(
        asked.filter(([first, then]) => !reachedWithout(flow, flow.starts, first).has(then)),
      );
    }),
    { seed: 1, numRuns: 200 },
  );
});

it("[G20] places lead round together exactly where each leads to the other, and stand behind those that they lead to", () => {
  fc.assert(
    fc.property(graphs, (flow) => {
      const found = stronglyConnectedComponents(flow.onward);
      const behind = flow.sockets.map((_, at) => reachedWithout(flow, flow.onward[at] ?? []));
      const leads = (a: number, b: number): boolean => behind[a]?.has(b) === true;
      const placeOf = (at: number): number => found.findIndex((places) => places.includes(at));
      expect(found.flat().toSorted((a, b) => a - b)).toEqual([...flow.sockets.keys()]);
      expect(pairsOf(flow).filter(([a, b]) => placeOf(a) === placeOf(b))).toEqual(
        pairsOf(flow).filter(([a, b]) => a === b || (leads(a, b) && leads(b, a))),
      );
      expect(pairsOf(flow).filter(([a, b]) => leads(a, b) && placeOf(a) < placeOf(b))).toEqual([]);
    }),
    { seed: 2, numRuns: 200 },
  );
});
