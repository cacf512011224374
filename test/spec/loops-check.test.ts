import { describe, expect, it } from "vitest";
import {
  always,
  consuming,
  exit,
  main,
  problems,
  problemsOf,
  satisfied,
  type SocketInput,
} from "../harness/loadouts.ts";

const plan: SocketInput = { materia: "Plan", edges: [always("Socket-2")] };
const walk: SocketInput = { materia: "Text", advance: {}, edges: [always("Socket-2")] };
const last: SocketInput = { materia: "Text" };
const sockets = { "Socket-1": plan, "Socket-2": walk, "Socket-3": last };
const out = exit("Socket-2", "always", "Socket-3");

/** The errors of a loadout, without its warnings. */
function errors(
  seats: Readonly<Record<string, SocketInput>>,
  loops: Readonly<Record<string, object>>,
): readonly string[] {
  return problems(main(seats, loops)).filter((line) => line.startsWith("error"));
}

describe("[O1] members", () => {
  it.each([
    [
      "[O1] two loops share a socket",
      { A: consuming(["Socket-2"], out), B: consuming(["Socket-3", "Socket-2"]) },
      "overlapping_loops loops.B.sockets.1",
    ],
    [
      "[O1] a loop inside another",
      { A: consuming(["Socket-2", "Socket-3"]), B: consuming(["Socket-3"]) },
      "overlapping_loops loops.B.sockets.0",
    ],
    [
      "[O1] a member that does not exist",
      { A: consuming(["Socket-2", "Socket-9"], out) },
      "unknown_socket loops.A.sockets.1",
    ],
    [
      "[O1] a member named like a method",
      { A: consuming(["Socket-2", "toString"], out) },
      "unknown_socket loops.A.sockets.1",
    ],
  ])("%s is an error", (_rule, loops, expected) => {
    const walking = { ...sockets, "Socket-3": { ...last, advance: {} } };
    expect(errors(walking, loops)).toContain(`error ${expected}`);
  });

  it("[O1] a member named twice is an error", () => {
    expect(errors(sockets, { A: consuming(["Socket-2", "Socket-2"], out) })).toEqual([
      "error repeated_member loops.A.sockets.1",
    ]);
  });

  it.each(["", "a b", "../x", "-a", "a\n", "\u001b[31m", "\ud800", "__proto__"])("[O1] %j is no loop id", (id) => {
    const loops = Object.fromEntries([[id, consuming(["Socket-2"], out)]]);
    expect(problemsOf(main(sockets, loops)).map((issue) => issue.code)).toContain("bad_loop_id");
  });

  it.each(["L", "1", "workItemIteration", "a.b:c_d-e", "toString"])("[O1] %j is a loop id", (id) => {
    expect(errors(sockets, { [id]: consuming(["Socket-2"], out) })).toEqual([]);
  });

  it("[O1] a loop names at least one member", () => {
    expect(errors(sockets, { A: { sockets: [] } })).toContain("error bad_value loops.A.sockets");
  });

  it("[O1] two loops beside each other are none", () => {
    const two = { "Socket-1": plan, "Socket-2": walk, "Socket-3": { ...walk, edges: [always("Socket-3")] } };
    expect(errors(two, { A: consuming(["Socket-2"], out), B: consuming(["Socket-3"]) })).toEqual([]);
  });
});

describe("[O10, O11, O12] lists", () => {
  it("[O10] a consuming loop in which nothing advances", () => {
    const still = { ...sockets, "Socket-2": { materia: "Text", edges: [always("Socket-2")] } };
    expect(errors(still, { L: consuming(["Socket-2"], out) })).toEqual(["error endless_loop loops.L"]);
  });

  it("[O10] an advance of any member is enough", () => {
    const pair = { ...sockets, "Socket-2": { materia: "Text", edges: [always("Socket-4")] }, "Socket-4": walk };
    expect(errors(pair, { L: consuming(["Socket-2", "Socket-4"], exit("Socket-4", "always", "Socket-3")) })).toEqual(
      [],
    );
  });

  const from = (id: string, output = "workItems") => ({
    sockets: ["Socket-2"],
    consumes: { from: id, output },
    exits: [out],
  });
  const beside = { ...sockets, "Socket-4": { materia: "Plan", edges: [always("Socket-2")] } };

  it.each([
    [
      "[O11] a socket that is no generator",
      { ...sockets, "Socket-1": { materia: "Json", edges: [always("Socket-2")] } },
      from("Socket-1"),
      "not_a_generator loops.L.consumes.from",
    ],
    [
      "[O11] a generator inside the loop",
      { ...sockets, "Socket-2": { ...walk, materia: "Plan" } },
      from("Socket-2"),
      "generator_inside_loop loops.L.consumes.from",
    ],
    ["[O11] a socket that does not exist", sockets, from("Socket-9"), "unknown_socket loops.L.consumes.from"],
    ["[O11] a name of a materia", sockets, from("Plan"), "unknown_socket loops.L.consumes.from"],
    ["[O11] another output", sockets, from("Socket-1", "tasks"), "bad_value loops.L.consumes.output"],
    ["[O11] a generator that is never reached", beside, from("Socket-4"), "loop_before_generator loops.L"],
  ])("%s is an error", (_rule, seats, loop, expected) => {
    expect(errors(seats, { L: loop })).toEqual([`error ${expected}`]);
  });

  const start: SocketInput = { materia: "Json", edges: [satisfied("Socket-2"), always("Socket-1")] };
  const late = {
    "Socket-0": { materia: "Text", edges: [always("Socket-2")] },
    ...sockets,
    "Socket-3": { materia: "Text", edges: [always("Socket-1")] },
  };
  const one = consuming(["Socket-2"], out);

  it.each([
    ["[O11] a branch that passes the generator by", { "Socket-4": start, ...sockets }],
    [
      "[O11] an entry inside the loop",
      { "Socket-2": walk, "Socket-1": plan, "Socket-3": { materia: "Text", edges: [always("Socket-1")] } },
    ],
    ["[O11] a generator that runs only after a first pass", late],
  ])("%s is an error", (_rule, seats) => {
    expect(errors(seats, { L: one })).toEqual(["error loop_before_generator loops.L"]);
  });

  it("[O11] an earlier loop that may be empty passes its generator by", () => {
    const seats = {
      "Socket-1": plan,
      "Socket-2": { materia: "Plan", advance: {}, edges: [always("Socket-2")] },
      "Socket-3": { ...walk, edges: [always("Socket-3")] },
    };
    const loops = {
      A: consuming(["Socket-2"], out),
      B: { sockets: ["Socket-3"], consumes: { from: "Socket-2", output: "workItems" } },
    };
    expect(errors(seats, loops)).toEqual(["error loop_before_generator loops.B"]);
  });

  it("[O11] branches that meet again behind the generator are none", () => {
    const seats = {
      "Socket-1": { materia: "Plan", edges: [satisfied("Socket-4"), always("Socket-2")] },
      "Socket-4": { materia: "Text", edges: [always("Socket-2")] },
      "Socket-2": walk,
      "Socket-3": last,
    };
    expect(errors(seats, { L: one })).toEqual([]);
  });

  it.each([
    [
      "[O12] a consuming loop that names another list",
      { items: "state.plans" },
      one,
      ["bad_path sockets.Socket-2.advance.items"],
    ],
    ["[O12] a consuming loop that names its own", { items: "state.workItems" }, one, []],
    [
      "[O12] a path that is none",
      { items: "state.a b" },
      { sockets: ["Socket-2"], exits: [out] },
      ["bad_path sockets.Socket-2.advance.items"],
    ],
    [
      "[O12] a path to the prototype",
      { items: "state.__proto__.x" },
      { sockets: ["Socket-2"], exits: [out] },
      ["bad_path sockets.Socket-2.advance.items"],
    ],
  ])("%s", (_rule, advance, loop, expected) => {
    expect(errors({ ...sockets, "Socket-2": { ...walk, advance } }, { L: loop })).toEqual(
      expected.map((line) => `error ${line}`),
    );
  });
});

it("[O12] members that name different lists are an error", () => {
  const naming = (items: string) => ({ ...walk, advance: { items } });
  const seats = { ...sockets, "Socket-2": naming("state.a.b"), "Socket-3": naming("state.a.c") };
  expect(errors(seats, { L: { sockets: ["Socket-2", "Socket-3"] } })).toContain(
    "error bad_path sockets.Socket-3.advance.items",
  );
});

it.each([
  ["[O1] a member", { sockets: ["Socket-22"] }],
  ["[O11] the generator", { sockets: ["Socket-2"], consumes: { from: "Socket-22", output: "workItems" } }],
])("%s that does not exist comes with the nearest that does", (_rule, loop) => {
  expect(problemsOf(main(sockets, { L: { ...loop, exits: [] } }))[0]?.hint).toBe('did you mean "Socket-2"?');
});

it("[O13] a stranger's exit comes with the first eight members", () => {
  const members = Array.from({ length: 10 }, (_, index) => `Socket-${index + 10}`);
  const seats = Object.fromEntries(members.map((id) => [id, walk]));
  const found = problemsOf(main({ ...sockets, ...seats }, { L: consuming(members, out) }));
  expect(found.find(({ code }) => code === "exit_not_from_member")?.hint).toMatch(/^use one of .*Socket-17$/);
});

it("[O7] an advance outside a loop is an error", () => {
  expect(problems(main({ "Socket-1": { materia: "Text", advance: {}, edges: [always("end")] } }))).toEqual([
    "error advance_outside_loop sockets.Socket-1.advance",
  ]);
});

describe("[O13] exits", () => {
  it.each([
    [
      "[O13] the same id twice",
      [out, { ...exit("Socket-2", "satisfied", "Socket-3"), id: "exit:Socket-2:always" }],
      ["repeated_exit_id loops.L.exits.1.id"],
    ],
    ["[O13] the same member and condition twice", [out, { ...out, id: "other" }], ["repeated_exit loops.L.exits.1"]],
    [
      "[O13] a stranger as member",
      [exit("Socket-1", "always", "Socket-3")],
      ["exit_not_from_member loops.L.exits.0.from"],
    ],
    [
      "[O13] a member that does not exist",
      [exit("Socket-9", "always", "Socket-3")],
      ["exit_not_from_member loops.L.exits.0.from"],
    ],
    [
      "[O13] a target that does not exist",
      [exit("Socket-2", "always", "Socket-9")],
      ["unknown_socket loops.L.exits.0.targetSocketId"],
    ],
    [
      "[O13] a member as a target",
      [exit("Socket-2", "always", "Socket-2")],
      ["exit_into_loop loops.L.exits.0.targetSocketId"],
    ],
    ["[O13] an empty id", [{ ...out, id: "" }], ["bad_value loops.L.exits.0.id"]],
    [
      "[O13] a condition that is none",
      [exit("Socket-2", "passed", "Socket-3")],
      ["bad_value loops.L.exits.0.condition"],
    ],
    [
      "[O13] all at once",
      [out, { ...out, from: "Socket-1" }, { ...out, id: "b" }],
      [
        "exit_not_from_member loops.L.exits.1.from",
        "repeated_exit loops.L.exits.2",
        "repeated_exit_id loops.L.exits.1.id",
      ],
    ],
  ])("%s is an error", (_rule, exits, expected) => {
    expect(errors(sockets, { L: consuming(["Socket-2"], ...exits) }).toSorted()).toEqual(
      expected.map((line) => `error ${line}`),
    );
  });

  it("[O13] one id in two loops is none", () => {
    const seats = {
      "Socket-1": plan,
      "Socket-2": walk,
      "Socket-3": { ...walk, edges: [always("Socket-3")] },
      "Socket-4": last,
    };
    const loops = {
      A: consuming(["Socket-2"], out),
      B: consuming(["Socket-3"], { ...out, from: "Socket-3", targetSocketId: "Socket-4" }),
    };
    expect(errors(seats, loops)).toEqual([]);
  });

  it("[O13] the nearest socket is offered for a target", () => {
    const [found] = problemsOf(main(sockets, { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-33")) }));
    expect(found?.hint).toBe('did you mean "Socket-3"?');
  });
});
