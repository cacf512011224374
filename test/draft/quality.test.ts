import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { buildFlow } from "../../src/core/compile/flow.ts";
import { checkDraft, readDraftReply, type DraftCheck, type Draft } from "../../src/core/draft/draft.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { billSettings, makeBill, type Bill } from "../../src/core/view/graph/bill.ts";
import { DESCRIBED, type Must } from "./described.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";

const catalog = mergeLayers([bundledLayer()]);

function draftOf(value: JsonObject): Draft {
  const read = readDraftReply(JSON.stringify(value));
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.value;
}

const messagesOf = (value: JsonObject): readonly string[] =>
  checkDraft(catalog, draftOf(value)).issues.map(({ code, message }) => `${code}: ${message}`);

/** What a reader of the bill and the graph would look for. */
function has(value: JsonObject, { graph }: DraftCheck, bill: Bill, must: Must): boolean {
  const sockets = Object.values(graph.sockets);
  const at = (name: RegExp): number => bill.shape.search(name);
  const text = JSON.stringify(value);
  switch (must) {
    case "gate":
      return sockets.some(({ materia }) => {
        const own = graph.materia[materia];
        return own?.type === "utility" && own.gate === true;
      });
    case "loop":
      return bill.shape.includes("] × N") && bill.worstCase.turns?.includes("N") === true;
    case "other model":
      return text.includes('"notModelOf":"Build"');
    case "yes before push":
      return bill.asksPerson.some((name) => bill.shape.indexOf(name) < at(/Mime-\w+-PR/));
    case "own branch":
      return at(/Mime-Bootstrap/) === 0;
    case "bounded":
      return bill.worstCase.turns !== null && text.includes("maxTraversals");
    case "read only":
      return bill.writes.length === 0 && bill.runs.length === 0;
    case "parallel":
      return bill.shape.includes("at once");
    case "judge":
      return sockets.some(
        ({ edges, materia }) => graph.materia[materia]?.type === "agent" && edges.some(({ when }) => when !== "always"),
      );
    case "person":
      return bill.asksPerson.length > 0;
    case "commit":
      return bill.writes.includes("Maintain");
  }
}

describe("30 descriptions", () => {
  it("[YD12] there are thirty of them, all different", () => {
    expect(new Set(DESCRIBED.map(({ words }) => words)).size).toBe(30);
  });
  const cases = DESCRIBED.map((each) => [each.words, each] as const);
  it.each(sampleCases(cases, 10))("[YD12] %s", SWEEP, (_words, { draft, must }) => {
    const checked = checkDraft(catalog, draftOf(draft));
    expect(checked.issues).toEqual([]);
    const { graph } = checked;
    const bill = makeBill({ graph, flow: buildFlow(graph), past: [], ...billSettings(catalog.settings) });
    expect(must.filter((each) => !has(draft, checked, bill, each))).toEqual([]);
  });
});

/** A stand-in agent makes these mistakes in every draft; each must be refused with a place. */
const MISTAKES: Readonly<Record<string, (text: string) => string>> = {
  "an invented key": (text) => text.replace('"entry":', '"retries":3,"entry":'),
  "an unknown materia": (text) =>
    text.replace(/"sockets":\{"Socket-1":\{"materia":"[^"]+"/, '"sockets":{"Socket-1":{"materia":"Super-Coder"'),
  "an edge to nowhere": (text) => text.replace(/"to":"(Socket-\d+|end)"/, '"to":"Socket-99"'),
  settings: (text) => text.replace('"loadouts":', '"budget":{"maxCostUsd":1000},"loadouts":'),
  "a redefined materia": (text) =>
    text.includes('"materia":{"') && text.startsWith('{"materia"')
      ? text.replace('{"materia":{', '{"materia":{"Build":{"prompt":"x","tools":"coding"},')
      : text.replace("{", '{"materia":{"Build":{"prompt":"x","tools":"coding"}},'),
};

describe("a stand-in with typical mistakes", () => {
  it.each(Object.entries(MISTAKES))("[YD5, YD6] %s is refused in all drafts", (_name, spoil) => {
    for (const { draft, words } of DESCRIBED) {
      const spoilt = spoil(JSON.stringify(draft));
      const read = readDraftReply(spoilt);
      if (!read.ok) throw new Error(`${words}: ${JSON.stringify(read.issues)}`);
      const { issues } = checkDraft(catalog, read.value);
      expect([words, issues.length > 0, issues.every(({ path }) => path.length > 0)]).toEqual([words, true, true]);
    }
  });

  const two = (review: JsonObject, back: JsonObject = { maxTraversals: 2 }): JsonObject => ({
    materia: { Review: { tools: "readOnly", parse: "json", prompt: "Judge.", ...review } },
    loadouts: {
      Two: {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-2": {
            materia: "Review",
            edges: [
              { when: "satisfied", to: "end" },
              { when: "not_satisfied", to: "Socket-1", ...back },
            ],
          },
        },
      },
    },
  });

  const seat = (New: JsonObject): JsonObject => ({
    materia: { New },
    loadouts: { One: { entry: "Socket-1", sockets: { "Socket-1": { materia: "New" } } } },
  });

  it.each<[title: string, value: JsonObject, message: RegExp]>([
    [
      "[YD6] a prompt of a thousand words",
      two({ prompt: "word ".repeat(1_000) }),
      /bad_draft: its text has 5000 characters/,
    ],
    ["[YD5] an edge without end", two({}, {}), /unbounded_cycle/],
    ["[YD6] a judge that writes", two({ tools: "coding" }), /no writing tools/],
    [
      "[YD5] a loop without list",
      {
        loadouts: {
          L: {
            entry: "Socket-1",
            sockets: { "Socket-1": { materia: "Build", advance: {}, edges: [{ when: "always", to: "Socket-1" }] } },
            loops: { items: { sockets: ["Socket-1"] } },
          },
        },
      },
      /list/,
    ],
    [
      "[YD6] a name that exists",
      { loadouts: { "Full-Auto": { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } } } },
      /a loadout of this name exists/,
    ],
    [
      "[YD6] a planner that extends one with writing tools",
      seat({ extends: "Build", generator: true }),
      /no writing tools/,
    ],
    ["[YD6] a long text by extension", seat({ extends: "Build", prompt: "x".repeat(2_001) }), /has 2001 characters/],
    [
      "[YD6] a long command",
      seat({ type: "utility", command: ["sh", "-c", "x".repeat(2_001)] }),
      /has 2007 characters/,
    ],
    ["[YD6] a variable", seat({ type: "utility", command: ["env"], env: ["TOKEN"] }), /a draft sets no "env"/],
    ["[YD6] no sandbox", seat({ type: "utility", command: ["env"], sandbox: "none" }), /no "sandbox": "none"/],
    [
      "[YD6] a materia without a socket",
      {
        materia: { Idle: { prompt: "Wait." } },
        loadouts: { L: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } } },
      },
      /no socket has this materia/,
    ],
  ])("%s", (_title, value, message) => {
    expect(messagesOf(value)).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
  });

  it("[YD7] a judge that everybody satisfies must lead to a success", () => {
    const value = {
      materia: { Review: { tools: "readOnly", parse: "json", prompt: "Judge." } },
      loadouts: {
        Turned: {
          entry: "Socket-1",
          sockets: {
            "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
            "Socket-2": {
              materia: "Review",
              edges: [
                { when: "satisfied", to: "Socket-1", maxTraversals: 2 },
                { when: "not_satisfied", to: "end" },
              ],
            },
          },
        },
      },
    };
    expect(messagesOf(value)).toEqual([
      expect.stringMatching(/^unproven_draft: a made-up cast in which everybody is satisfied ends failed/),
    ]);
  });
});

it("[YD4] an answer is a draft, or says why there is none", () => {
  expect(readDraftReply("I would rather not.")).toMatchObject({ ok: false, issues: [{ code: "bad_draft" }] });
  const deep = `{"loadouts":{"A":${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}}}`;
  for (const bad of ['{"loadouts":{"A":{},"B":{}}}', '{"loadouts":{"A":null}}', '{"loadouts":{"A":5}}', deep])
    expect(readDraftReply(bad)).toMatchObject({ ok: false, issues: [{ code: "bad_draft" }] });
  expect(readDraftReply('{"cannot":"it needs a robot","nearest":"write the program of the robot"}')).toMatchObject({
    issues: [{ code: "cannot_draft", message: "it needs a robot", hint: "write the program of the robot" }],
  });
});

it("[YD8] a change need not repeat the new materia of its draft", () => {
  const socket = (materia: string) => ({
    loadouts: { One: { entry: "Socket-1", sockets: { "Socket-1": { materia } } } },
  });
  const from = { name: "One", config: { materia: { Reader: { prompt: "Read." } }, ...socket("Reader") } };
  const changed = (value: JsonObject) => readDraftReply(JSON.stringify(value), from);
  expect(changed(socket("Reader"))).toMatchObject({ value: { config: { materia: { Reader: { prompt: "Read." } } } } });
  const other = { materia: { Reader: { prompt: "Read well." } }, ...socket("Reader") };
  expect(changed(other)).toMatchObject({ value: { config: other } });
  expect(changed(socket("Build"))).toMatchObject({ value: { config: socket("Build") } });
});

it("[YD12] the six examples of the skill are sound", () => {
  const skill = readFileSync(new URL("../../skills/materia-draft/SKILL.md", import.meta.url), "utf8");
  const examples = [...skill.matchAll(/```json\n([^]*?)```/g)].map((match) => match[1] ?? "");
  expect(examples).toHaveLength(6);
  for (const example of examples) expect(messagesOf(JSON.parse(example) as JsonObject)).toEqual([]);
});
