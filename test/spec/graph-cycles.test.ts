import { describe, expect, it } from "vitest";
import { always, consuming, exit, items, main, notSatisfied, reasonOf, satisfied } from "../harness/loadouts.ts";
import { play } from "../harness/play.ts";

const YES = { satisfied: true };
const NO = { satisfied: false };

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
    expect(played.trace.slice(-3)).toEqual(["Socket-1 #4", "limit maxNoAdvanceCycles", "failed"]);
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
    expect(named).toHaveLength(3);
    expect([...named, ...named].join(" → ")).toContain("Socket-10 (Text) → Socket-9 (Text) → Socket-11 (Text)");
  });

  it("[G10] a counted edge sets the count back, so that its own limit decides", async () => {
    const sockets = {
      "Socket-1": { materia: "Text", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Json", edges: [notSatisfied("Socket-1", 5), satisfied("end")] },
    };
    const { trace } = await play(main(sockets), { says: { Json: [NO] } });
    expect(trace.slice(-3)).toEqual(["Socket-2 #6", "limit maxTraversals", "failed"]);
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
    expect(played.trace.slice(-4)).toEqual(["-> Socket-2", "Socket-2 #5 b", "limit maxNoAdvanceCycles", "failed"]);
    expect(reasonOf(played)).toContain('"b"');
  });

  it("[G10] an advance sets the count back, and nothing else limits a long cast", async () => {
    const titles = Array.from({ length: 500 }, (_, index) => `item ${index}`);
    const { trace, events } = await play(loop, { says: { Plan: [items(...titles)], Json: [YES] } });
    expect(trace.slice(-3)).toEqual(["exhausted advance", "-> end (none)", "completed"]);
    expect(events.filter((event) => event.type === "visit_completed")).toHaveLength(501);
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
    expect(trace.slice(-3)).toEqual(["exhausted empty", "limit maxNoAdvanceCycles", "failed"]);
    expect(trace.filter((line) => line.startsWith("Socket-"))).toHaveLength(4);
  });

  it("[G9] two empty loops that lead to each other end, though no socket runs", async () => {
    const walking = { materia: "Text", advance: { items: "state.none" }, edges: [always("Socket-3")] };
    const sockets = { "Socket-2": walking, "Socket-3": { ...walking, edges: [always("Socket-2")] } };
    const { trace } = await play(
      main(sockets, {
        A: { sockets: ["Socket-2"], exits: [exit("Socket-2", "always", "Socket-3")] },
        B: { sockets: ["Socket-3"], exits: [exit("Socket-3", "always", "Socket-2")] },
      }),
    );
    expect(trace.filter((line) => line.startsWith("Socket-"))).toEqual([]);
    expect(trace.slice(-2)).toEqual(["limit maxNoAdvanceCycles", "failed"]);
  });
});
