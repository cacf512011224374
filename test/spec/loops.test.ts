import { describe, expect, it } from "vitest";
import type { Json } from "../../src/core/model/json.ts";
import type { UtilityOutcome, UtilityRequest } from "../../src/shell/ports.ts";
import {
  always,
  consuming,
  exit,
  items,
  main,
  notSatisfied,
  reasonOf,
  satisfied,
  type SocketInput,
} from "../harness/loadouts.ts";
import { play } from "../harness/play.ts";

const YES = { satisfied: true };
const NO = { satisfied: false, context: "not yet" };

const plan: SocketInput = { materia: "Plan", edges: [always("Socket-2")] };
const walk: SocketInput = { materia: "Text", advance: {}, edges: [always("Socket-2")] };
const last: SocketInput = { materia: "Text" };

describe("[O2, O3] passes", () => {
  it("[O3] moving between members keeps cursor and list, though the list in state is replaced", async () => {
    const sockets = {
      "Socket-1": plan,
      "Socket-2": { materia: "Json", assign: { workItems: "$.workItems" }, edges: [always("Socket-3")] },
      "Socket-3": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
    };
    const { trace, state } = await play(main(sockets, { L: consuming(["Socket-2", "Socket-3"]) }), {
      says: { Plan: [items("a", "b")], Json: [items("x", "y", "z")] },
    });
    expect(trace.filter((line) => line.startsWith("Socket-"))).toEqual([
      "Socket-1 #1",
      "Socket-2 #1 a",
      "Socket-3 #1 a",
      "Socket-2 #2 b",
      "Socket-3 #2 b",
    ]);
    expect(state.data).toEqual(items("x", "y", "z"));
  });

  it("[O2] a second entry begins at the first item again", async () => {
    const sockets = {
      "Socket-1": plan,
      "Socket-2": {
        materia: "Json",
        advance: { when: "satisfied" },
        edges: [satisfied("Socket-2"), notSatisfied("Socket-3")],
      },
      "Socket-3": { materia: "Text", edges: [always("Socket-2")] },
    };
    const { trace } = await play(main(sockets, { L: consuming(["Socket-2"]) }), {
      says: { Plan: [items("a", "b")], Json: [YES, NO, YES, YES] },
    });
    expect(trace.slice(2)).toEqual([
      "Socket-2 #1 a",
      "-> Socket-2",
      "Socket-2 #2 b",
      "-> Socket-3",
      "Socket-3 #1",
      "-> Socket-2",
      "Socket-2 #3 a",
      "-> Socket-2",
      "Socket-2 #4 b",
      "exhausted advance",
      "-> end (none)",
      "completed",
    ]);
  });

  it("[O2] a second pass after exhaustion begins at the first item again", async () => {
    const sockets = {
      "Socket-1": plan,
      "Socket-2": walk,
      "Socket-3": { materia: "Json", edges: [notSatisfied("Socket-2", 1), satisfied("end")] },
    };
    const { trace } = await play(
      main(sockets, { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")) }),
      {
        says: { Plan: [items("a")], Json: [NO, YES] },
      },
    );
    expect(trace.slice(2)).toEqual([
      "Socket-2 #1 a",
      "exhausted advance",
      "-> Socket-3 (exit)",
      "Socket-3 #1",
      "-> Socket-2",
      "Socket-2 #2 a",
      "exhausted advance",
      "-> Socket-3 (exit)",
      "Socket-3 #2",
      "-> end",
      "completed",
    ]);
  });

  it("[O2] a second loop walks the same list from its own first item, with the same cursor name", async () => {
    const cursor = { cursor: "index", items: "state.workItems" };
    const sockets = {
      "Socket-1": plan,
      "Socket-2": { ...walk, advance: cursor },
      "Socket-3": { ...walk, advance: cursor, edges: [always("Socket-3")] },
    };
    const loops = { A: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")), B: consuming(["Socket-3"]) };
    const { trace } = await play(main(sockets, loops), { says: { Plan: [items("a", "b")] } });
    expect(trace.slice(2)).toEqual([
      "Socket-2 #1 a",
      "-> Socket-2",
      "Socket-2 #2 b",
      "exhausted advance",
      "-> Socket-3 (exit)",
      "Socket-3 #1 a",
      "-> Socket-3",
      "Socket-3 #2 b",
      "exhausted advance",
      "-> end (none)",
      "completed",
    ]);
  });

  it("[O2] an ordinary edge from one loop into another starts a pass there", async () => {
    const sockets = {
      "Socket-1": plan,
      "Socket-2": { materia: "Text", edges: [always("Socket-3")], advance: {} },
      "Socket-3": { ...walk, edges: [always("Socket-3")] },
    };
    const loops = { A: consuming(["Socket-2"]), B: consuming(["Socket-3"]) };
    const { trace } = await play(main(sockets, loops), { says: { Plan: [items("a", "b")] } });
    expect(trace.slice(2, 6)).toEqual(["Socket-2 #1 a", "-> Socket-3", "Socket-3 #1 a", "-> Socket-3"]);
  });

  it("[O2] a list planned anew, shorter, is walked from its beginning", async () => {
    const sockets = {
      "Socket-1": plan,
      "Socket-2": {
        materia: "Json",
        advance: { when: "satisfied" },
        edges: [satisfied("Socket-2"), notSatisfied("Socket-1")],
      },
    };
    const { trace } = await play(main(sockets, { L: consuming(["Socket-2"]) }), {
      says: { Plan: [items("a", "b", "c"), items("d")], Json: [YES, NO, YES] },
    });
    expect(trace).toEqual([
      "Socket-1 #1",
      "-> Socket-2",
      "Socket-2 #1 a",
      "-> Socket-2",
      "Socket-2 #2 b",
      "-> Socket-1",
      "Socket-1 #2",
      "-> Socket-2",
      "Socket-2 #3 d",
      "exhausted advance",
      "-> end (none)",
      "completed",
    ]);
  });

  it("[O2, O12] generator to generator: the loop walks what the last one made", async () => {
    const sockets = {
      "Socket-1": { ...plan, edges: [always("Socket-3")] },
      "Socket-3": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": walk,
    };
    const { trace, asked } = await play(main(sockets, { L: consuming(["Socket-2"]) }), {
      says: { "Socket-1": [items("rough")], "Socket-3": [items("fine 1", "fine 2")] },
    });
    expect(trace.filter((line) => line.startsWith("Socket-2"))).toEqual(["Socket-2 #1 fine 1", "Socket-2 #2 fine 2"]);
    expect(asked[1]?.prompt).toContain("rough");
  });
});

describe("[O4, O5] the current item", () => {
  const tool: SocketInput = { materia: "Tool", edges: [always("Socket-3")] };
  const sockets = {
    "Socket-1": { ...plan, edges: [always("Socket-4")] },
    "Socket-4": { ...tool, edges: [always("Socket-2")] },
    "Socket-2": { materia: "Tool", advance: {}, edges: [always("Socket-2")] },
    "Socket-3": { materia: "Tool" },
  };
  const config = main(sockets, { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")) });

  it("[O4, O5] utilities see it inside the loop, with its key and place, and nothing before or after", async () => {
    const seen: Json[] = [];
    const utility = ({ input: { socketId, item, itemKey, cursor } }: UtilityRequest): UtilityOutcome => {
      seen.push([socketId ?? null, item ?? null, itemKey ?? null, cursor ?? null]);
      return { kind: "exited", stdout: "{}", stdoutCut: false, stderr: "" };
    };
    await play(config, { says: { Plan: [items("a", "b")] }, utility });
    expect(seen).toEqual([
      ["Socket-4", null, null, null],
      ["Socket-2", { title: "a", context: "" }, "WI-1", 0],
      ["Socket-2", { title: "b", context: "" }, "WI-2", 1],
      ["Socket-3", null, null, null],
    ]);
  });

  it("[O4, O5] visits and prompts have it inside the loop only", async () => {
    const words = { Words: { prompt: "<{{item.title}}|{{item.context}}>" } };
    const seated = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { ...walk, materia: "Words" },
      "Socket-3": { materia: "Words" },
    };
    const loop = consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3"));
    const { asked, events } = await play(main(seated, { L: loop }, { materia: words }), {
      says: { Plan: [{ workItems: [{ title: "a", context: "why" }] }] },
    });
    expect(asked.map((turn) => /<.*>/.exec(turn.system)?.[0])).toEqual([undefined, "<a|why>", "<|>"]);
    expect(events.flatMap((event) => (event.type === "visit_started" ? [event.item] : []))).toEqual([
      null,
      { index: 0, key: "WI-1", title: "a" },
      null,
    ]);
  });

  it("[O4] leaving by an ordinary edge leaves the item behind", async () => {
    const config = main(
      { "Socket-1": plan, "Socket-2": { ...walk, edges: [always("Socket-3")] }, "Socket-3": last },
      { L: consuming(["Socket-2"]) },
    );
    const { trace, state } = await play(config, { says: { Plan: [items("a", "b")] } });
    expect(trace.slice(2)).toEqual(["Socket-2 #1 a", "-> Socket-3", "Socket-3 #1", "-> end (none)", "completed"]);
    expect(state.pass).toBeNull();
  });
});

describe("[O12] which list", () => {
  const sockets = {
    "Socket-1": { materia: "Json", assign: { plans: "$.workItems" }, edges: [always("Socket-2")] },
    "Socket-2": { ...walk, advance: { items: "state.plans" } },
  };
  const config = main(sockets, { L: { sockets: ["Socket-2"] } });

  it("[O12] a loop that consumes none walks the list its advance names", async () => {
    const { trace } = await play(config, { says: { Json: [items("a", "b")] } });
    expect(trace.filter((line) => line.startsWith("Socket-2"))).toEqual(["Socket-2 #1 a", "Socket-2 #2 b"]);
  });

  it.each([
    ["[O12] a list that was never set is empty", {}, {}, "completed", ""],
    ["[O12] what is no list fails the cast", {}, { plans: "abc" }, "failed", "state.plans"],
    [
      "[O12] what is no item fails the cast",
      {},
      { plans: [{ title: "a", context: "" }, { title: 1 }] },
      "failed",
      "state.plans[1]",
    ],
  ])("%s", async (_rule, part, state, outcome, reason) => {
    const tool = {
      "Socket-1": { materia: "Tool", edges: [always("Socket-2")] },
      "Socket-2": sockets["Socket-2"],
      ...part,
    };
    const utility = (): UtilityOutcome => ({
      kind: "exited",
      stdout: JSON.stringify({ state }),
      stdoutCut: false,
      stderr: "",
    });
    const played = await play(main(tool, { L: { sockets: ["Socket-2"] } }), { utility });
    expect(played.trace.at(-1)).toBe(outcome);
    expect(reasonOf(played)).toContain(reason);
  });
});
