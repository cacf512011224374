import { expect, it } from "vitest";
import { compose } from "../compose.ts";
import { worldOf } from "../random/replies.ts";
import type { Case } from "../random/worlds.ts";
import type { EdgeText, LoadoutText } from "../texts.ts";
import { walk } from "../walk.ts";
import { engineGraph, engineStart, runEngine } from "../against/engine.ts";

const PLAN = { prompt: "Plan.", generator: true };
const JUDGE = { prompt: "Judge.", parse: "json" } as const;

/** Plan → per item: Judge → Last, with these edges. */
function caseOf(member: readonly EdgeText[], advance: object, last: readonly EdgeText[], parallel: boolean): Case {
  const loadout: LoadoutText = {
    entry: "Socket-1",
    sockets: {
      "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
      "Socket-2": { materia: "Judge", advance, edges: member },
      "Socket-3": { materia: "Judge", edges: last },
    },
    loops: {
      each: {
        sockets: ["Socket-2"],
        consumes: { from: "Socket-1", output: "workItems" },
        exits: [{ id: "x", from: "Socket-2", condition: "always", targetSocketId: "Socket-3" }],
        ...(parallel ? { parallel: 2 } : {}),
      },
    },
  };
  const limits = { maxNoAdvanceCycles: 3, maxRepairs: 0 };
  const texts = { materia: { Plan: PLAN, Judge: JUDGE }, loadouts: { A: loadout }, limits, budget: {} };
  return { seed: 1, texts, targets: ["loadout:A"], parallel: true };
}

function writesList({ texts }: Case): boolean {
  return texts.loadouts["A"]?.sockets["Socket-2"]?.assign?.["workItems"] === "$.workItems";
}

/** The case with a member that writes the list, as it was, or copies it from where it was kept. */
function withEqualList(each: Case, from: "agent" | "program" | "copy"): Case {
  const { A: loadout } = each.texts.loadouts;
  const member = loadout?.sockets["Socket-2"];
  if (!loadout || !member) throw new Error("there is no such socket");
  const assign = { workItems: from === "copy" ? "state.kept" : "$.workItems" };
  const writer = { ...member, materia: from === "program" ? "Program" : "Judge", assign };
  const planner = { ...loadout.sockets["Socket-1"], materia: "Plan", assign: { kept: "$.workItems" } };
  const materia = { ...each.texts.materia, Program: { type: "utility", command: ["list"], parse: "json" } as const };
  const loadouts = { A: { ...loadout, sockets: { ...loadout.sockets, "Socket-1": planner, "Socket-2": writer } } };
  return { ...each, texts: { ...each.texts, materia, loadouts } };
}

/** How the cast ends, for the rules and for the engine. */
function endsOf(each: Case, titles: string, answers: Readonly<Record<string, string>>) {
  const ours = compose(each.targets, each.texts);
  const theirs = engineGraph(each);
  if (ours.problems || !theirs.ok) throw new Error("the loadout is refused");
  const items = titles.split("").map((title) => ({ title, context: "" }));
  const used = new Map<string, number>();
  const world = (): ReturnType<typeof worldOf> => ({
    ...worldOf(each),
    conflict: () => undefined,
    together: () => true,
    raise: () => undefined,
    reply: ({ id }, visit) => {
      if (id === "Socket-1") return JSON.stringify({ workItems: items });
      // By item, in whichever cast its visits are numbered.
      const item = /WI-\d+/.exec(visit)?.[0] ?? "WI-1";
      const key = id === "Socket-2" ? item : id;
      const count = used.get(key) ?? 0;
      used.set(key, count + 1);
      const said = (answers[key] ?? "y").charAt(count) || "y";
      const list = id === "Socket-2" && writesList(each) ? { workItems: items } : {};
      return JSON.stringify({ ...list, ...(said === "y" ? { satisfied: true } : { satisfied: false, context: "no" }) });
    },
  });
  const { facts } = walk(ours.graph, world());
  used.clear();
  const ran = runEngine(engineStart(each, theirs.value), [], ours.graph, world());
  expect(ran.facts.slice(-3)).toEqual(facts.slice(-3));
  const around = (list: readonly string[]) => list.filter((fact) => fact.startsWith("way Socket-2 Socket-2"));
  expect(around(ran.facts)).toEqual(around(facts));
  const last = facts.filter((fact) => fact.startsWith("visit Socket-3")).join();
  return [facts.slice(-3).join("; "), last, around(facts)] as const;
}

it("[V49] a way behind an advance ends the cast, as one by one", () => {
  const edges = [
    { when: "not_satisfied", to: "end" },
    { when: "always", to: "Socket-2" },
  ] as const;
  const [end, last] = endsOf(caseOf(edges, {}, [], true), "ab", { "WI-1": "n", "WI-2": "y" });
  expect(end).toBe("joined each; way Socket-2 end not_satisfied edge 0 1; ended not_satisfied");
  expect(last).toBe("");
});

it("[V49] behind the last item the exits decide", () => {
  const edges = [
    { when: "not_satisfied", to: "end" },
    { when: "always", to: "Socket-2" },
  ] as const;
  const [, last] = endsOf(caseOf(edges, {}, [], true), "ab", { "WI-1": "y", "WI-2": "n" });
  expect(last).toBe("visit Socket-3 1");
});

it.each([true, false])("[V48] a second pass over the same list continues the counts; parallel: %s", (parallel) => {
  const edges = [
    { when: "not_satisfied", to: "Socket-2", maxTraversals: 1 },
    { when: "always", to: "Socket-2" },
  ] as const;
  const back = [
    { when: "not_satisfied", to: "Socket-2", maxTraversals: 1 },
    { when: "satisfied", to: "end" },
  ] as const;
  const each = caseOf(edges, { when: "satisfied" }, back, parallel);
  const [end] = endsOf(each, "a", { "WI-1": "nyny", "Socket-3": "ny" });
  expect(end).toContain("limit maxTraversals Socket-2 Socket-2 1; ended failed");
});

it("[G7] a way on to the next item, without a limit, counts for neither item", () => {
  const edges = [{ when: "always", to: "Socket-2" }] as const;
  const [, , around] = endsOf(caseOf(edges, { when: "satisfied" }, [], false), "abc", { "WI-1": "nynnyy" });
  expect(around.map((fact) => fact.split(" ").at(-1))).toEqual(["1", "1", "1", "2", "2"]);
});

it.each([
  ["agent", "ended completed", true],
  ["agent", "ended completed", false],
  ["program", "ended failed", true],
  ["program", "ended failed", false],
  ["copy", "ended failed", true],
  ["copy", "ended failed", false],
] as const)("[G26, V54] a second pass over an equal list by the %s: %s; parallel: %s", (from, outcome, parallel) => {
  const edges = [
    { when: "not_satisfied", to: "Socket-2", maxTraversals: 1 },
    { when: "always", to: "Socket-2" },
  ] as const;
  const back = [
    { when: "not_satisfied", to: "Socket-2", maxTraversals: 1 },
    { when: "satisfied", to: "end" },
  ] as const;
  const each = withEqualList(caseOf(edges, { when: "satisfied" }, back, parallel), from);
  const [end] = endsOf(each, "a", { "WI-1": "nyny", "Socket-3": "ny" });
  expect(end).toContain(outcome);
});

it.each([true, false])("[V48, G10] a limited edge around the loop lets its limit decide; parallel: %s", (parallel) => {
  const edges = [{ when: "always", to: "Socket-2" }] as const;
  const back = [
    { when: "not_satisfied", to: "Socket-2", maxTraversals: 7 },
    { when: "satisfied", to: "end" },
  ] as const;
  const [end] = endsOf(caseOf(edges, {}, back, parallel), "ab", { "Socket-3": "nnnnnnny" });
  expect(end).toContain("ended completed");
});

it("[V50] a limited edge behind an advance makes the items run one by one", () => {
  const edges = [{ when: "always", to: "Socket-2", maxTraversals: 1 }] as const;
  const each = caseOf(edges, {}, [], true);
  const theirs = engineGraph(each);
  const ours = compose(each.targets, each.texts);
  if (ours.problems || !theirs.ok) throw new Error("the loadout is refused");
  const world = { ...worldOf(each), together: () => true };
  const { facts } = walk(ours.graph, world);
  expect(runEngine(engineStart(each, theirs.value), [], ours.graph, world).facts).toEqual(facts);
  expect(facts.some((fact) => fact.startsWith("forked"))).toBe(false);
});
