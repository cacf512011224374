import { expect, it } from "vitest";
import { runIn } from "./harness.ts";

it.each<[workItems: unknown, code: number, printed: string]>([
  [[{ title: "a", context: "" }], 1, "No step has refined this single item: settle yourself what it leaves open."],
  [[{}, {}], 0, "The plan has 2 items."],
  [[], 1, "The plan has 0 items."],
  [undefined, 1, "Several-Items: state.workItems is not a list; place Several-Items after a generator"],
])("[Q15] of the list %j it says %i: %s", (workItems, code, printed) => {
  const ran = runIn("several-items", { state: { workItems } });
  expect([ran.code, `${ran.stdout}${ran.stderr}`.trim()]).toEqual([code, printed]);
});
