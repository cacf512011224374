import { expect, it } from "vitest";
import { play, reworkOf } from "../harness/play.ts";
import { always, exit, graph, items, loop, notSatisfied, satisfied, seat, workshop } from "../harness/seats.ts";

const yes = { satisfied: true };
const no = (context: string) => ({ satisfied: false, context });

it("[R4] a reason for one item is not shown to another after the loop was left", async () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Build", always("Socket-3")),
      "Socket-3": seat("Eval", notSatisfied("Socket-2"), satisfied("Socket-4")),
      "Socket-4": {
        ...seat("Eval", notSatisfied("Socket-5"), satisfied("Socket-2")),
        advance: { when: "satisfied" },
      },
      "Socket-5": seat("Eval", notSatisfied("Socket-2"), satisfied("end")),
    },
    { loops: { each: loop(["Socket-2", "Socket-3", "Socket-4"]) } },
  );
  const { asked } = await play(config, {
    says: {
      Plan: [items("a", "b")],
      "Socket-3": [yes, no("of b"), yes],
      "Socket-4": [yes, no("leave"), yes],
      "Socket-5": [no("from outside")],
    },
  });
  const shown = reworkOf(asked, "Socket-2").map((text) =>
    [...text.matchAll(/of b|from outside/g)].map(([match]) => match),
  );
  expect(shown).toEqual([[], [], ["of b"], ["from outside"], []]);
});

it("[R4] an advance clears the reasons of its item", async () => {
  const { asked } = await play(workshop(), {
    says: { Plan: [items("a", "b")], Eval: [no("for a"), yes, no("for b"), yes] },
  });
  const shown = reworkOf(asked, "Socket-2").map((text) => [...text.matchAll(/for \w/g)].map(([match]) => match));
  expect(shown).toEqual([[], ["for a"], [], ["for b"]]);
});

it("[R4, G26] an advance in another loop over the same list clears the reasons of its item as well", async () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": { ...seat("Build", always("Socket-3")) },
      "Socket-3": { ...seat("Eval", notSatisfied("Socket-4"), satisfied("end")), advance: { when: "satisfied" } },
      "Socket-4": { ...seat("Eval", notSatisfied("Socket-2")), advance: { when: "not_satisfied" } },
    },
    { loops: { first: loop(["Socket-2", "Socket-3"]), second: loop(["Socket-4"]) } },
  );
  const { asked } = await play(config, {
    says: { Plan: [items("a", "b")], "Socket-3": [no("zero"), no("zero"), yes], "Socket-4": [no("one"), no("two")] },
  });
  const shown = reworkOf(asked, "Socket-2").map((text) => [...text.matchAll(/: (one|two)/g)].map((match) => match[1]));
  expect(shown).toEqual([[], ["one"], ["two"]]);
});

it("[R4] another kind of route clears the reasons of the socket", async () => {
  const config = graph({
    "Socket-1": seat("Build", always("Socket-2")),
    "Socket-2": seat("Eval", notSatisfied("Socket-1"), satisfied("Socket-3")),
    "Socket-3": seat("Eval", satisfied("end"), always("Socket-1")),
  });
  const { asked } = await play(config, {
    says: { "Socket-2": [no("one"), yes, no("two"), yes], "Socket-3": [no("three"), yes] },
  });
  const shown = reworkOf(asked, "Socket-1").map((text) =>
    [...text.matchAll(/: (one|two|three)/g)].map((match) => match[1]),
  );
  expect(shown).toEqual([[], ["one"], [], ["two"]]);
});

it("[R4] a route to another socket clears nothing", async () => {
  const config = graph({
    "Socket-1": seat("Build", always("Socket-2")),
    "Socket-2": seat("Eval", notSatisfied("Socket-1"), satisfied("Socket-3")),
    "Socket-3": seat("Tell", always("Socket-4")),
    "Socket-4": seat("Eval", notSatisfied("Socket-1"), satisfied("end")),
  });
  const { asked } = await play(config, { says: { "Socket-2": [no("one"), yes], "Socket-4": [no("two"), yes] } });
  const shown = reworkOf(asked, "Socket-1").map((text) => [...text.matchAll(/: (one|two)/g)].map((match) => match[1]));
  expect(shown).toEqual([[], ["one"], ["two", "one"]]);
});

it("[R4, G26, P12] so does one in a loop over the same list under another name", async () => {
  const config = graph(
    {
      "Socket-1": { ...seat("Plan", always("Socket-2")), assign: { plans: "$.workItems" } },
      "Socket-2": { ...seat("Build", always("Socket-2")), advance: {} },
      "Socket-3": seat("Eval", notSatisfied("Socket-2"), satisfied("Socket-4")),
      "Socket-4": { ...seat("Build", always("Socket-3")), advance: { items: "state.plans" } },
    },
    {
      loops: {
        first: loop(["Socket-2"], exit("Socket-2", "always", "Socket-3")),
        second: { sockets: ["Socket-3", "Socket-4"] },
      },
    },
  );
  const { asked } = await play(config, { says: { Plan: [items("a")], "Socket-3": [no("no test"), yes] } });
  const prompts = asked.filter(({ socket }) => socket === "Socket-3").map(({ prompt }) => prompt);
  expect(prompts).toEqual([expect.not.stringContaining("no test"), expect.not.stringContaining("no test")]);
});
