import { describe, expect, it } from "vitest";
import { renameInTestCast, renameInTestVisits } from "../../src/core/testing/test-file.ts";

const TEST = `{
  // what is cast
  "cast": { "link": ["Old", "materia:Old", "loadout:Old", "Older"], "request": "say Old", },
  "replies": { "Old": [], "Old@WI-2": [], "Older": [{ "text": "Old" }] },
  "expect": {
    "path": ["…", "Old", "Older"], // behind it
    "edges": { "Old not_satisfied Older": 1, "Older satisfied then Old": 2, "exit Old": 1, "limit Old always Older": 1 },
    "prompts": { "Old#2": { "contains": ["Old"] }, "Old": {} },
  },
}
`;

describe("a test of something that was renamed", () => {
  it("[E31] says what it casts by the new name, and nothing else changes", () => {
    const materia = renameInTestCast(TEST, { kind: "materia", was: "Old", now: "ใหม่" });
    expect(materia.places).toEqual(["cast.link.0", "cast.link.1"]);
    expect(materia.text).toBe(TEST.replace('"Old", "materia:Old"', '"ใหม่", "materia:ใหม่"'));
    const loadout = renameInTestCast('{ "cast": { "loadout": "Old" } }', { kind: "loadout", was: "Old", now: 'a "b"' });
    expect(loadout).toEqual({ text: '{ "cast": { "loadout": "a \\"b\\"" } }', places: ["cast.loadout"] });
  });

  it("[E31] answers and expects by the new name, with items, visits and both ends of a way", () => {
    const { text, places } = renameInTestVisits(TEST, { kind: "materia", was: "Old", now: "New" });
    expect(places).toEqual([
      "replies.Old",
      "replies.Old@WI-2",
      "expect.path.1",
      "expect.edges.Old not_satisfied Older",
      "expect.edges.Older satisfied then Old",
      "expect.prompts.Old#2",
      "expect.prompts.Old",
    ]);
    expect(text).toBe(
      TEST.replace('"Old": [], "Old@WI-2"', '"New": [], "New@WI-2"')
        .replace('"…", "Old"', '"…", "New"')
        .replace('"Old not', '"New not')
        .replace("then Old", "then New")
        .replace('"Old#2"', '"New#2"')
        .replace('"Old": {}', '"New": {}'),
    );
  });

  it.each(["", "[]", "{", '{ "cast": 1, "replies": [1], "expect": { "path": "Old", "edges": ["Old"] } }'])(
    "[E31] is left alone where it is none: %s",
    (text) => {
      const rename = { kind: "materia", was: "Old", now: "New" } as const;
      expect([renameInTestCast(text, rename), renameInTestVisits(text, rename)]).toEqual([
        { text, places: [] },
        { text, places: [] },
      ]);
    },
  );
});
