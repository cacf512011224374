import { describe, expect, it } from "vitest";
import { pathText } from "../../src/core/model/issue.ts";
import { always, consuming, exit, main, notSatisfied, problems, problemsOf, satisfied } from "../harness/loadouts.ts";
import type { EdgeInput, SocketInput } from "../harness/loadouts.ts";

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
    expect(problems(main(sockets, { L: loop }))).toEqual(["warning exit_never_taken loops.L.exits.0"]);
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
      ({ code, path }) => code === "uncovered_outcome" && path.at(-1) === "exits",
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
    expect(problems(around(always("Socket-1", 2)))).toEqual([]);
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
      uncovered.map(() => "uncovered_outcome loadouts.Main.sockets.Socket-1.edges"),
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
    expect(problems(main(sockets, { L: loop }))).toEqual(["warning uncovered_outcome sockets.Socket-2.edges"]);
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
      "[G20] a socket that leads to itself",
      main({ "Socket-1": { materia: "Text", edges: [always("Socket-1")] } }),
      ["Socket-1"],
    ],
  ])("%s", (_rule, config, sockets) => {
    const cycles = problemsOf(config).filter((issue) => issue.code === "unbounded_cycle");
    expect(cycles).toHaveLength(sockets.length === 0 ? 0 : 1);
    expect([...(cycles[0]?.message.matchAll(/Socket-\d/g) ?? [])].map(String)).toEqual(sockets);
  });
});

describe("[G21, G22] state and variables", () => {
  it.each([
    ["[G21] read in a prompt, set by nothing", one("{{state.note}}"), ["warning state_never_set sockets.Socket-1"]],
    [
      "[G21] read by assign, set by nothing",
      two({ assign: { b: "state.a" } }, { prompt: "{{state.b}}" }),
      ["warning state_never_set sockets.Socket-1"],
    ],
    [
      "[G21] set, read by nothing",
      one("x", { assign: { note: "$.context" } }),
      ["warning state_never_read sockets.Socket-1.assign"],
    ],
    [
      "[G21] set in one socket, read in another",
      two({ assign: { note: "$.context" } }, { prompt: "{{state.note}}" }),
      [],
    ],
    ["[G21] a part of what is set is read", two({ assign: { note: "$" } }, { prompt: "{{state.note.context}}" }), []],
    [
      "[G21] set by the socket, whose assign stands for its materia's",
      two({ assign: { note: "$.context" } }, {}),
      ["warning state_never_read sockets.Socket-1.assign"],
    ],
    ["[G21] what casts before leave is there", one("{{state.previousCastContext}}"), []],
  ])("%s", (_rule, config, expected) => {
    expect(problems(config)).toEqual(expected);
  });

  it("[G21] a list that a loop walks is read", () => {
    const sockets = {
      "Socket-1": { materia: "Json", assign: { list: "$.workItems" }, edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", advance: { items: "state.list" }, edges: [always("Socket-2")] },
      "Socket-3": { materia: "Text" },
    };
    const loop = { sockets: ["Socket-2"], exits: [exit("Socket-2", "always", "Socket-3")] };
    expect(problems(main(sockets, { L: loop }))).toEqual([]);
  });

  it("[G21] a utility of one's own may set and read anything; a bundled one sets what it says", () => {
    const own = { Own: { type: "utility", command: ["own"], parse: "json" }, Reads: { prompt: "{{state.a}}" } };
    const bundled = {
      ...own,
      Own: { type: "utility", script: "Detect-VCS", parse: "json" },
      Reads: { prompt: "{{state.a}} {{state.vcs.kind}}" },
    };
    const sockets = { "Socket-1": { materia: "Own", edges: [always("Socket-2")] }, "Socket-2": { materia: "Reads" } };
    expect(problems(main(sockets, {}, { materia: own }))).toEqual([]);
    expect(problems(main(sockets, {}, { materia: bundled }))).toEqual(["warning state_never_set sockets.Socket-2"]);
  });

  it.each([
    ["[G22] an unknown word", one("{{nothing}}"), true],
    ["[G22] a field that items do not have", one("{{item.id}}"), true],
    ["[G22] the item outside loops", one("{{item.title}}"), true],
    ["[G22] the work items of a loadout without a generator", one("{{workItems}}"), true],
    ["[G22] an empty name", one("{{ }}"), true],
    ["[G22] the request", one("{{request}} {{ request }}"), false],
    ["[G22] braces that are no variable", one("{ {x} } {{{a}"), false],
  ])("%s", (_rule, config, doubtful) => {
    expect(problems(config)).toEqual(doubtful ? ["warning unknown_variable sockets.Socket-1"] : []);
  });

  it("[G22] the item is there in a loop that walks a list, and the work items behind a generator", () => {
    const loop = consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3"));
    expect(problems(inLoop("{{item.title}} {{item.context}} {{workItems}}", {}, loop))).toEqual([]);
  });

  it("[G22] a region that walks no list has no item", () => {
    const region = { sockets: ["Socket-2"], exits: [exit("Socket-2", "always", "Socket-3")] };
    expect(problems(inLoop("{{item.title}}", undefined, region))).toEqual([
      "warning exit_never_taken loops.L.exits.0",
      "warning unknown_variable sockets.Socket-2",
    ]);
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

function one(prompt: string, socket: Partial<SocketInput> = {}) {
  return main({ "Socket-1": { materia: "M", ...socket } }, {}, { materia: { M: { prompt, parse: "json" } } });
}

function two(first: object, second: object) {
  return main(
    { "Socket-1": { materia: "A", edges: [always("Socket-2")] }, "Socket-2": { materia: "B" } },
    {},
    { materia: { A: { prompt: "a", parse: "json", ...first }, B: { prompt: "b", parse: "json", ...second } } },
  );
}

function inLoop(prompt: string, advance: object | undefined, loop: object) {
  return main(
    {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "M", ...(advance ? { advance } : {}), edges: [always("Socket-3")] },
      "Socket-3": { materia: "Text" },
    },
    { L: loop },
    { materia: { M: { prompt } } },
  );
}
