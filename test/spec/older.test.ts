import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readAnyFormat } from "../../src/core/catalog/format-0-1.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import { checkCatalog } from "../../src/core/compile/targets/compile.ts";
import { upgradeConfigText } from "../../src/core/edit/config-text.ts";
import { pathText } from "../../src/core/model/issue.ts";

const textOf = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../fixtures/older/${name}`, import.meta.url)), "utf8");
const catalogue: unknown = JSON.parse(textOf("config/default.json"));
const example: unknown = JSON.parse(textOf("examples/graph-semantics-loadout.json"));

const issuesOf = (raw: unknown) =>
  checkCatalog(mergeLayers([bundledLayer(), readLayer("project", raw, "old.json")])).issues;
const reportedTexts = (raw: unknown) =>
  issuesOf(raw).map(({ severity, code, path }) => `${severity} ${code} ${pathText(path)}`);

const single = (socket: object, rest: object = {}) => ({
  loadouts: { Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build", ...socket } }, ...rest } },
});

describe("[M1] a file is known by any key that only the older form has", () => {
  it.each<[string, object]>([
    ["eventing", { eventing: {} }],
    ["parallelism", { parallelism: { maxConcurrency: 2 } }],
    ["stopAtLimit", { budget: { stopAtLimit: true } }],
    ["a script that is an object", { materia: { A: { type: "utility", script: { name: "detect-vcs.mjs" } } } }],
    ["socketKind", single({ socketKind: "entry" })],
    ["advance.done", single({ advance: { done: "end" } })],
    ["a single exit", single({}, { loops: { l: { sockets: ["Socket-1"], exit: {} } } })],
    ["a layout of sockets", single({}, { layout: { sockets: {} } })],
  ])("%s", (_what, raw) => {
    expect(reportedTexts(raw).filter((issue) => issue.includes("older_format"))).toEqual(["info older_format "]);
  });

  it("a file of today is read as it is", () => {
    const raw = single({});
    expect(readAnyFormat(raw)).toMatchObject({ value: raw, edits: [], issues: [] });
    expect(readAnyFormat(null).value).toBe(null);
  });
});

it("[M2] problems point to the keys as they stand in the file", () => {
  const raw = {
    materia: {
      A: { type: "utility", script: { kind: "shippedUtility", name: "unknown.mjs", runtime: "node" } },
      B: { type: "utility", utility: "other.thing", parse: "json" },
    },
    ...single(
      {},
      { loops: { l: { sockets: ["Socket-1"], exit: { from: "Socket-1", when: "always", to: "Socket-9" } } } },
    ),
  };
  const errors = issuesOf(raw).filter(({ severity }) => severity === "error");
  expect(errors.map(({ code, path, file }) => `${file} ${code} ${pathText(path)}`)).toEqual([
    "old.json unknown_script materia.A.script.name",
    "old.json unknown_script materia.B.utility",
    "old.json unknown_socket loadouts.Main.loops.l.exit",
  ]);
});

it("[M3] what decides nothing is read in silence", () => {
  const raw = {
    materia: { A: { prompt: "A.", id: "x", source: "y", lockState: "locked", color: "materia-color-black-gray" } },
    loadouts: {
      Main: {
        id: "a",
        source: "default",
        lockState: "locked",
        entry: "Socket-1",
        layout: { sockets: { "Socket-1": { x: 1, y: 2 }, "Socket-2": { x: "far" } } },
        sockets: { "Socket-1": { materia: "A", socketKind: "entry", empty: false, id: "z" } },
      },
    },
  };
  expect(reportedTexts(raw)).toEqual(["info older_format "]);
  expect(readLayer("project", raw).loadouts.get("Main")?.value?.layout).toEqual({ "Socket-1": { x: 290, y: 220 } });
  expect(readLayer("project", raw).materia.get("A")?.value?.color).toBe("slate");
});

it.each([[{ "Socket-1": { x: "left" } }], ["nowhere"], [[1, 2]]])("[M3] the layout %j refuses nothing", (layout) => {
  const entry = readLayer("project", single({}, { layout })).loadouts.get("Main");
  expect(entry?.issues.map(({ severity, code }) => `${severity} ${code}`)).toEqual(["warning bad_layout"]);
  expect(entry?.value).toMatchObject({ entry: "Socket-1", layout: {} });
});

it("[M4] what is not done is said once each", () => {
  const notDone = reportedTexts(catalogue).filter((issue) => issue.includes("unsupported_key"));
  expect(notDone).toEqual([
    "warning unsupported_key eventing",
    "warning unsupported_key budget.stopAtLimit",
    "warning unsupported_key materia.Spawn-JJ-Workspace.utility",
    "warning unsupported_key materia.Integrate-JJ-Workspaces.utility",
    "warning unsupported_key materia.Finalize-JJ-Workspace.utility",
  ]);
  expect(reportedTexts(catalogue).filter((issue) => issue.includes("unknown_key"))).toEqual([]);
});

it("[M5] a script is the bundled utility of its file, with what that one needs", () => {
  const { materia } = readLayer("project", catalogue);
  expect(materia.get("Ignore-Artifacts")?.value).toMatchObject({
    script: "Ignore-Artifacts",
    params: { patterns: [".pi/pi-materia/"] },
    env: ["XDG_CONFIG_HOME"],
  });
  for (const name of [
    "Mime-GH-PR",
    "Mime-ADO-PR",
    "Mime-Bootstrap",
    "Mime-Maintain",
    "Blackbelt-GH-PR",
    "Commit-Sigil",
  ])
    expect(materia.get(name)?.value).toMatchObject({ script: name });
});

describe("[M6] exits", () => {
  const exitsOf = (loop: object, advance: object = {}) => {
    const raw = single({ advance, socketKind: "entry" }, { loops: { l: { sockets: ["Socket-1"], ...loop } } });
    const exits = readLayer("project", raw).loadouts.get("Main")?.value?.loops["l"]?.exits ?? [];
    return exits.map(({ from, condition, targetSocketId }) => `${from} ${condition} ${targetSocketId}`);
  };
  const exit = { from: "Socket-1", when: "satisfied", to: "end" };
  const always = { id: "a", from: "Socket-1", condition: "always", targetSocketId: "Socket-7" };

  it.each<[string, object, object, readonly string[]]>([
    ["a single exit", { exit }, {}, ["Socket-1 satisfied end"]],
    ["exits that leave it no way win", { exit, exits: [always] }, { done: "end" }, ["Socket-1 always Socket-7"]],
    [
      "it stands behind exits that leave it one",
      { exit, exits: [{ ...always, condition: "not_satisfied" }] },
      {},
      ["Socket-1 not_satisfied Socket-7", "Socket-1 satisfied end"],
    ],
    ["done is where the cast goes on", {}, { done: "Socket-3" }, ["Socket-1 always Socket-3"]],
    ["done at the end needs no exit", {}, { done: "end" }, []],
  ])("[M6] %s", (_what, loop, advance, expected) => {
    expect(exitsOf(loop, advance)).toEqual(expected);
  });

  it("[M6] a loop over a list that nothing advances moves on where its exit begins", () => {
    const loadout = readLayer("project", catalogue).loadouts.get("Parallel-Experimental");
    expect((loadout?.value ?? loadout?.partial)?.sockets["Socket-8"]?.advance).toEqual({
      cursor: "workItemIndex",
      items: "state.workItems",
      when: "satisfied",
    });
  });
});

it.each(["config/default.json", "examples/graph-semantics-loadout.json"])(
  "[M8] %s means the same in today's form, and is no longer older",
  (name) => {
    const written = upgradeConfigText(textOf(name), () => []);
    const value: unknown = written.ok ? JSON.parse(written.value) : undefined;
    expect(value).toEqual(readAnyFormat(JSON.parse(textOf(name))).value);
    expect(readAnyFormat(value).edits).toEqual([]);
  },
);

it("[M8] comments stay beside the keys that stay", () => {
  const text = `{
  // how we plan
  "materia": {
    "A": { /* reads only */ "prompt": "A.", "lockState": "locked" }, // last word
  },
  "eventing": {} // gone
}`;
  const written = upgradeConfigText(text, () => []);
  expect(written).toMatchObject({ ok: true });
  for (const kept of ["// how we plan", "/* reads only */", "// last word"])
    expect(written.ok ? written.value : "").toContain(kept);
  expect(written.ok ? written.value : "").not.toMatch(/lockState|eventing/);
});

it("[M9] $.text is refused with what to use", () => {
  const found = issuesOf(single({ parse: "json", assign: { note: "$.text" } }));
  expect(found).toMatchObject([{ code: "bad_assign", hint: expect.stringContaining("use $.context") }]);
});

it("[M7] a loop over the list of a parallel generator runs its items at once", () => {
  const { loadouts } = readLayer("project", catalogue);
  expect(loadouts.get("Parallel-Experimental")?.value?.loops["parallelWork"]).toMatchObject({ parallel: 2 });
  expect(loadouts.get("Full-Auto")?.value?.loops["loopSelection"]).not.toHaveProperty("parallel");
});

it("[M7] a number on the generator says how many items run at once", () => {
  const raw = {
    materia: { Plan: { prompt: "Plan.", generator: true, parallel: 3 }, Make: { prompt: "Make." } },
    loadouts: {
      Main: {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-2": { materia: "Make", advance: {} },
        },
        loops: { items: { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" } } },
      },
    },
  };
  expect(readLayer("project", raw).loadouts.get("Main")?.value?.loops["items"]).toMatchObject({ parallel: 3 });
});

it("[M3] an empty socket holds a utility that hands on what it was handed", () => {
  const raw = { loadouts: { Main: { entry: "Socket-1", sockets: { "Socket-1": { empty: true } } } } };
  const layer = readLayer("project", raw);
  expect(reportedTexts(raw)).toEqual(["info older_format "]);
  expect(layer.loadouts.get("Main")?.value?.sockets["Socket-1"]).toMatchObject({ materia: "Empty-Socket" });
  expect(layer.materia.get("Empty-Socket")?.value).toMatchObject({ type: "utility", script: "Pass-On" });
});

it("[M10] the catalogue and the example load without an error", () => {
  expect([...reportedTexts(example), ...reportedTexts(catalogue)].filter((issue) => issue.startsWith("error"))).toEqual(
    [],
  );
});
