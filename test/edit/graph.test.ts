import { describe, expect, it } from "vitest";
import {
  EMPTY_LOADOUT,
  addSocket,
  copySockets,
  duplicateSockets,
  pasteSockets,
  placeSockets,
  removeSockets,
  setAdvance,
  setAssign,
  setEntry,
  setMateria,
  setParse,
  resetLayout,
} from "../../src/core/edit/loadout-edit.ts";
import {
  connectSockets,
  moveEdge,
  removeEdge,
  setEdge,
  addExit,
  removeExit,
  setExit,
  removeWay,
  setWay,
  findAuthoredWay,
} from "../../src/core/edit/edges-and-exits.ts";
import {
  createLoop,
  removeLoop,
  renameLoop,
  setLoopGenerator,
  setLoopMember,
  setLoopParallel,
} from "../../src/core/edit/loops.ts";
import type { Loadout } from "../../src/core/model/loadout.ts";
import type { Result } from "../../src/core/model/issue.ts";
import type { SocketId } from "../../src/core/model/ids.ts";
import { CHAIN, done, isGenerator, loadout, problemsOf, refusal } from "./samples.ts";

const id = (text: string): SocketId => text as SocketId; // of that form

describe("[E1] an edit keeps the loadout valid or says why not", () => {
  it.each<[what: string, edit: (each: Loadout) => Result<Loadout>, why: string]>([
    [
      "a socket that is not there",
      (each) => removeSockets(each, ["Socket-99"]),
      "there is no Socket-99 in this loadout",
    ],
    ["an edge that is not there", (each) => removeEdge(each, "Socket-1", 7), "Socket-1 has no edge 8"],
    [
      "a target that is not there",
      (each) => setEdge(each, "Socket-1", 0, { to: id("Socket-99") }),
      "there is no Socket-99 in this loadout",
    ],
    [
      "no whole number",
      (each) => setEdge(each, "Socket-1", 0, { maxTraversals: 0 }),
      "the number of traversals must be a whole number of at least 1",
    ],
    [
      "no loop to advance",
      (each) => setAdvance(each, "Socket-1", "always"),
      "Socket-1 is in no loop, so it cannot advance",
    ],
    ["an entry that is not there", (each) => setEntry(each, "Socket-99"), "there is no Socket-99 in this loadout"],
    ["an odd loop name", (each) => renameLoop(each, "workItemIteration", "a b"), '"a b" is not a loop id'],
    [
      "a list from inside",
      (each) => setLoopGenerator(each, "workItemIteration", "Socket-5"),
      "Socket-5 stands inside the loop workItemIteration",
    ],
    [
      "an implicit way",
      (each) => removeWay(each, "end:Socket-7"),
      "this way is implicit: the loadout has no edge for it",
    ],
  ])("%s", (_what, edit, why) => {
    const before = loadout();
    const kept = structuredClone(before);
    expect(refusal(edit(before))).toBe(why);
    expect(before).toEqual(kept);
  });

  it.each<[what: string, edit: (each: Loadout) => Result<Loadout>]>([
    ["materia", (each) => setMateria(each, "Socket-4", "Narrate")],
    ["parse", (each) => setParse(each, "Socket-4", "json")],
    ["parse left to the materia", (each) => setParse(each, "Socket-4", null)],
    ["assign", (each) => setAssign(each, "Socket-4", { target: "review", source: "$.context" })],
    ["assign taken away", (each) => setAssign(each, "Socket-4", { target: "review", source: null })],
    ["advance", (each) => setAdvance(each, "Socket-5", "satisfied")],
    ["members", (each) => setLoopMember(each, "workItemIteration", "Socket-5", false)],
    ["the list", (each) => setLoopGenerator(each, "workItemIteration", null)],
  ])("changes %s", (_what, edit) => {
    const before = loadout();
    const kept = structuredClone(before);
    done(edit(before));
    expect(before).toEqual(kept);
  });
});

describe("[E2] adding", () => {
  it("[E2] makes the first socket the entry and numbers on from the highest", () => {
    const first = done(addSocket(EMPTY_LOADOUT, "Build"));
    expect(first).toMatchObject({ entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } });
    const second = done(addSocket(first, "Narrate", { x: 10.4, y: 20.6 }));
    expect(Object.keys(second.sockets)).toEqual(["Socket-1", "Socket-2"]);
    expect(second.layout).toEqual({ "Socket-2": { x: 10, y: 21 } });
    expect(Object.keys(done(addSocket(done(removeSockets(second, ["Socket-1"])), "Build")).sockets)).toEqual([
      "Socket-2",
      "Socket-3",
    ]);
  });
});

describe("[E3] removing", () => {
  it("[E3] takes along all that names it", () => {
    const placed = done(placeSockets(loadout(), { "Socket-6": { x: 1, y: 2 } }));
    const rest = done(removeSockets(placed, ["Socket-6"]));
    expect(rest.sockets["Socket-5"]?.edges).toEqual([{ when: "not_satisfied", to: "Socket-4", maxTraversals: 3 }]);
    expect(rest.loops["workItemIteration"]).toMatchObject({ sockets: ["Socket-4", "Socket-5"], exits: [] });
    expect(rest.layout).toEqual({});
  });

  it("[E3] hands the entry on and drops an emptied loop and a lost list", () => {
    expect(done(removeSockets(loadout(), ["Socket-1"])).entry).toBe("Socket-2");
    expect(done(removeSockets(loadout(), ["Socket-3"])).loops["workItemIteration"]?.consumes).toBeUndefined();
    const without = done(removeSockets(loadout(), ["Socket-4", "Socket-5", "Socket-6"]));
    expect(without.loops).toEqual({});
    expect(done(removeSockets(without, Object.keys(without.sockets)))).toMatchObject({
      entry: "Socket-1",
      sockets: {},
    });
  });
});

it("[E4] copies lead to copies and stay in their loop", () => {
  const copied = done(duplicateSockets(loadout(), ["Socket-4", "Socket-5"]));
  expect(copied.sockets["Socket-8"]?.edges).toEqual([{ when: "always", to: "Socket-9" }]);
  expect(copied.sockets["Socket-9"]?.edges[0]).toEqual({ when: "satisfied", to: "Socket-6" });
  expect(copied.loops["workItemIteration"]?.sockets).toEqual([
    "Socket-4",
    "Socket-5",
    "Socket-6",
    "Socket-8",
    "Socket-9",
  ]);
});

it("[E31] pasted sockets have new ids, their loop and the edges among them, and nothing else", () => {
  const part = done(copySockets(loadout(), ["Socket-3", "Socket-4", "Socket-5", "Socket-6"]));
  const [first, second] = [done(addSocket(EMPTY_LOADOUT, "Build")), done(pasteSockets(EMPTY_LOADOUT, part))];
  const pasted = done(pasteSockets(first, part));
  expect(Object.keys(pasted.sockets)).toEqual(["Socket-1", "Socket-2", "Socket-3", "Socket-4", "Socket-5"]);
  expect(pasted.loops["workItemIteration"]).toMatchObject({
    sockets: ["Socket-3", "Socket-4", "Socket-5"],
    consumes: { from: "Socket-2" },
  });
  const known = new Set([...Object.keys(pasted.sockets), "end"]);
  expect(Object.values(pasted.sockets).flatMap(({ edges }) => edges.filter(({ to }) => !known.has(to)))).toEqual([]);
  expect(pasted.entry).toBe("Socket-1");
  expect(Object.keys(second.sockets)).toContain(second.entry);
  expect(Object.keys(done(pasteSockets(pasted, part)).loops)).toEqual(["workItemIteration", "workItemIteration-2"]);
});

describe("[E5] connecting", () => {
  const two = done(addSocket(done(addSocket(EMPTY_LOADOUT, "Auto-Eval")), "Build"));

  it("[E5] takes the first answer without a way", () => {
    const first = done(connectSockets(two, { from: "Socket-1", to: id("Socket-2") }));
    expect(first.sockets["Socket-1"]?.edges).toEqual([{ when: "always", to: "Socket-2" }]);
    const second = done(connectSockets(first, { from: "Socket-1", to: "end" }));
    expect(second.sockets["Socket-1"]?.edges.map(({ when }) => when)).toEqual(["satisfied", "always"]);
    const judged = done(connectSockets(two, { from: "Socket-1", to: id("Socket-2"), judges: true }));
    expect(judged.sockets["Socket-1"]?.edges).toEqual([{ when: "satisfied", to: "Socket-2" }]);
  });

  it("[E5] refuses a second always and the same edge twice", () => {
    const first = done(connectSockets(two, { from: "Socket-1", to: id("Socket-2") }));
    expect(refusal(connectSockets(first, { from: "Socket-1", to: "end", when: "always" }))).toMatch(
      "already has an edge that is always taken",
    );
    const guarded = done(connectSockets(first, { from: "Socket-1", to: "end", when: "satisfied" }));
    expect(refusal(connectSockets(guarded, { from: "Socket-1", to: "end", when: "satisfied" }))).toBe(
      "Socket-1 already has this edge",
    );
  });

  it("[E5] makes an exit of a way out of the loop from the socket that advances", () => {
    const before = loadout();
    const after = done(connectSockets(before, { from: "Socket-6", to: id("Socket-1"), when: "satisfied" }));
    expect(after.sockets).toEqual(before.sockets);
    expect(after.loops["workItemIteration"]?.exits.at(-1)).toEqual({
      id: "exit:Socket-6:satisfied",
      from: "Socket-6",
      condition: "satisfied",
      targetSocketId: "Socket-1",
    });
  });
});

it("[E6] edges move one place and keep a limit", () => {
  const moved = done(moveEdge(loadout(), "Socket-5", 1, -1));
  expect(moved.sockets["Socket-5"]?.edges.map(({ when }) => when)).toEqual(["not_satisfied", "satisfied"]);
  expect(refusal(moveEdge(loadout(), "Socket-5", 0, -1))).toBe("it is the first edge already");
  const lifted = done(setEdge(loadout(), "Socket-5", 1, { maxTraversals: null }));
  expect(lifted.sockets["Socket-5"]?.edges[1]).toEqual({ when: "not_satisfied", to: "Socket-4" });
});

describe("[E7] exits", () => {
  const way = "loop-exit:workItemIteration:done";

  it("[E7] are found, changed and deleted by their visual id, and edges stay", () => {
    const before = loadout();
    expect(findAuthoredWay(before, way)).toMatchObject({
      kind: "exit",
      loop: "workItemIteration",
      exit: { id: "done" },
    });
    const changed = done(setWay(before, way, { when: "satisfied", to: id("Socket-1") }));
    expect(changed.loops["workItemIteration"]?.exits).toEqual([
      { id: "done", from: "Socket-6", condition: "satisfied", targetSocketId: "Socket-1" },
    ]);
    expect(changed.sockets).toEqual(before.sockets);
    const deleted = done(removeWay(before, way));
    expect(deleted.loops["workItemIteration"]?.exits).toEqual([]);
    expect(deleted.sockets).toEqual(before.sockets);
  });

  it("[E7] tell loops and routes with colons apart", () => {
    const base = loadout();
    const loop = base.loops["workItemIteration"];
    if (!loop) throw new Error("no loop");
    const odd: Loadout = {
      ...base,
      loops: {
        "a:b": {
          ...loop,
          exits: [{ id: "c", from: id("Socket-6"), condition: "always", targetSocketId: id("Socket-7") }],
        },
      },
    };
    expect(findAuthoredWay(odd, "loop-exit:a:b:c")).toMatchObject({ loop: "a:b", exit: { id: "c" } });
  });

  it.each<[what: string, edit: (each: Loadout) => Result<Loadout>, why: string]>([
    [
      "into its own loop",
      (each) => addExit(each, "workItemIteration", { from: "Socket-6", to: "Socket-4", when: "satisfied" }),
      "Socket-4 is a member of the loop workItemIteration",
    ],
    [
      "from no member",
      (each) => addExit(each, "workItemIteration", { from: "Socket-1", to: "Socket-7" }),
      "Socket-1 is no member of the loop workItemIteration",
    ],
    [
      "for an answer twice",
      (each) => addExit(each, "workItemIteration", { from: "Socket-6", to: "Socket-7", when: "always" }),
      'Socket-6 already has an exit for "always"',
    ],
    [
      "that is not there",
      (each) => setExit(each, "workItemIteration", "none", {}),
      "the loop workItemIteration has no exit none",
    ],
    [
      "deleted twice",
      (each) => removeExit(done(removeExit(each, "workItemIteration", "done")), "workItemIteration", "done"),
      "the loop workItemIteration has no exit done",
    ],
  ])("[E7] refuses one %s", (_what, edit, why) => {
    expect(refusal(edit(loadout()))).toBe(why);
  });
});

describe("[E8] a loop from a selection", () => {
  it("[E8] is whole at once", () => {
    const looped = done(createLoop(loadout(CHAIN), ["Socket-4", "Socket-2", "Socket-3"], isGenerator));
    expect(looped.loops).toEqual({
      workItemIteration: {
        sockets: ["Socket-2", "Socket-3", "Socket-4"],
        consumes: { from: "Socket-1", output: "workItems" },
        exits: [{ id: "exit:Socket-4:always", from: "Socket-4", condition: "always", targetSocketId: "Socket-5" }],
      },
    });
    expect(looped.sockets["Socket-4"]).toMatchObject({
      advance: { when: "always" },
      edges: [{ when: "always", to: "Socket-2" }],
    });
    expect(problemsOf(looped).filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("[E8] keeps the rework of its last member: a refused item does not advance", () => {
    const looped = done(createLoop(loadout(CHAIN), ["Socket-2", "Socket-3"], isGenerator));
    expect(looped.sockets["Socket-3"]).toMatchObject({
      advance: { when: "satisfied" },
      edges: [
        { when: "not_satisfied", to: "Socket-2", maxTraversals: 3 },
        { when: "satisfied", to: "Socket-2" },
      ],
    });
    expect(looped.loops["workItemIteration"]?.exits).toMatchObject([
      { condition: "satisfied", targetSocketId: "Socket-4" },
    ]);
    expect(problemsOf(looped)).toEqual([]);
  });

  it("[E8] is refused for nothing and for members of another", () => {
    expect(refusal(createLoop(loadout(), [], isGenerator))).toBe("a loop needs at least one socket");
    expect(refusal(createLoop(loadout(), ["Socket-3", "Socket-4"], isGenerator))).toBe(
      "Socket-4 already belongs to the loop workItemIteration",
    );
  });
});

it("[E33] items at once are set, taken back and printed; too many are refused", () => {
  const four = done(setLoopParallel(loadout(), "workItemIteration", 4));
  expect(four.loops["workItemIteration"]?.parallel).toBe(4);
  expect(done(setLoopParallel(four, "workItemIteration", null)).loops["workItemIteration"]).not.toHaveProperty(
    "parallel",
  );
  expect(refusal(setLoopParallel(four, "workItemIteration", 65))).toBe("65 items cannot run at once");
});

it("[E9] deleting a loop removes its exits and what advanced it", () => {
  const before = loadout();
  const after = done(removeLoop(before, "workItemIteration"));
  expect(after.loops).toEqual({});
  expect(after.sockets["Socket-6"]).toEqual({ materia: "Maintain", edges: [{ when: "always", to: "Socket-4" }] });
  expect(problemsOf(after).map(({ code }) => code)).not.toContain("advance_outside_loop");
});

it("[E11] places are kept until they are tidied", () => {
  const placed = done(placeSockets(loadout(), { "Socket-2": { x: 30, y: 40 } }));
  expect(placed.layout).toEqual({ "Socket-2": { x: 30, y: 40 } });
  expect(done(resetLayout(placed)).layout).toEqual({});
});

it("[E6] what follows the last traversal is set, saved, goes with its socket, and not without a limit", () => {
  const set = done(setEdge(loadout(), "Socket-5", 1, { then: "next" }));
  expect(set.sockets["Socket-5"]?.edges[1]).toMatchObject({ maxTraversals: 3, then: "next" });
  const led = done(setEdge(set, "Socket-5", 1, { then: set.entry }));
  expect(done(removeSockets(led, [set.entry])).sockets["Socket-5"]?.edges[1]).not.toHaveProperty("then");
  expect(done(setEdge(set, "Socket-5", 1, { maxTraversals: null })).sockets["Socket-5"]?.edges[1]).not.toHaveProperty(
    "then",
  );
  expect(setEdge(set, "Socket-5", 1, { then: "Socket-99" as typeof set.entry }).ok).toBe(false);
});
