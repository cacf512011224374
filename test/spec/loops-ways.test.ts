import { describe, expect, it } from "vitest";
import { reworkReasonsFor } from "../../src/core/cast/state/rework-reasons.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import type { UtilityOutcome, UtilityRequest } from "../../src/shell/ports.ts";
import { always, consuming, exit, items, main, notSatisfied, type SocketInput } from "../harness/loadouts.ts";
import { play } from "../harness/play.ts";
import { socket } from "../harness/seats.ts";

const YES = { satisfied: true };
const NO = { satisfied: false, context: "not yet" };

const plan: SocketInput = { materia: "Plan", edges: [always("Socket-2")] };
const walk: SocketInput = { materia: "Text", advance: {}, edges: [always("Socket-2")] };
const last: SocketInput = { materia: "Text" };

describe("[O6, O7] a completed visit", () => {
  it("[O6] state patch, then assign, then advance, then the way on", async () => {
    const sockets = {
      "Socket-1": plan,
      "Socket-2": {
        materia: "Tool",
        assign: { seen: "state.patched", title: "item.title" },
        advance: {},
        edges: [always("Socket-2")],
      },
    };
    const { events, state } = await play(main(sockets, { L: consuming(["Socket-2"]) }), {
      says: { Plan: [items("a", "b")] },
      utility: patching,
    });
    expect(state.data).toEqual({ ...items("a", "b"), patched: 1, seen: 1, title: "b" });
    expect(events.slice(-6).map((event) => event.type)).toEqual([
      "handoff_accepted",
      "visit_completed",
      "cursor_advanced",
      "loop_exhausted",
      "edge_taken",
      "cast_ended",
    ]);
  });

  it("[O6] an edge is looked for with the cursor already moved: its limit counts for the new item", async () => {
    const sockets = { "Socket-1": plan, "Socket-2": { ...walk, edges: [always("Socket-2", 1)] } };
    const { trace } = await play(main(sockets, { L: consuming(["Socket-2"]) }), {
      says: { Plan: [items("a", "b", "c")] },
    });
    expect(trace.at(-1)).toBe("completed");
  });

  it("[O6] limits come before the rework reason: a refused route leaves none", async () => {
    const sockets = { "Socket-1": { materia: "Json", edges: [notSatisfied("Socket-1", 1)] } };
    const { state } = await play(main(sockets), {
      says: {
        Json: [
          { ...NO, context: "first" },
          { ...NO, context: "second" },
        ],
      },
    });
    expect(reworkReasonsFor(state, socket("Socket-1")).map(({ text }) => text)).toEqual(["first"]);
  });

  it.each<[rule: string, when: string | undefined, reply: JsonObject, advances: boolean]>([
    ["[O7] unset, no answer", undefined, {}, true],
    ["[O7] unset, false", undefined, NO, true],
    ["[O7] always, false", "always", NO, true],
    ["[O7] satisfied, true", "satisfied", YES, true],
    ["[O7] satisfied, false", "satisfied", NO, false],
    ["[O7] not_satisfied, false", "not_satisfied", NO, true],
    ["[O7] not_satisfied, true", "not_satisfied", YES, false],
  ])("%s", async (_rule, when, reply, advances) => {
    const advance = when === undefined ? {} : { when };
    const sockets = {
      "Socket-1": plan,
      "Socket-2": { materia: "Json", advance, edges: [always("Socket-3")] },
      "Socket-3": last,
    };
    const { events } = await play(main(sockets, { L: consuming(["Socket-2"]) }), {
      says: { Plan: [items("a", "b")], Json: [reply] },
    });
    const moved = events.flatMap((event) =>
      event.type === "cursor_advanced" ? [[event.loop, event.index, event.size]] : [],
    );
    expect(moved).toEqual(advances ? [["L", 1, 2]] : []);
  });

  it("[O7] a guarded advance must be answered", async () => {
    const sockets = {
      "Socket-1": plan,
      "Socket-2": { materia: "Json", advance: { when: "satisfied" }, edges: [always("end")] },
    };
    const { trace } = await play(main(sockets, { L: consuming(["Socket-2"]) }), {
      says: { Plan: [items("a")], Json: [{}, YES] },
    });
    expect(trace.slice(2)).toEqual(["Socket-2 #1 a", "rejected 1", "exhausted advance", "-> end (none)", "completed"]);
  });
});

describe("[O8, O9] ways out", () => {
  const member: SocketInput = { materia: "Json", edges: [always("Socket-3")] };
  const members = {
    "Socket-1": plan,
    "Socket-2": member,
    "Socket-3": { ...member, advance: {}, edges: [always("Socket-2")] },
    "Socket-4": last,
    "Socket-5": last,
  };
  const leaving = (...exits: readonly object[]) => main(members, { L: consuming(["Socket-2", "Socket-3"], ...exits) });

  it.each([
    ["[O8] no exit", [], "end (none)"],
    [
      "[O8] only guarded exits",
      [exit("Socket-3", "satisfied", "Socket-4"), exit("Socket-3", "not_satisfied", "Socket-5")],
      "end (none)",
    ],
    ["[O8] an always exit of the member that advances", [exit("Socket-3", "always", "Socket-4")], "Socket-4 (exit)"],
    ["[O8] an always exit of a member that does not", [exit("Socket-2", "always", "Socket-5")], "Socket-5 (exit)"],
    [
      "[O8] the first always exit of several",
      [
        exit("Socket-3", "satisfied", "Socket-4"),
        exit("Socket-2", "always", "Socket-5"),
        exit("Socket-3", "always", "Socket-4"),
      ],
      "Socket-5 (exit)",
    ],
  ])("%s: an empty list goes there, and no member runs", async (_rule, exits, to) => {
    const { trace } = await play(leaving(...exits), { says: { Plan: [items()] } });
    const after = to.startsWith("end") ? [] : [`${to.replace(" (exit)", "")} #1`, "-> end (none)"];
    expect(trace).toEqual(["Socket-1 #1", "-> Socket-2", "exhausted empty", `-> ${to}`, ...after, "completed"]);
  });

  const every = [exit("Socket-3", "always", "Socket-4"), exit("Socket-3", "satisfied", "Socket-5")];
  const guarded = [exit("Socket-3", "satisfied", "Socket-4"), exit("Socket-3", "not_satisfied", "Socket-5")];
  it.each<[rule: string, exits: readonly object[], reply: JsonObject, to: string]>([
    ["[O9] true takes satisfied, wherever it stands", every, YES, "Socket-5 (exit)"],
    ["[O9] false without its own exit takes always", every, NO, "Socket-4 (exit)"],
    ["[O9] no answer takes always", every.slice(0, 1), {}, "Socket-4 (exit)"],
    ["[O9] true", guarded, YES, "Socket-4 (exit)"],
    ["[O9] false", guarded, NO, "Socket-5 (exit)"],
    ["[O9] false with nothing but satisfied ends", guarded.slice(0, 1), NO, "end (none)"],
    ["[O9] an exit of another member is not looked at", [exit("Socket-2", "always", "Socket-4")], YES, "end (none)"],
    ["[O9] no exit ends, though the member has an edge", [], YES, "end (none)"],
  ])("%s", async (_rule, exits, reply, to) => {
    const { trace } = await play(leaving(...exits), {
      says: { Plan: [items("a")], "Socket-2": [{}], "Socket-3": [reply] },
    });
    expect(trace.slice(4, 7)).toEqual(["Socket-3 #1 a", "exhausted advance", `-> ${to}`]);
  });

  it.each([
    ["[O9] guarded exits", guarded, "Socket-5 (exit)"],
    ["[O9] a guarded exit beside one that takes every answer", every, "Socket-4 (exit)"],
  ])("%s: the answer is asked for", async (_rule, exits, to) => {
    const says = { Plan: [items("a")], "Socket-2": [{}], "Socket-3": [{}, NO] };
    const { trace } = await play(leaving(...exits), { says });
    expect(trace.slice(4, 8)).toEqual(["Socket-3 #1 a", "rejected 1", "exhausted advance", `-> ${to}`]);
  });

  it("[O9] plain text has no answer: a guarded exit is passed by", async () => {
    const sockets = { "Socket-1": plan, "Socket-2": walk, "Socket-3": last, "Socket-4": last };
    const exits = [exit("Socket-2", "not_satisfied", "Socket-3"), exit("Socket-2", "always", "Socket-4")];
    const config = main(sockets, { L: consuming(["Socket-2"], ...exits) });
    const { trace } = await play(config, { says: { Plan: [items("a")], Text: ['{"satisfied":false}'] } });
    expect(trace.slice(2, 5)).toEqual(["Socket-2 #1 a", "exhausted advance", "-> Socket-4 (exit)"]);
  });

  it("[O9] a not_satisfied exit brings its reason along", async () => {
    const { asked } = await play(leaving(...guarded), {
      says: { Plan: [items("a")], "Socket-2": [{}], "Socket-3": [{ ...NO, context: "too slow" }] },
    });
    expect(asked.at(-1)?.prompt).toContain("too slow");
  });
});

/** A utility that sets `state.patched` to the place of the item it was run for. */
function patching({ input }: UtilityRequest): UtilityOutcome {
  const stdout = JSON.stringify({ state: { patched: input["cursor"] } });
  return { kind: "exited", stdout, stdoutCut: false, stderr: "" };
}
