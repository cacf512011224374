import { describe, expect, it } from "vitest";
import { compareLoadouts } from "../../src/core/edit/compare-loadouts.ts";
import { connectSockets, moveEdge, setEdge, removeExit } from "../../src/core/edit/edges-and-exits.ts";
import { setLoopGenerator } from "../../src/core/edit/loops.ts";
import { addSocket, removeSockets, setParse } from "../../src/core/edit/loadout-edit.ts";
import { recordStep, startHistory, redo, endStepGroup, undo } from "../../src/core/edit/undo-history.ts";
import {
  draftFromLoadout,
  draftFromText,
  applyGraphEdit,
  importConfigText,
  applyTextEdit,
} from "../../src/core/edit/loadout-draft.ts";
import { entryText, withEntry } from "../../src/core/edit/config-text.ts";
import { diffLines } from "../../src/core/model/diff.ts";
import { printJson, updateJsonText } from "../../src/core/edit/json-edit.ts";
import { pathText } from "../../src/core/model/issue.ts";
import { done, loadout } from "./samples.ts";

const COMMENTED = `{
  // where it begins
  "entry": "Socket-1",
  "sockets": {
    "Socket-1": { "materia": "Auto-Plan", "edges": [{ "when": "always", "to": "Socket-2" }] },
    /* the worker */
    "Socket-2": {
      "materia": "Build", // with care
      "edges": []
    },
  }
}`;

describe("[E10] history", () => {
  it("[E10] undo and redo restore exactly, text included", () => {
    const start = draftFromText("Main", COMMENTED);
    const first = applyGraphEdit(start, "Main", done(setParse(start.loadout, "Socket-2", "json")));
    const second = applyGraphEdit(first, "Main", done(removeSockets(first.loadout, ["Socket-2"])));
    let history = recordStep(recordStep(startHistory(start), first, "Parse"), second, "Delete");
    history = undo(undo(history));
    expect(history.present).toBe(start);
    expect(redo(redo(history)).present).toBe(second);
    expect(undo(startHistory(start)).present).toBe(start);
  });

  it("[E10] letters in one field are one step, and a new step forgets what was undone", () => {
    const typing = recordStep(recordStep(startHistory("a"), "ab", "Type", "field"), "abc", "Type", "field");
    expect(undo(typing).present).toBe("a");
    expect(undo(recordStep(endStepGroup(typing), "abcd", "Type", "field")).present).toBe("abc");
    expect(recordStep(undo(typing), "x", "Other").future).toEqual([]);
  });
});

describe("[E13] graph and text", () => {
  it("[E13] every key of a socket is written, in the order of the schema", () => {
    const socket = { materia: "Build", parse: "json" as const, conversation: "fresh" as const };
    const draft = draftFromLoadout("Main", loadout({ entry: "Socket-1", sockets: { "Socket-1": socket } }));
    expect(draft.text).toContain('"Socket-1": { "materia": "Build", "parse": "json", "conversation": "fresh" }');
  });

  it("[E13] an edit of the graph keeps comments and the rest", () => {
    const draft = draftFromText("Main", COMMENTED);
    const next = applyGraphEdit(draft, "Main", done(setParse(draft.loadout, "Socket-2", "json")));
    expect(next.text).toContain("// where it begins");
    expect(next.text).toContain("/* the worker */");
    expect(next.text).toContain("// with care");
    expect(draftFromText("Main", next.text).loadout.sockets["Socket-2"]?.parse).toBe("json");
  });

  it("[E13] lists change element by element", () => {
    const text = '{ "a": [1, /* two */ 2, 3], "b": { "c": 1 } }';
    const before = { a: [1, 2, 3], b: { c: 1 } };
    expect(updateJsonText(text, before, { a: [1, 2, 3, 4], b: { c: 1 } })).toBe(text.replace("3]", "3, 4]"));
    expect(updateJsonText(text, before, { a: [2, 3], b: { c: 1 } })).toContain("/* two */ 2");
    expect(JSON.parse(updateJsonText('{ "a": [1, 2] }', { a: [1, 2] }, { a: [2] }))).toEqual({ a: [2] });
  });

  it("[E13] an edit of the text changes the graph, a broken one shows what can be read", () => {
    const draft = draftFromText("Main", COMMENTED);
    const renamed = applyTextEdit(draft, "Main", COMMENTED.replace('"Build"', '"Narrate"'));
    expect(renamed.loadout.sockets["Socket-2"]?.materia).toBe("Narrate");
    const broken = applyTextEdit(draft, "Main", COMMENTED.replace('"entry"', "entry"));
    expect(broken.issues[0]).toMatchObject({ code: "bad_json" });
    expect(broken.loadout).toBe(draft.loadout);
    const wrong = applyTextEdit(
      draft,
      "Main",
      COMMENTED.replace('"to": "Socket-2" }', '"to": "Socket-2", "maxTraversals": 0 }'),
    );
    expect(pathText(wrong.issues[0]?.path ?? [])).toBe("loadouts.Main.sockets.Socket-1.edges.0.maxTraversals");
    expect(wrong.loadout.sockets["Socket-1"]?.edges).toEqual([{ when: "always", to: "Socket-2" }]);
  });

  it("[E13] an edit of the graph mends a text that is no JSON", () => {
    const broken = applyTextEdit(draftFromText("Main", COMMENTED), "Main", "{ nonsense");
    const next = applyGraphEdit(broken, "Main", done(addSocket(broken.loadout, "Narrate")));
    expect(next.issues).toEqual([]);
    expect(Object.keys(next.loadout.sockets)).toEqual(["Socket-1", "Socket-2", "Socket-3"]);
  });
});

describe("[E14] files", () => {
  const FILE =
    '{\n  // mine\n  "loadouts": {\n    "A": {\n      "entry": "Socket-1", // here\n      "sockets": {}\n    },\n    "B": null\n  },\n  "budget": { "maxTokens": 5 }\n}\n';

  it("[E14] one thing is taken out and put back without another byte changed", () => {
    const text = entryText(FILE, "loadouts", "A");
    expect(text).toBe('{\n  "entry": "Socket-1", // here\n  "sockets": {}\n}');
    expect(withEntry(FILE, "loadouts", "A", text ?? "")).toEqual({ ok: true, value: FILE });
    const changed = withEntry(FILE, "loadouts", "A", (text ?? "").replace("Socket-1", "Socket-2"));
    expect(changed).toEqual({ ok: true, value: FILE.replace("Socket-1", "Socket-2") });
  });

  it("[E14] a new name finds its place, a file is made, and a thing is taken out", () => {
    const added = withEntry(FILE, "materia", "Build", '{\n  "prompt": "x"\n}');
    expect(added.ok && added.value).toContain("// mine");
    expect(added.ok && entryText(added.value, "materia", "Build")).toBe('{\n  "prompt": "x"\n}');
    const made = withEntry("", "loadouts", "New", "{}");
    expect(made.ok && entryText(made.value, "loadouts", "New")).toBe("{}");
    const without = withEntry(FILE, "loadouts", "A", null);
    expect(without.ok && entryText(without.value, "loadouts", "A")).toBeUndefined();
    expect(withEntry("{ nonsense", "loadouts", "A", "{}").ok).toBe(false);
  });

  it("[E14] keeps the line ends of the file", () => {
    const windows = FILE.replaceAll("\n", "\r\n");
    const text = entryText(windows, "loadouts", "A") ?? "";
    expect(withEntry(windows, "loadouts", "A", text)).toEqual({ ok: true, value: windows });
  });
});

it("[E15] a difference has the fewest lines", () => {
  expect(diffLines("a\nb\nc", "a\nx\nc").map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "same a",
    "gone b",
    "new x",
    "same c",
  ]);
  expect(diffLines("a", "a").map(({ kind }) => kind)).toEqual(["same"]);
});

it("[E16] an import takes a file or one loadout, broken ones too", () => {
  const whole = importConfigText(
    `{ "loadouts": { "One": ${COMMENTED}, "Two": { "entry": 3, "sockets": { "Socket-1": { "materia": "Build" } } } } }`,
    "x",
  );
  expect(whole.ok && whole.value.loadouts.map(({ name, draft }) => [name, draft.issues.length])).toEqual([
    ["One", 0],
    ["Two", 1],
  ]);
  expect(whole.ok && Object.keys(whole.value.loadouts[1]?.draft.loadout.sockets ?? {})).toEqual(["Socket-1"]);
  const one = importConfigText(COMMENTED, "Alone");
  expect(one.ok && one.value.loadouts[0]).toMatchObject({ name: "Alone", draft: { issues: [], text: COMMENTED } });
  expect(importConfigText("{ nonsense", "x").ok).toBe(false);
});

it("[E17] comparing tells what was added, removed and changed", () => {
  const before = loadout();
  let after = done(setEdge(before, "Socket-5", 1, { maxTraversals: 5 }));
  after = done(removeExit(after, "workItemIteration", "done"));
  after = done(addSocket(after, "Narrate", { x: 1, y: 1 }));
  after = done(connectSockets(after, { from: "Socket-8", to: "end" }));
  expect(compareLoadouts(before, after).map(({ kind, what, text }) => `${kind} ${what}: ${text}`)).toEqual([
    "changed edge: Socket-5 ✗ not satisfied → Socket-4, up to 3, now Socket-5 ✗ not satisfied → Socket-4, up to 5",
    "removed exit: exit of workItemIteration: Socket-6 always → Socket-7",
    "added socket: Socket-8 Narrate",
    "added edge: Socket-8 always → end",
  ]);
  expect(compareLoadouts(before, before)).toEqual([]);
});

it("[E17] an order of edges is a change, and so are fields of a socket and of its loop", () => {
  const before = loadout();
  const moved = done(moveEdge(before, "Socket-5", 1, -1));
  expect(compareLoadouts(before, moved).map(({ text }) => text)).toEqual(["sockets or edges in another order"]);
  let after = done(setParse(before, "Socket-4", "json"));
  after = done(setLoopGenerator(after, "workItemIteration", null));
  expect(compareLoadouts(before, after).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "removed loop workItemIteration consumes Socket-3",
    "added Socket-4 parse json",
  ]);
});

it("[E13] printed JSON reads back and puts edges on one line", () => {
  const { text } = draftFromLoadout("Main", loadout());
  expect(text).toContain('{ "when": "not_satisfied", "to": "Socket-4", "maxTraversals": 3 }');
  expect(draftFromText("Main", text).loadout).toEqual(loadout());
  expect(printJson([])).toBe("[]");
});
