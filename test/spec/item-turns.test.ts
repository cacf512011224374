import { expect, it } from "vitest";
import { play } from "../harness/play.ts";
import { items, workshop } from "../harness/seats.ts";

it("[A11] turns are counted for their socket and for their item, also over a rework", async () => {
  const no = { satisfied: false, context: "again" };
  const yes = { satisfied: true };
  const { asked } = await play(workshop(), { says: { Plan: [items("a", "b")], Eval: [yes, no, yes] } });
  const builds = asked.filter(({ socket }) => socket === "Socket-2");
  expect(builds.map(({ item }) => item)).toEqual(["WI-1", "WI-2", "WI-2"]);
  const before = builds
    .at(-1)
    ?.earlierTurns()
    .find(({ socket }) => socket === "Socket-2");
  expect([before?.turns, before?.turnsFor("WI-1"), before?.turnsFor("WI-2")]).toEqual([2, 1, 1]);
  expect(asked[0]?.item).toBeNull();
});
