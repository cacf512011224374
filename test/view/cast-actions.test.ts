import { expect, it } from "vitest";
import { actionsFor, rowActionOf, type ActionFacts } from "../../src/core/view/cast-actions.ts";

it.each<[rule: string, facts: ActionFacts, main: readonly string[]]>([
  ["[W43] a finished cast", { status: "completed" }, ["again", "compare", "record"]],
  ["[W43] a finished cast of a fleet", { status: "not_satisfied", isOnFleet: true }, ["compare", "record", "take"]],
  ["[W43] a waiting cast", { status: "waiting" }, ["answer"]],
  ["[W43] a running cast", { status: "running" }, ["abort"]],
  ["[W43] an interrupted cast", { status: "interrupted" }, ["resume", "again"]],
  ["[W43] a failed turn", { status: "failed", limit: null }, ["resume"]],
  ["[W43] a budget", { status: "failed", limit: "maxCostUsd" }, ["raise"]],
  ["[W43] a counted limit", { status: "failed", limit: "maxRepairs" }, ["allow"]],
  [
    "[W43] an item that was sent back too often",
    { status: "failed", limit: "maxTraversals", rework: { item: {} } },
    ["allow", "hint", "accept", "skip"],
  ],
  [
    "[W43] the same outside a list",
    { status: "failed", limit: "maxTraversals", rework: { item: null } },
    ["allow", "hint", "accept"],
  ],
])("%s", (_rule, facts, main) => {
  const offered = actionsFor(facts);
  expect(offered.main).toEqual(main);
  expect(offered.more.filter((each) => main.includes(each))).toEqual([]);
  const resumes = [...offered.main, ...offered.more].includes("resume");
  expect(resumes && facts.limit !== null && facts.limit !== undefined).toBe(false);
});

it("[W43] a row offers the first action, and the choices of a failed cast", () => {
  expect(rowActionOf("waiting").label).toBe("Answer…");
  expect(rowActionOf("failed").label).toBe("See choices");
});
