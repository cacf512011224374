import { describe, expect, it } from "vitest";
import { always, consuming, exit, items, main, notSatisfied, reasonOf, satisfied } from "../harness/loadouts.ts";
import { play, playFrom } from "../harness/play.ts";
import { raised } from "../harness/seats.ts";

const YES = { satisfied: true };
const NO = { satisfied: false, context: "not yet" };

const round = {
  "Socket-1": { materia: "Text", edges: [always("Socket-2")] },
  "Socket-2": { materia: "Text", edges: [always("Socket-1")] },
};

describe("[G9] returns without progress", () => {
  it.each([
    [{}, 4],
    [{ maxNoAdvanceCycles: 0 }, 1],
    [{ maxNoAdvanceCycles: 1 }, 2],
    [{ maxNoAdvanceCycles: 7 }, 8],
  ])(
    "[G9] with the limits %j a socket is visited %i times, then the cast fails and names the cycle",
    async (limits, visits) => {
      const played = await play(main(round, {}, { limits }));
      const at = played.trace.filter((line) => line.startsWith("Socket-1 "));
      expect(at).toHaveLength(visits);
      expect(played.trace.slice(-2)).toEqual(["limit maxNoAdvanceCycles", "failed"]);
      expect(reasonOf(played)).toContain("Socket-1 (Text) → Socket-2 (Text)");
    },
  );

  it("[G9] utilities are counted like agents", async () => {
    const played = await play(main({ "Socket-1": { materia: "Tool", edges: [always("Socket-1")] } }));
    expect(played.trace.slice(-4)).toEqual(["Socket-1 #4", "-> Socket-1", "limit maxNoAdvanceCycles", "failed"]);
  });

  it("[G9] the reason names the sockets of the cycle in their order, and no others", async () => {
    const sockets = {
      "Socket-1": { materia: "Json", edges: [notSatisfied("Socket-1"), satisfied("Socket-10")] },
      "Socket-10": { materia: "Text", edges: [always("Socket-9")] },
      "Socket-9": { materia: "Text", edges: [always("Socket-11")] },
      "Socket-11": { materia: "Text", edges: [always("Socket-10")] },
    };
    const reason = reasonOf(await play(main(sockets), { says: { Json: [NO, NO, NO, YES] } }));
    const named = reason.match(/Socket-\d+ \(\w+\)/g) ?? [];
    expect(named.slice(0, -1).join(" → ")).toBe("Socket-10 (Text) → Socket-9 (Text) → Socket-11 (Text)");
    expect(named.at(-1)).toBe("Socket-10 (Text)");
  });

  it("[G10] a counted edge sets the count back, so that its own limit decides", async () => {
    const sockets = {
      "Socket-1": { materia: "Text", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Json", edges: [notSatisfied("Socket-1", 5), satisfied("end")] },
    };
    const { trace } = await play(main(sockets), { says: { Json: [NO] } });
    expect(trace.slice(-3)).toEqual(["Socket-2 #6", "limit maxTraversals", "failed"]);
  });

  it("[G10] after a counted edge the next visit is a first one, with all returns before it", async () => {
    const sockets = {
      "Socket-1": { materia: "Text", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Json", edges: [notSatisfied("Socket-1", 1), satisfied("Socket-1")] },
    };
    const config = main(sockets, {}, { limits: { maxNoAdvanceCycles: 1 } });
    const { trace } = await play(config, { says: { Json: [YES, NO, YES, YES] } });
    expect(trace.slice(-4)).toEqual(["Socket-2 #4", "-> Socket-1", "limit maxNoAdvanceCycles", "failed"]);
  });

  const loop = main(
    {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Json", advance: { when: "satisfied" }, edges: [always("Socket-2")] },
    },
    { L: consuming(["Socket-2"]) },
  );

  it("[G9] inside a loop the returns are counted for the current item", async () => {
    const played = await play(loop, { says: { Plan: [items("a", "b")], Json: [YES, NO] } });
    expect(played.trace.slice(-4)).toEqual(["Socket-2 #5 b", "-> Socket-2", "limit maxNoAdvanceCycles", "failed"]);
    expect(reasonOf(played)).toContain('"b"');
  });

  it("[G10, G32] an advance sets the count back, and nothing else limits a long cast", async () => {
    const titles = Array.from({ length: 500 }, (_, index) => `item ${index}`);
    const { trace, events } = await play(loop, { says: { Plan: [items(...titles)], Json: [YES] } });
    expect(trace.slice(-3)).toEqual(["exhausted advance", "-> end (none)", "completed"]);
    expect(events.filter((event) => event.type === "visit_completed")).toHaveLength(501);
  });

  const replanning = main(
    {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
    },
    { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-1")) },
  );

  it("[G32] an advance inside a loop is no progress outside it, so planner and loop do not repeat for ever", async () => {
    const { trace } = await play(replanning, { says: { Plan: [items("a", "b")] } });
    expect(trace.filter((line) => line.startsWith("Socket-1"))).toHaveLength(4);
    expect(trace.slice(-2)).toEqual(["limit maxNoAdvanceCycles", "failed"]);
  });

  it("[G32] a further allowance counts for the whole cycle", async () => {
    const first = await play(replanning, { says: { Plan: [items("a", "b")] } });
    const second = await playFrom(raised(first.state, 2), { says: { Plan: [items("c")] } });
    expect(second.trace.filter((line) => line.startsWith("Socket-1"))).toEqual(["Socket-1 #5", "Socket-1 #6"]);
    expect(second.trace.slice(-2)).toEqual(["limit maxNoAdvanceCycles", "failed"]);
  });

  it("[G10, G32] a counted edge inside a loop sets back its own cycle, and nothing outside", async () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
      "Socket-3": {
        materia: "Json",
        advance: { when: "satisfied" },
        edges: [notSatisfied("Socket-2", 5), always("Socket-2")],
      },
    };
    const config = main(sockets, { L: consuming(["Socket-2", "Socket-3"], exit("Socket-3", "always", "Socket-1")) });
    const round = [NO, NO, NO, NO, NO, YES];
    const { trace } = await play(config, {
      says: { Plan: [items("a")], Json: [...round, ...round, ...round, ...round, ...round] },
    });
    expect(trace.filter((line) => line.startsWith("Socket-1"))).toHaveLength(4);
    expect(trace.filter((line) => line.startsWith("Socket-3"))).toHaveLength(24);
    expect(trace.slice(-2)).toEqual(["limit maxNoAdvanceCycles", "failed"]);
  });

  it("[G9, G39] a loop that is left and entered again for the same item is a way round", async () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Json", advance: { when: "satisfied" }, edges: [always("Socket-3")] },
      "Socket-3": { materia: "Text", edges: [always("Socket-2")] },
    };
    const { trace } = await play(main(sockets, { L: consuming(["Socket-2"]) }), {
      says: { Plan: [items("a", "b")], Json: [NO] },
    });
    expect(trace.filter((line) => line.startsWith("Socket-2"))).toHaveLength(4);
    expect(trace.slice(-2)).toEqual(["limit maxNoAdvanceCycles", "failed"]);
  });

  it("[G9, G39] returns of one item do not count for another; the loop itself returns with the same list", async () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": {
        materia: "Json",
        advance: { when: "satisfied" },
        edges: [satisfied("Socket-2"), always("Socket-3")],
      },
      "Socket-3": { materia: "Text", edges: [always("Socket-2")] },
    };
    const config = main(sockets, { L: consuming(["Socket-2"]) }, { limits: { maxNoAdvanceCycles: 1 } });
    const { trace } = await play(config, { says: { Plan: [items("a", "b")], Json: [YES, NO] } });
    expect(trace.filter((line) => line.startsWith("Socket-2"))).toEqual([
      "Socket-2 #1 a",
      "Socket-2 #2 b",
      "Socket-2 #3 a",
    ]);
    expect(trace.slice(-2)).toEqual(["limit maxNoAdvanceCycles", "failed"]);
  });

  it("[G10] a counted edge to a socket that was visited for an earlier item closes no cycle", async () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
      "Socket-3": { materia: "Json", edges: [satisfied("Socket-2"), notSatisfied("Socket-4", 5)] },
      "Socket-4": { materia: "Json", advance: { when: "satisfied" }, edges: [always("Socket-2")] },
    };
    const config = main(
      sockets,
      { L: consuming(["Socket-2", "Socket-3", "Socket-4"]) },
      { limits: { maxNoAdvanceCycles: 1 } },
    );
    const says = { Plan: [items("a", "b")], "Socket-3": [NO, YES, NO], "Socket-4": [YES, NO] };
    const { trace } = await play(config, { says });
    expect(trace.slice(-4)).toEqual(["Socket-4 #2 b", "-> Socket-2", "limit maxNoAdvanceCycles", "failed"]);
  });

  it("[G10] each item has all its returns", async () => {
    const { trace } = await play(loop, { says: { Plan: [items("a", "b")], Json: [NO, NO, NO, YES, NO, NO, YES] } });
    expect(trace.slice(-4)).toEqual(["Socket-2 #7 b", "exhausted advance", "-> end (none)", "completed"]);
  });

  it("[G9] going round an empty loop is counted", async () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
    };
    const config = main(sockets, { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-1")) });
    const { trace } = await play(config, { says: { Plan: [items()] } });
    expect(trace.slice(-3)).toEqual(["-> Socket-1 (exit)", "limit maxNoAdvanceCycles", "failed"]);
    expect(trace.filter((line) => line.startsWith("Socket-"))).toHaveLength(4);
  });

  it("[G9] what an empty list passed by was not visited", async () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
      "Socket-3": { materia: "Json", edges: [notSatisfied("Socket-1", 9), satisfied("end")] },
    };
    const config = main(sockets, { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")) });
    const says = {
      Plan: [...Array.from({ length: 6 }, () => items()), items("a")],
      Json: [NO, NO, NO, NO, NO, NO, YES],
    };
    const { trace } = await play(config, { says });
    expect(trace.slice(-6)).toEqual([
      "Socket-2 #1 a",
      "exhausted advance",
      "-> Socket-3 (exit)",
      "Socket-3 #7",
      "-> end",
      "completed",
    ]);
  });

  it("[G9, J35] the cycle is named as it was walked, not by a shorter way", async () => {
    const sockets = {
      "Socket-1": { materia: "Text", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Json", edges: [notSatisfied("Socket-3"), satisfied("Socket-4")] },
      "Socket-3": { materia: "Text", edges: [always("Socket-4")] },
      "Socket-4": { materia: "Text", edges: [always("Socket-1")] },
    };
    const { events } = await play(main(sockets), { says: { Json: [NO] } });
    const limit = events.find((event) => event.type === "limit_reached");
    expect(limit).toMatchObject({
      where: { socket: "Socket-4", to: "Socket-1", cycle: ["Socket-1", "Socket-2", "Socket-3", "Socket-4"] },
    });
  });

  it("[G9, J35] of a long cycle the last 40 sockets are named", async () => {
    const titles = Array.from({ length: 45 }, (_, index) => `item ${index}`);
    const played = await play(replanning, { says: { Plan: [items(...titles)] } });
    const limit = played.events.find((event) => event.type === "limit_reached");
    expect(limit).toMatchObject({ where: { to: "Socket-1", cycle: Array.from({ length: 40 }, () => "Socket-2") } });
    expect(reasonOf(played)).toContain("without progress: … → Socket-2 (Text) → ");
  });

  it("[G9] two empty loops that lead to each other end, though no socket runs", async () => {
    const walking = { materia: "Text", advance: { items: "state.none" }, edges: [always("Socket-3")] };
    const sockets = {
      "Socket-1": { materia: "Tool", edges: [always("Socket-2")] },
      "Socket-2": walking,
      "Socket-3": { ...walking, edges: [always("Socket-2")] },
    };
    const { trace } = await play(
      main(sockets, {
        A: { sockets: ["Socket-2"], exits: [exit("Socket-2", "always", "Socket-3")] },
        B: { sockets: ["Socket-3"], exits: [exit("Socket-3", "always", "Socket-2")] },
      }),
      { says: { Tool: ["{}"] } },
    );
    expect(trace.filter((line) => line.startsWith("Socket-"))).toEqual(["Socket-1 #1"]);
    expect(trace.slice(-2)).toEqual(["limit maxNoAdvanceCycles", "failed"]);
  });
});
