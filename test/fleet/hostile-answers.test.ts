import { expect, it } from "vitest";
import { openNeighbours, submission } from "../harness/fleet/members.ts";

it("[B82] what a member says to a cast counts as submitted, and is bounded in all", async () => {
  const { admin, ann } = await openNeighbours();
  const said = [`{"type":"person_answered","seq":1,"text":"${"x".repeat(1_000)}"}`];
  await ann.queryOnce(submission("r-said", "red"));
  const set = (change: string) =>
    admin.queryOnce({ text: `update materia.casts set status = 'waiting', ${change} where cast_id = 'r-said'` });
  const tell = () =>
    ann.queryOnce({ text: "select materia.tell_cast('r-said', 0, $1, false) as said", values: [said] });
  await set("bytes = 2147483000");
  expect(await tell()).toEqual([{ said: "refused" }]);
  await set("bytes = 10");
  expect(await tell()).toEqual([{ said: "taken" }]);
  expect(
    await ann.queryOnce({ text: "select bytes > 1000 as counted from materia.casts where cast_id = 'r-said'" }),
  ).toEqual([{ counted: true }]);
});
