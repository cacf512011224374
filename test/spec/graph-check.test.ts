import { describe, expect, it } from "vitest";
import { pathText } from "../../src/core/model/issue.ts";
import {
  always,
  edge,
  consuming,
  exit,
  main,
  notSatisfied,
  problems,
  problemsOf,
  satisfied,
  type SocketInput,
} from "../harness/loadouts.ts";
import { compiled, play } from "../harness/play.ts";

describe("[G11, G12, G13] parse mode, guards and dead edges", () => {
  it.each([
    ["[G11] neither says: text", {}, undefined, "text"],
    ["[G11] neither says, a generator: json", { generator: true }, undefined, "json"],
    ["[G11] the materia says", { parse: "json" }, undefined, "json"],
    ["[G11] the socket decides over the materia", { parse: "json" }, "text", "text"],
    ["[G11] the socket decides the other way", { parse: "text" }, "json", "json"],
    ["[G11] the socket mends a generator's text", { generator: true, parse: "text" }, "json", "json"],
    ["[G11] generator: false is no generator", { generator: false }, undefined, "text"],
  ])("%s", (_rule, materia, parse, expected) => {
    expect(compiled(seated(materia, parse)).graph.sockets["Socket-1"]?.parse).toBe(expected);
  });

  it.each([
    ["[G11] a generator that its materia reads as text", { generator: true, parse: "text" }, undefined],
    ["[G11] a generator that its socket reads as text", { generator: true }, "text"],
  ])("%s is an error", (_rule, materia, parse) => {
    expect(problems(seated(materia, parse))).toEqual(["error generator_needs_json sockets.Socket-1"]);
  });

  it("[G11] a utility follows the same order", () => {
    const tool = main({ "Socket-1": { materia: "Tool", parse: "text" } });
    expect(compiled(tool).graph.sockets["Socket-1"]?.parse).toBe("text");
  });

  it("[G12] guards need JSON, on edges and in advance", () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": {
        materia: "Text",
        advance: { when: "not_satisfied" },
        edges: [satisfied("Socket-2"), notSatisfied("Socket-2"), always("end")],
      },
    };
    expect(problems(main(sockets, { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-1")) }))).toEqual([
      "error guard_needs_json sockets.Socket-2.edges.0",
      "error guard_needs_json sockets.Socket-2.edges.1",
      "error guard_needs_json sockets.Socket-2.advance",
    ]);
  });

  it("[G13] every edge behind an always is an error", () => {
    const edges = [satisfied("end"), always("end"), notSatisfied("end"), always("end")];
    expect(problems(main({ "Socket-1": { materia: "Json", edges } }))).toEqual([
      "error edge_after_always sockets.Socket-1.edges.2",
      "error edge_after_always sockets.Socket-1.edges.3",
    ]);
  });

  it("[G13] the same guard twice is allowed, and the earlier one wins", async () => {
    const config = main({
      "Socket-1": { materia: "Json", edges: [satisfied("end"), satisfied("Socket-1", 1), always("end")] },
    });
    expect(problems(config)).toEqual([]);
    expect((await play(config, { says: { Json: [{ satisfied: true }] } })).trace).toEqual([
      "Socket-1 #1",
      "-> end",
      "completed",
    ]);
  });
});

describe("[G14, G15] names", () => {
  const text: SocketInput = { materia: "Text" };

  it.each(["", "end", "1st", "-a", "_a", "a b", "a.b", "../x", "Söcket", "a\u0000", "a\n", "\ud800", "__proto__"])(
    "[G14] %j is no socket id",
    (id) => {
      const sockets: unknown = JSON.parse(`{"Socket-1":{"materia":"Text"},${JSON.stringify(id)}:{"materia":"Text"}}`);
      const config = { ...main({}), loadouts: { Main: { entry: "Socket-1", sockets } } };
      expect(
        problemsOf(config)
          .filter((issue) => issue.severity === "error")
          .map((issue) => issue.code),
      ).toEqual(["bad_socket_id"]);
    },
  );

  it.each(["Socket-1", "Socket-12", "Socket-900719925474099312345"])("[G14] %s is canonical", (id) => {
    expect(problems(main({ [id]: text }))).toEqual([]);
  });

  it.each([
    "A",
    "build_2",
    "Socket-0",
    "Socket-01",
    "socket-1",
    "Socket-1a",
    "END",
    "toString",
    "hasOwnProperty",
    "constructor",
  ])("[G14] %s loads with a warning, and runs", async (id) => {
    const config = main({
      "Socket-1": { materia: "Json", edges: [notSatisfied(id)] },
      [id]: { materia: "Json", edges: [notSatisfied("Socket-1", 1), satisfied("end")] },
    });
    expect(problems(config).filter((line) => !line.includes("unhandled_outcome"))).toEqual([
      `warning nonstandard_socket_id sockets.${id}`,
    ]);
    const no = { satisfied: false, context: "no" };
    const says = { [id]: [no, { satisfied: true }], "Socket-1": [no] };
    expect((await play(config, { says })).trace).toEqual([
      "Socket-1 #1",
      `-> ${id}`,
      `${id} #1`,
      "-> Socket-1",
      "Socket-1 #2",
      `-> ${id}`,
      `${id} #2`,
      "-> end",
      "completed",
    ]);
  });

  it("[G25] a target cast alone keeps the ids of its sockets and loops", () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-7")] },
      "Socket-7": { materia: "Text", advance: {}, edges: [always("Socket-7")] },
      Odd: { materia: "Text" },
    };
    const { graph } = compiled(main(sockets, { items: consuming(["Socket-7"], exit("Socket-7", "always", "Odd")) }));
    expect([graph.entry, Object.keys(graph.sockets), Object.keys(graph.loops)]).toEqual([
      "Socket-1",
      ["Socket-1", "Socket-7", "Odd"],
      ["items"],
    ]);
    expect(graph.loops["items"]?.exits.map((each) => each.id)).toEqual(["exit:Socket-7:always"]);
  });

  it("[G15] entry, to and materia must exist, and the nearest name is offered", () => {
    const sockets = {
      "Socket-1": { materia: "Txt", edges: [always("Socket-11")] },
      "Socket-2": { materia: "nothing alike" },
    };
    const config = { ...main({}), loadouts: { Main: { entry: "Socket-3", sockets } } };
    expect(
      problemsOf(config)
        .map(({ code, path, hint }) => `${code} ${pathText(path)}: ${hint ?? ""}`)
        .toSorted(),
    ).toEqual([
      'unknown_materia loadouts.Main.sockets.Socket-1.materia: did you mean "Text"?',
      "unknown_materia loadouts.Main.sockets.Socket-2.materia: ",
      'unknown_socket loadouts.Main.entry: did you mean "Socket-1"?',
      'unknown_socket loadouts.Main.sockets.Socket-1.edges.0.to: did you mean "Socket-1"?',
    ]);
  });

  it("[Z14] notModelOf must name a materia", () => {
    const named = (notModelOf: string) => problemsOf(seated({ notModelOf })).map(({ code, hint }) => [code, hint]);
    expect(named("Txt")).toEqual([["invalid_materia", 'did you mean "Text"?']]);
    expect([named("Text"), named("__proto__")]).toEqual([[], [["invalid_materia", undefined]]]);
  });

  it.each(["toString", "constructor", "__proto__"])(
    "[G15] a materia named %s that nobody defined does not exist",
    (materia) => {
      expect(problems(main({ "Socket-1": { materia } }))).toEqual(["error unknown_materia sockets.Socket-1.materia"]);
    },
  );

  it("[G15] an edge to `end` needs no socket, an edge to `toString` does", () => {
    expect(problems(main({ "Socket-1": { materia: "Json", edges: [satisfied("toString"), always("end")] } }))).toEqual([
      "error unknown_socket sockets.Socket-1.edges.0.to",
    ]);
  });
});

describe("[G16] every problem at once, each at its place", () => {
  it("[G16] problems of all kinds come together", () => {
    const sockets = {
      "Socket-1": { materia: "Nope", edges: [always("Socket-9")] },
      "Socket-2": { materia: "Text", edges: [satisfied("end"), always("end"), always("end")] },
      Odd: { materia: "Text", assign: { note: "nowhere" } },
    };
    const loops = { L: { sockets: ["Socket-2", "Socket-8"], exits: [exit("Socket-1", "always", "Socket-7")] } };
    const found = problemsOf(main(sockets, loops));
    expect(found.map(({ severity, code, path }) => `${severity} ${code} ${pathText(path)}`).toSorted()).toEqual([
      "error bad_assign loadouts.Main.sockets.Odd.assign.note",
      "error edge_after_always loadouts.Main.sockets.Socket-2.edges.2",
      "error exit_not_from_member loadouts.Main.loops.L.exits.0.from",
      "error guard_needs_json loadouts.Main.sockets.Socket-2.edges.0",
      "error unknown_materia loadouts.Main.sockets.Socket-1.materia",
      "error unknown_socket loadouts.Main.loops.L.exits.0.targetSocketId",
      "error unknown_socket loadouts.Main.loops.L.sockets.1",
      "error unknown_socket loadouts.Main.sockets.Socket-1.edges.0.to",
      "warning nonstandard_socket_id loadouts.Main.sockets.Odd",
    ]);
    expect(found.every((issue) => issue.file === "test.json" && issue.message !== "")).toBe(true);
  });

  it("[G16] one bad value hides neither names nor graph", () => {
    const sockets = {
      "Socket-1": { materia: "Nope", edges: [always("Socket-9", 0)] },
      "Socket-2": { materia: "Text", advance: {}, edges: [satisfied("end", -1), always("end"), always("end")] },
    };
    const loops = { L: consuming(["Socket-2"]), M: { ...consuming(["Socket-2"]), label: 3 } };
    expect(problems(main(sockets, loops)).toSorted()).toEqual([
      "error bad_value loops.M.label",
      "error bad_value sockets.Socket-1.edges.0.maxTraversals",
      "error bad_value sockets.Socket-2.edges.0.maxTraversals",
      "error edge_after_always sockets.Socket-2.edges.2",
      "error guard_needs_json sockets.Socket-2.edges.0",
      "error overlapping_loops loops.M.sockets.0",
      "error unknown_materia sockets.Socket-1.materia",
      "error unknown_socket sockets.Socket-1.edges.0.to",
    ]);
  });

  it.each<[title: string, first: object, more: readonly string[]]>([
    ["an unknown condition", { materia: "Text", edges: [edge("maybe", "Socket-2"), always("end")] }, ["edges.0.when"]],
    ["an unknown parse mode", { materia: "Text", parse: "xml", edges: [satisfied("Socket-2")] }, ["parse"]],
    ["no materia", { edges: [always("Socket-2")] }, ["materia"]],
    ["an edge that is none", { materia: "Text", edges: ["Socket-2"] }, ["edges.0"]],
  ])("[G16] what could not be read is not judged: %s", (_title, first, more) => {
    const sockets = { "Socket-1": first as SocketInput, "Socket-2": { materia: "Text", edges: [satisfied("end")] } };
    expect(problems(main(sockets)).map((line) => line.replace(/^error \S+ sockets\./, ""))).toEqual([
      ...more.map((key) => `Socket-1.${key}`),
      "Socket-2.edges.0",
    ]);
  });

  it("[G16] an error at one socket does not hide what is doubtful at another", () => {
    const sockets = {
      "Socket-1": { materia: "Text", edges: [always("Socket-2"), always("end")] },
      "Socket-2": { materia: "Odd" },
    };
    expect(problems(main(sockets, {}, { materia: { Odd: { prompt: "{{nothing}}" } } }))).toEqual([
      "error edge_after_always sockets.Socket-1.edges.1",
      "warning unknown_variable sockets.Socket-2",
    ]);
  });

  it("[G16] the place is right behind an edge or exit that leads nowhere", () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Json", advance: {}, edges: [satisfied("Socket-9"), always("Socket-2"), always("end")] },
    };
    const exits = [exit("Socket-2", "satisfied", "Socket-9"), exit("Socket-1", "always", "Socket-1")];
    expect(problems(main(sockets, { L: consuming(["Socket-2"], ...exits) }))).toEqual(
      expect.arrayContaining([
        "error edge_after_always sockets.Socket-2.edges.2",
        "error exit_not_from_member loops.L.exits.1.from",
      ]),
    );
  });

  it.each([
    ["t1-items", "Socket-2", "loops.t1-items"],
    ["L", "sockets", "loops.L"],
    ["L", "Socket-9", "loops.L"],
  ])("[G16] a problem of the loop %j with the member %s stands at %s, in its file", (id, member, path) => {
    const sockets = { "Socket-1": { materia: "Plan" }, "Socket-2": { materia: "Text" }, sockets: { materia: "Text" } };
    const found = problemsOf(main(sockets, { [id]: consuming([member]) })).find(
      (issue) => issue.code === "endless_loop",
    );
    expect([found?.file, pathText(found?.path ?? [])]).toEqual(["test.json", `loadouts.Main.${path}`]);
  });

  it("[G16] a whole problem has severity, code, file, path, message and hint", () => {
    expect(problemsOf(main({ "Socket-1": { materia: "Text", edges: [always("end"), always("end")] } }))).toEqual([
      {
        severity: "error",
        code: "edge_after_always",
        file: "test.json",
        path: ["loadouts", "Main", "sockets", "Socket-1", "edges", 1],
        message: 'the edge to end follows an "always" edge and is never taken',
        hint: 'put guarded edges before the "always" edge',
      },
    ]);
  });
});

function seated(materia: object, parse?: string) {
  return main(
    { "Socket-1": { materia: "M", ...(parse === undefined ? {} : { parse }) } },
    {},
    { materia: { M: { prompt: "x", ...materia } } },
  );
}
