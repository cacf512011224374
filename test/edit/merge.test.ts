import { describe, expect, it } from "vitest";
import { mergeJson, findMergeDifferences } from "../../src/core/edit/json-edit.ts";
import { diffBlocks } from "../../src/core/edit/compare-loadouts.ts";
import { withActiveLoadout, withSetting } from "../../src/core/edit/config-text.ts";
import { diffWords } from "../../src/core/model/diff.ts";
import { startHistory, undo, recordStep, serializeHistory, restoreHistory } from "../../src/core/edit/undo-history.ts";
import type { Json } from "../../src/core/model/json.ts";

const BASE: Json = { entry: "a", sockets: { a: { materia: "Build" }, b: { materia: "Check" } } };

describe("[E24] three versions of one thing", () => {
  it("[E24] what only one of two changed is taken from them, and what both changed is asked about", () => {
    const mine: Json = { entry: "a", sockets: { a: { materia: "Mine" }, b: { materia: "Check" } }, description: "x" };
    const theirs: Json = { entry: "b", sockets: { a: { materia: "Theirs" } } };
    const places = findMergeDifferences(BASE, mine, theirs);
    expect(places.map(({ path, by }) => `${path.join(".")} ${by}`)).toEqual([
      "entry theirs",
      "sockets.a.materia both",
      "sockets.b theirs",
      "description mine",
    ]);
    expect(mergeJson(mine, places, () => false)).toEqual({
      entry: "b",
      sockets: { a: { materia: "Mine" } },
      description: "x",
    });
    expect(mergeJson(mine, places, () => true)).toEqual({
      entry: "b",
      sockets: { a: { materia: "Theirs" } },
      description: "x",
    });
  });

  it("[E24] the same change by both is none, a list is one place, and keys of objects themselves harm nothing", () => {
    expect(findMergeDifferences(BASE, { ...BASE, entry: "z" }, { ...BASE, entry: "z" })).toEqual([]);
    expect(findMergeDifferences({ l: [1] }, { l: [1, 2] }, { l: [1, 3] })).toMatchObject([{ path: ["l"], by: "both" }]);
    const hostile = JSON.parse('{"__proto__":{"x":1},"constructor":2}') as Json;
    const places = findMergeDifferences({}, {}, hostile);
    expect(JSON.stringify(mergeJson({}, places, () => true))).toBe('{"__proto__":{"x":1},"constructor":2}');
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it("[E24] an added value belongs to the side that added it", () => {
    expect(findMergeDifferences(undefined, { a: 1 }, { a: 2, b: 3 }).map(({ path, by }) => [...path, by])).toEqual([
      ["a", "both"],
      ["b", "theirs"],
    ]);
  });
});

describe("[E15] the difference before a save", () => {
  const file = (materia: string, more = ""): string =>
    `{\n  "loadouts": {\n    "Mine": {\n      "entry": "Socket-1",\n      "sockets": {\n        "Socket-1": { "materia": "Build" },\n        "Socket-2": { "materia": "${materia}" }${more}\n      }\n    }\n  }\n}\n`;

  it("[E15] one socket per block, with the words that differ marked", () => {
    const blocks = diffBlocks(file("Check"), file("Maintain"));
    expect(blocks.map(({ path }) => path)).toEqual([["loadouts", "Mine", "sockets", "Socket-2"]]);
    const marked = blocks.flatMap(({ lines }) =>
      lines.flatMap(({ pieces }) => pieces.filter(({ isMarked }) => isMarked)),
    );
    expect(marked.map(({ text }) => text)).toEqual(["Check", "Maintain"]);
  });

  it("[E15] a new socket is a separate block", () => {
    const blocks = diffBlocks(file("Check"), file("Check", ',\n        "Socket-3": { "materia": "Narrate" }'));
    expect(blocks.map(({ path }) => path.at(-1))).toEqual(["Socket-3"]);
    expect(diffBlocks(file("Check"), file("Check"))).toEqual([]);
  });

  it("[E15] words of any script are compared as words", () => {
    const { before, after } = diffWords("करो यह काम 🍏", "करो वह काम 🍏");
    expect([before, after].map((pieces) => pieces.filter(({ isMarked }) => isMarked).map(({ text }) => text))).toEqual([
      ["यह"],
      ["वह"],
    ]);
  });
});

describe("settings in a file", () => {
  it("[E25] the active loadout follows its name, and is not named once it is gone", () => {
    const text = '{\n  // kept\n  "activeLoadout": "Old",\n  "loadouts": {}\n}\n';
    expect(withActiveLoadout(text, "Old", "New")).toEqual({ ok: true, value: text.replace('"Old"', '"New"') });
    expect(withActiveLoadout(text, "Other", "New")).toEqual({ ok: true, value: text });
    const gone = withActiveLoadout(text, "Old", null);
    expect(gone.ok && gone.value).not.toContain("activeLoadout");
    expect(gone.ok && gone.value).toContain("// kept");
  });

  it("[E25] a setting is made, changed and taken out without touching the rest", () => {
    const made = withSetting("", ["budget", "maxTokens"], 5);
    expect(made.ok && JSON.parse(made.value)).toEqual({ budget: { maxTokens: 5 } });
    expect(withSetting("{", ["notify"], true).ok).toBe(false);
  });
});

it("[E23] a history is kept as texts, the nearest steps first, and read back", () => {
  const long = Array.from({ length: 80 }, (_, index) => `text ${index}`).reduce(
    (history, text, index) => recordStep(history, text, `Step ${index}`),
    startHistory("first"),
  );
  const kept = serializeHistory(undo(long), (text) => text);
  expect([kept.past.length, kept.past.at(-1)?.value, kept.present, kept.future[0]?.value]).toEqual([
    50,
    "text 77",
    "text 78",
    "text 79",
  ]);
  const read = restoreHistory<string>(kept, (text) => text);
  expect(undo(read).present).toBe("text 77");
  const huge = recordStep(startHistory("x".repeat(600_000)), "small", "Shorten");
  expect(serializeHistory(huge, (text) => text)).toEqual({ past: [], present: "small", future: [] });
});
