import { describe, expect, it } from "vitest";
import { pathText } from "../../src/core/model/issue.ts";
import {
  always,
  consuming,
  exit,
  main,
  notSatisfied,
  problems,
  problemsOf,
  satisfied,
  type EdgeInput,
} from "../harness/loadouts.ts";

describe("[G18, G19, G20] doubtful ways", () => {
  it("[G18] sockets that no way reaches, over dead guards and dead exits as well", () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [satisfied("Socket-2"), satisfied("Socket-3"), always("Socket-2")] },
      "Socket-2": { materia: "Json", advance: { when: "satisfied" }, edges: [satisfied("Socket-2"), always("end")] },
      "Socket-3": { materia: "Text", edges: [always("Socket-4")] },
      "Socket-4": { materia: "Text" },
      "Socket-5": { materia: "Text" },
    };
    const exits = [exit("Socket-2", "satisfied", "Socket-5"), exit("Socket-2", "not_satisfied", "Socket-4")];
    expect(problems(main(sockets, { L: consuming(["Socket-2"], ...exits) }))).toEqual([
      "warning unreachable_socket sockets.Socket-3",
      "warning unreachable_socket sockets.Socket-4",
    ]);
  });

  it("[G18] what only an empty list leads to is reached", () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
      "Socket-3": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
      "Socket-4": { materia: "Text" },
    };
    const loop = consuming(["Socket-2", "Socket-3"], exit("Socket-2", "always", "Socket-4"));
    expect(problems(main(sockets, { L: loop }))).toEqual([]);
  });

  it.each([
    ["[O14] none", []],
    ["[O14] one to the end", [exit("Socket-2", "always", "end")]],
  ])("%s: a loop may end the cast on purpose, without a warning", (_rule, exits) => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
    };
    expect(problems(main(sockets, { L: consuming(["Socket-2"], ...exits) }))).toEqual([]);
  });

  it.each<[rule: string, advance: object, exits: readonly object[], found: readonly string[]]>([
    ["[O16] a lone satisfied", {}, [exit("Socket-2", "satisfied", "end")], ["satisfied: false"]],
    ["[O16] a lone not_satisfied", {}, [exit("Socket-2", "not_satisfied", "end")], ["satisfied: true"]],
    ["[O16] satisfied where only that advances", { when: "satisfied" }, [exit("Socket-2", "satisfied", "end")], []],
    ["[O16] both", {}, [exit("Socket-2", "satisfied", "end"), exit("Socket-2", "not_satisfied", "end")], []],
  ])("%s: answers that no exit takes are named", (_rule, advance, exits, found) => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Json", advance, edges: [always("Socket-2")] },
    };
    const lost = problemsOf(main(sockets, { L: consuming(["Socket-2"], ...exits) })).filter(
      ({ code, path }) => code === "unhandled_outcome" && path.at(-1) === "exits",
    );
    expect(lost.map(({ message }) => /satisfied: \w+/.exec(message)?.[0])).toEqual(found);
  });

  it("[G20] planner → loop → planner is a way round that nothing counts", () => {
    const around = (back: EdgeInput) =>
      main(
        {
          "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
          "Socket-2": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
          "Socket-3": { materia: "Text", edges: [back] },
        },
        { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")) },
      );
    expect(problems(around(always("Socket-1")))).toEqual(["warning unbounded_cycle sockets.Socket-1.edges"]);
    expect(problemsOf(around(always("Socket-1")))[0]?.message).toMatch(/Socket-1 .*the loop "L" → Socket-3/);
    expect(problems(around(always("Socket-1", 2)))).toEqual([]);
  });

  it("[G20] loops that lead to each other are a way round, told at an exit of the first", () => {
    const walk = (id: string) => ({ materia: "Text", advance: {}, edges: [always(id)] });
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": walk("Socket-2"),
      "Socket-3": walk("Socket-3"),
    };
    const loops = {
      A: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")),
      B: consuming(["Socket-3"], exit("Socket-3", "always", "Socket-2")),
    };
    expect(problems(main(sockets, loops))).toEqual(["warning unbounded_cycle loops.A.exits"]);
  });

  it("[G20] of a long way round the first eight are named", () => {
    const ring = (size: number) =>
      Object.fromEntries(
        Array.from({ length: size }, (_, index) => [
          `Socket-${index + 1}`,
          { materia: "Text", edges: [always(`Socket-${((index + 1) % size) + 1}`)] },
        ]),
      );
    const plan = { materia: "Plan", edges: [always("Socket-21")] };
    const walk = { materia: "Text", advance: {}, edges: [always("Socket-21")] };
    const through = main(
      { ...ring(10), "Socket-10": { ...plan }, "Socket-21": walk },
      {
        L: {
          sockets: ["Socket-21"],
          consumes: { from: "Socket-10", output: "workItems" },
          exits: [exit("Socket-21", "always", "Socket-1")],
        },
      },
    );
    for (const config of [main(ring(10)), through])
      expect(problemsOf(config).map(({ message }) => message.split(" → ").length)).toEqual([8]);
  });

  it.each<[rule: string, edges: readonly EdgeInput[], uncovered: readonly string[]]>([
    ["[G19] only satisfied", [satisfied("end")], ["satisfied: false"]],
    ["[G19] only not_satisfied", [notSatisfied("end")], ["satisfied: true"]],
    ["[G19] both", [satisfied("end"), notSatisfied("end")], []],
    ["[G19] a guard and always", [satisfied("end"), always("end")], []],
    ["[G19] no edge at all", [], []],
    ["[G19] only always", [always("end")], []],
  ])("%s", (_rule, edges, uncovered) => {
    const found = problemsOf(main({ "Socket-1": { materia: "Json", edges } }));
    expect(found.map(({ code, path }) => `${code} ${pathText(path)}`)).toEqual(
      uncovered.map(() => "unhandled_outcome loadouts.Main.sockets.Socket-1.edges"),
    );
    for (const [index, outcome] of uncovered.entries()) expect(found[index]?.message).toContain(outcome);
  });

  it("[G19] a socket that advances is no exception: its list may not be at its end", () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Json", advance: {}, edges: [satisfied("Socket-2")] },
      "Socket-3": { materia: "Text" },
    };
    const loop = consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3"));
    expect(problems(main(sockets, { L: loop }))).toEqual(["warning unhandled_outcome sockets.Socket-2.edges"]);
    const still = main({ ...sockets, "Socket-2": { materia: "Json", advance: {} } }, { L: loop });
    expect(problemsOf(still).map(({ code, message }) => `${code} ${message}`)).toEqual([
      "unhandled_outcome Socket-2 (Json) has no edge for the next item: the cast ends there",
    ]);
  });

  it("[G38] a member that advances on every answer although a refusal leads back", () => {
    const advancing = (advance: object) => ({
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Json", advance, edges: [notSatisfied("Socket-2", 2), always("Socket-2")] },
    });
    const loops = { L: consuming(["Socket-2"], exit("Socket-2", "always", "end")) };
    expect(problems(main(advancing({}), loops))).toEqual(["warning refused_item_advances sockets.Socket-2.advance"]);
    expect(problems(main(advancing({ when: "satisfied" }), loops))).toEqual([]);
  });

  it("[O16] a guarded exit of a member that is read as text is never taken, and its answer has no exit", () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
    };
    const found = problemsOf(main(sockets, { L: consuming(["Socket-2"], exit("Socket-2", "satisfied", "end")) }));
    expect(found.map(({ severity, code, path }) => `${severity} ${code} ${path.slice(4).join(".")}`)).toEqual([
      "warning unhandled_outcome exits",
      "warning exit_needs_json exits.0",
    ]);
    expect(found[0]?.message).toContain("an answer without satisfied");
  });

  it.each([
    ["[G20] a counted edge back", back(notSatisfied("Socket-2", 1)), []],
    ["[G20] an edge back that nothing counts", back(notSatisfied("Socket-2")), ["Socket-2", "Socket-3"]],
    ["[G20] an edge back that advances", back(notSatisfied("Socket-2"), { when: "not_satisfied" }), []],
    [
      "[G20] an edge back on the answer that does not advance",
      back(notSatisfied("Socket-2"), { when: "satisfied" }),
      ["Socket-2", "Socket-3"],
    ],
    [
      "[G20] an edge back behind one to the end",
      main({ "Socket-1": { materia: "Json", edges: [satisfied("end"), notSatisfied("Socket-1")] } }),
      ["Socket-1"],
    ],
    [
      "[G20] a socket that leads to itself",
      main({ "Socket-1": { materia: "Text", edges: [always("Socket-1")] } }),
      ["Socket-1"],
    ],
  ])("%s", (_rule, config, sockets) => {
    const cycles = problemsOf(config).filter((issue) => issue.code === "unbounded_cycle");
    expect(cycles).toHaveLength(sockets.length === 0 ? 0 : 1);
    expect([...(cycles[0]?.message.matchAll(/Socket-\d/g) ?? [])].map(String)).toEqual(sockets);
    for (const { path } of cycles) expect(path.slice(-2)).toEqual([sockets[0], "edges"]);
  });
});

function back(edge: EdgeInput, advance?: object) {
  return main(
    {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
      "Socket-3": { materia: "Json", ...(advance ? { advance } : {}), edges: [edge, always("Socket-4")] },
      "Socket-4": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
    },
    { L: consuming(["Socket-2", "Socket-3", "Socket-4"], exit("Socket-4", "always", "end")) },
  );
}
