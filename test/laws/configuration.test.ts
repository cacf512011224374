import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import { checkTarget, compileTargets } from "../../src/core/compile/targets/compile.ts";
import { worstCase } from "../../src/core/compile/worst-case.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import type { Issue } from "../../src/core/model/issue.ts";
import { isJsonObject } from "../../src/core/model/json.ts";
import {
  MATERIA,
  allowedTurns,
  always,
  consuming,
  exit,
  formulas,
  items,
  main,
  notSatisfied,
  problems,
  satisfied,
  type SocketInput,
} from "../harness/loadouts.ts";
import { catalogOf, compiled, play } from "../harness/play.ts";
import { chanceOf, simulate } from "../harness/random-graph.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const SOUND = {
  activeLoadout: "Main",
  budget: { maxTokens: 1000, maxCostUsd: 1, warnAtPercent: 50 },
  limits: { maxNoAdvanceCycles: 1, maxRepairs: 1 },
  materia: {
    ...MATERIA,
    Vcs: { type: "utility", script: "Detect-VCS", parse: "json", params: { a: 1 }, env: ["HOME"] },
  },
  loadouts: {
    Main: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Plan", assign: { workItems: "$.workItems" }, edges: [always("Socket-2", 2)] },
        "Socket-2": { materia: "Json", edges: [notSatisfied("Socket-2", 1), satisfied("Socket-3")] },
        "Socket-3": {
          materia: "Text",
          advance: { cursor: "c", items: "state.workItems", when: "always" },
          edges: [always("Socket-2")],
        },
        "Socket-4": { materia: "Vcs" },
      },
      loops: { L: consuming(["Socket-2", "Socket-3"], exit("Socket-3", "always", "Socket-4")) },
      layout: { "Socket-1": { x: 1, y: 2 } },
    },
  },
};

const word = fc.oneof(
  fc.constantFrom(
    "",
    "end",
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "../x",
    "Socket-1",
    "Socket-2",
    "Text",
    "L",
    "a b",
    "\ud800",
    "\u0000",
    "\u001b[31m",
    "\u202e",
    "state.__proto__.x",
    "$.constructor",
    "item.title",
    "$",
    "always",
    "json",
    "x".repeat(300),
  ),
  fc.string({ unit: "binary", maxLength: 5 }),
);
const value = fc.oneof(
  word,
  fc.constantFrom(null, true, 0, -1, 1.5, 1e308, [], {}, [null], [[]]),
  fc.array(fc.tuple(word, word), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  fc.jsonValue({ maxDepth: 3 }),
);

interface Change {
  readonly path: readonly number[];
  readonly how: "replace" | "rename" | "add" | "remove";
  readonly key: string;
  readonly value: unknown;
}
const change: fc.Arbitrary<Change> = fc.record({
  path: fc.array(fc.nat(11), { minLength: 1, maxLength: 8 }),
  how: fc.constantFrom("replace", "replace", "rename", "add", "remove"),
  key: word,
  value,
});

/** The value with one change at the place that the path leads to, by position. */
function changed(at: unknown, { path, ...rest }: Change): unknown {
  const [step = 0, ...further] = path;
  if (Array.isArray(at)) {
    const index = at.length === 0 ? 0 : step % at.length;
    if (further.length === 0) return at.toSpliced(index, 1, ...(rest.how === "remove" ? [] : [rest.value]));
    return at.toSpliced(index, 1, changed(at[index], { ...rest, path: further }));
  }
  if (!isJsonObject(at)) return rest.value;
  const entries = Object.entries(at);
  if (rest.how === "add" && (further.length === 0 || entries.length === 0))
    return Object.fromEntries([...entries, [rest.key, rest.value]]);
  return Object.fromEntries(
    entries.flatMap(([key, inner], index) => {
      if (index !== step % entries.length) return [[key, inner]];
      if (further.length > 0) return [[key, changed(inner, { ...rest, path: further })]];
      if (rest.how === "remove") return [];
      return [rest.how === "rename" ? [rest.key, inner] : [key, rest.value]];
    }),
  );
}

/** Everything that the check does with a configuration, and the casts of what it lets pass. */
function useAll(raw: unknown): readonly Issue[] {
  const catalog = mergeLayers([readLayer("bundled", SOUND), readLayer("explicit", raw, "x.json")]);
  const found: Issue[] = [...catalog.issues];
  const targets = [
    ...[...catalog.materia.values()].map((entry) => ({ kind: "materia", name: entry.name, entry }) as const),
    ...[...catalog.loadouts.values()].map((entry) => ({ kind: "loadout", name: entry.name, entry }) as const),
  ];
  for (const target of targets) {
    found.push(...target.entry.issues, ...checkTarget(target, catalog, 1).issues);
    const result = compileTargets([{ kind: target.kind, name: target.name }], catalog);
    if (!result.ok) {
      found.push(...result.issues);
      continue;
    }
    const { graph, flow } = result.value;
    const { limits, budget } = catalog.settings;
    const simulated = simulate(
      initialState({ castId: "law" as CastId, request: "r", graph, limits, budget, data: {} }),
      chanceOf(1),
      300,
    ); // of an id's form
    const { withRepairs } = worstCase(graph, flow, limits);
    expect(simulated.turns).toBeLessThanOrEqual(allowedTurns(withRepairs, simulated));
  }
  return found;
}

function isWhole({ severity, code, path, message, hint }: Issue): boolean {
  return (
    /^(error|warning|info)$/.test(severity) &&
    /^[a-z_]+$/.test(code) &&
    path.every((key) => typeof key === "string" || Number.isInteger(key)) &&
    message !== "" &&
    hint !== ""
  );
}

describe("[G17] the check answers for every configuration", () => {
  it("[G17] the sound one has no problem", () => {
    expect(useAll(SOUND)).toEqual([]);
  });

  it("[G17] any value in a place where another kind should be", SWEEP, () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        expect(useAll(changes.reduce<unknown>(changed, SOUND)).every(isWhole)).toBe(true);
      }),
      { seed: 5, numRuns: sweepSize(80, 1_500) },
    );
  });

  it("[G17] any content of the file", () => {
    fc.assert(
      fc.property(value, (raw) => {
        expect(useAll(raw).every(isWhole)).toBe(true);
      }),
      { seed: 6, numRuns: 300 },
    );
  });
});

describe("[G17] size", () => {
  const count = 10_000;
  const sockets = (edgesOf: (number: number) => SocketInput["edges"]) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `Socket-${index + 1}`,
        { materia: "Text", edges: edgesOf(index + 1) ?? [] },
      ]),
    );

  it("[G17] 10,000 sockets in a row compile", () => {
    const row = main(sockets((number) => [always(number < count ? `Socket-${number + 1}` : "end")]));
    expect(problems(row)).toEqual([]);
    expect(Object.keys(compiled(row).graph.sockets)).toHaveLength(count);
    expect(formulas(row).turns).toEqual({ "": count });
  });

  it("[G17] 10,000 sockets in one circle compile, with one warning", () => {
    const circle = main(sockets((number) => [always(`Socket-${(number % count) + 1}`)]));
    expect(problems(circle)).toEqual(["warning unbounded_cycle sockets.Socket-1.edges"]);
    expect(formulas(circle).turns).toEqual({ "": 4 * count });
  });

  it("[G17] 10,000 sockets with twenty problems each are refused", () => {
    const refused = main(sockets(() => Array.from({ length: 21 }, () => always("end"))));
    const result = compileTargets([{ kind: "loadout", name: "Main" }], catalogOf(refused));
    expect(result.ok ? 0 : result.issues.length).toBe(20 * count);
  });

  it("[G17] a loop of 10,000 members", () => {
    const members = Array.from({ length: count }, (_, index) => `Socket-${index + 2}`);
    const walk = members.map((id, index): [string, SocketInput] => [
      id,
      { materia: "Text", advance: {}, edges: [always(members[index + 1] ?? "Socket-2")] },
    ]);
    const config = main(
      {
        "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
        ...Object.fromEntries(walk),
        Last: { materia: "Text" },
      },
      { L: consuming(members, exit("Socket-2", "always", "Last")) },
    );
    expect(problems(config)).toEqual(["warning nonstandard_socket_id sockets.Last"]);
    expect(formulas(config).turns).toEqual({ "": 2, L: 1 });
  });

  it("[G10, O2] 100,000 work items enter a loop and are walked", async () => {
    const config = main(
      {
        "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
        "Socket-2": { materia: "Json", advance: {}, edges: [satisfied("Socket-2"), notSatisfied("end")] },
      },
      { L: consuming(["Socket-2"]) },
    );
    const titles = Array.from({ length: 100_000 }, (_, index) => `item ${index + 1}`);
    const { trace, events } = await play(config, {
      says: {
        Plan: [items(...titles)],
        Json: [{ satisfied: true }, { satisfied: true }, { satisfied: false, context: "no" }],
      },
    });
    expect(trace.slice(2)).toEqual([
      "Socket-2 #1 item 1",
      "-> Socket-2",
      "Socket-2 #2 item 2",
      "-> Socket-2",
      "Socket-2 #3 item 3",
      "-> end",
      "not_satisfied",
    ]);
    expect(events.find((event) => event.type === "loop_entered")).toMatchObject({ loop: "L", size: 100_000 });
  });
});
