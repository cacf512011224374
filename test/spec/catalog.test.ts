import { describe, expect, it } from "vitest";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readLayer, type LayerName } from "../../src/core/catalog/layer.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { pathText } from "../../src/core/model/issue.ts";

const agent = { prompt: "Do it." };
const loadout = (materia: string) => ({ entry: "Socket-1", sockets: { "Socket-1": { materia } } });

/** What a file says, with the problems of its parts and of the whole as `severity code path`. */
function problems(raw: unknown): readonly string[] {
  const layer = readLayer("project", raw, "p.json");
  const parts = [...layer.materia.values(), ...layer.loadouts.values()].flatMap((entry) => entry?.issues ?? []);
  return [...layer.issues, ...parts].map(
    (issue) => `${issue.file}: ${issue.severity} ${issue.code} ${pathText(issue.path)}`,
  );
}

function merged(...files: readonly [LayerName, unknown][]) {
  return mergeLayers(files.map(([name, raw]) => readLayer(name, raw, `${name}.json`)));
}

describe("[F1, F2] layers", () => {
  it("[F1] without any file the settings have their usual values", () => {
    expect(mergeLayers([]).settings).toMatchObject({
      artifactDir: { value: ".pi/pi-materia", layer: "bundled" },
      activeLoadout: { value: "Full-Auto", layer: "bundled" },
      budget: {},
      limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
    });
  });

  it("[F1] a later layer wins, key by key, and what it does not give stays", () => {
    const { settings } = merged(
      [
        "user",
        { artifactDir: "u", activeLoadout: "A", budget: { maxTokens: 1, maxCostUsd: 2 }, limits: { maxRepairs: 0 } },
      ],
      ["project", { activeLoadout: "B", budget: { maxTokens: 9 } }],
      ["explicit", { limits: { maxNoAdvanceCycles: 0 } }],
    );
    expect(settings).toMatchObject({
      artifactDir: { value: "u", layer: "user", file: "user.json" },
      activeLoadout: { value: "B", layer: "project", file: "project.json" },
      budget: { maxTokens: 9, maxCostUsd: 2 },
      limits: { maxNoAdvanceCycles: 0, maxRepairs: 0 },
    });
  });

  it("[F1, F8] a broken setting is an error and leaves the earlier one in force", () => {
    const catalog = merged(["user", { limits: { maxRepairs: 2 } }], ["project", { limits: { maxRepairs: -1 } }]);
    expect(catalog.settings.limits.maxRepairs).toBe(2);
    expect(catalog.issues.map(({ file, path }) => `${file} ${pathText(path)}`)).toEqual([
      "project.json limits.maxRepairs",
    ]);
  });

  it("[F2] a later definition stands alone, without keys of the earlier one", () => {
    const catalog = merged(
      [
        "bundled",
        { materia: { Build: { ...agent, tools: "coding", model: "a/b" } }, loadouts: { Main: loadout("Build") } },
      ],
      ["project", { materia: { Build: { prompt: "Mine." } }, loadouts: { Main: loadout("Other") } }],
    );
    expect(catalog.materia.get("Build")).toMatchObject({
      name: "Build",
      layer: "project",
      file: "project.json",
      value: { type: "agent", prompt: "Mine.", tools: "none" },
    });
    expect(catalog.loadouts.get("Main")?.value?.sockets).toEqual({ "Socket-1": { materia: "Other", edges: [] } });
  });

  it("[F2] null removes a name, and a still later layer may bring it back", () => {
    const given: [LayerName, unknown] = ["bundled", { materia: { A: agent, B: agent }, loadouts: { L: loadout("A") } }];
    const removed: [LayerName, unknown] = ["user", { materia: { A: null, Unheard: null }, loadouts: { L: null } }];
    expect([...merged(given, removed).materia.keys()]).toEqual(["B"]);
    expect([...merged(given, removed).loadouts.keys()]).toEqual([]);
    expect(merged(given, removed, ["project", { materia: { A: { prompt: "Back." } } }]).materia.get("A")?.layer).toBe(
      "project",
    );
  });

  it("[F2, F9] a broken definition replaces the sound one: nobody runs what was meant to be replaced", () => {
    const catalog = merged(
      ["bundled", { materia: { A: agent }, loadouts: { L: loadout("A") } }],
      ["project", { materia: { A: { prompt: 1 } } }],
    );
    expect(catalog.materia.get("A")?.value).toBeUndefined();
    expect(compileTargets([{ kind: "loadout", name: "L" }], catalog).ok).toBe(false);
  });
});

describe("[F4] unknown keys", () => {
  const edge = { when: "always", to: "end", maxTraversal: 1 };
  const rich = {
    activeLoadut: "x",
    limits: { maxRepair: 1 },
    materia: { A: { ...agent, promt: "y", tools: { type: "custom", tools: [], tool: 1 } } },
    loadouts: {
      L: {
        entry: "Socket-1",
        sockets: { "Socket-1": { materia: "A", edge: [], advance: { wen: "always" }, edges: [edge] } },
        loops: { X: { sockets: ["Socket-1"], exit: [], consumes: { from: "Socket-1", output: "workItems", form: 1 } } },
      },
    },
  };

  it("[F4] at any depth they are warnings with the nearest known key", () => {
    const layer = readLayer("project", rich, "p.json");
    const found = [layer, layer.materia.get("A"), layer.loadouts.get("L")].flatMap((part) => part?.issues ?? []);
    expect(
      found.map(({ severity, code, path, hint }) => `${severity} ${code} ${pathText(path)}: ${hint ?? ""}`),
    ).toEqual(
      [
        'warning unknown_key limits.maxRepair: did you mean "maxRepairs"?',
        'warning unknown_key activeLoadut: did you mean "activeLoadout"?',
        'warning unknown_key materia.A.tools.tool: did you mean "tools"?',
        'warning unknown_key materia.A.promt: did you mean "prompt"?',
        'warning unknown_key loadouts.L.sockets.Socket-1.advance.wen: did you mean "when"?',
        'warning unknown_key loadouts.L.sockets.Socket-1.edges.0.maxTraversal: did you mean "maxTraversals"?',
        'warning unknown_key loadouts.L.sockets.Socket-1.edge: did you mean "edges"?',
        'warning unknown_key loadouts.L.loops.X.consumes.form: did you mean "from"?',
        'warning unknown_key loadouts.L.loops.X.exit: did you mean "exits"?',
      ].toSorted(sortedAs(found.map((issue) => pathText(issue.path)))),
    );
  });

  it("[F4] the rest of the file is used", () => {
    const catalog = merged(["project", rich]);
    expect(catalog.materia.get("A")?.value).toEqual({ type: "agent", ...agent, tools: { type: "custom", tools: [] } });
    expect(catalog.loadouts.get("L")?.value?.entry).toBe("Socket-1");
  });

  it("[F4] a key like a part of every object is unknown as well", () => {
    const raw: unknown = JSON.parse(
      '{"__proto__":{},"constructor":1,"toString":2,"materia":{"A":{"prompt":"x","__proto__":3,"valueOf":4}}}',
    );
    expect(problems(raw).toSorted()).toEqual(
      ["__proto__", "constructor", "materia.A.__proto__", "materia.A.valueOf", "toString"].map(
        (key) => `p.json: warning unknown_key ${key}`,
      ),
    );
  });

  it("[F4] what a utility is given in `params`, and where sockets are placed, is the user's own", () => {
    const raw = {
      materia: { U: { type: "utility", command: ["u"], params: { anything: { goes: 1 } } } },
      loadouts: { L: { ...loadout("U"), layout: { "Socket-1": { x: 1, y: 2 } } } },
    };
    expect(problems(raw)).toEqual([]);
  });
});

describe("[F8, F11] wrong values", () => {
  it.each([
    ["null", null],
    ["a list", []],
    ["a text", "text"],
    ["a number", 1],
    ["nothing", undefined],
  ])("[F8] %s as a whole file is an error", (_kind, raw) => {
    expect(problems(raw)).toEqual(["p.json: error bad_value "]);
  });

  it("[F8] all of them are reported together, each with its place", () => {
    const raw = {
      artifactDir: "",
      activeLoadout: 1,
      budget: { maxTokens: -1, warnAtPercent: 101 },
      limits: { maxRepairs: 1.5 },
      materia: { A: { prompt: "", tools: "all", thinking: "very" }, B: 7 },
      loadouts: { L: { entry: "end", sockets: { "Socket-1": { edges: [{ when: "passed", to: "a b" }] } }, loops: [] } },
    };
    expect(problems(raw).toSorted()).toEqual(
      [
        "bad_value activeLoadout",
        "bad_value artifactDir",
        "bad_value budget.maxTokens",
        "bad_value budget.warnAtPercent",
        "bad_value limits.maxRepairs",
        "bad_value loadouts.L.entry",
        "bad_value loadouts.L.loops",
        "bad_value loadouts.L.sockets.Socket-1.edges.0.to",
        "bad_value loadouts.L.sockets.Socket-1.edges.0.when",
        "bad_value materia.A.prompt",
        "bad_value materia.A.thinking",
        "bad_value materia.A.tools",
        "bad_value materia.B",
        "missing_key loadouts.L.sockets.Socket-1.materia",
      ].map((line) => `p.json: error ${line}`),
    );
  });

  it.each(["materia", "loadouts"])("[F8] a list in place of the %s is an error", (section) => {
    expect(problems({ [section]: [] })).toEqual([`p.json: error bad_value ${section}`]);
  });

  it.each([
    ["[F11] neither command nor script", {}, ["missing_key materia.U"]],
    ["[F11] a script that is not bundled", { script: "Detect-VSC" }, ["unknown_script materia.U.script"]],
    ["[F11] a command without a program", { command: [] }, ["bad_value materia.U.command"]],
    ["[F11] a command as one string", { command: "node x" }, ["bad_value materia.U.command"]],
    ["[F11] a bundled script", { script: "Detect-VCS" }, []],
    ["[F11] a command", { command: ["node", "x.mjs"] }, []],
  ])("%s", (_rule, part, expected) => {
    expect(problems({ materia: { U: { type: "utility", ...part } } })).toEqual(
      expected.map((line) => `p.json: error ${line}`),
    );
  });

  it("[F11] the nearest bundled script is offered", () => {
    const entry = readLayer("project", { materia: { U: { type: "utility", script: "Detect-VSC" } } }).materia.get("U");
    expect(entry?.issues.map((issue) => issue.hint)).toEqual(['did you mean "Detect-VCS"?']);
  });
});

describe("[F9, F10] names", () => {
  it("[F9] a broken part harms only what uses it", () => {
    const catalog = merged([
      "project",
      {
        materia: { Good: agent, Bad: {} },
        loadouts: { Works: loadout("Good"), Fails: loadout("Bad"), Broken: { entry: 1 } },
      },
    ]);
    const compiles = (name: string) => compileTargets([{ kind: "loadout", name }], catalog).ok;
    expect(["Works", "Fails", "Broken"].map(compiles)).toEqual([true, false, false]);
    expect(compileTargets([{ kind: "materia", name: "Good" }], catalog).ok).toBe(true);
    expect(catalog.issues).toEqual([]);
  });

  it.each([
    "",
    " a",
    "a ",
    "a\tb",
    "a\u0000",
    "\u001b[31m",
    "\u2028",
    "\ud800",
    "a\udc00b",
    "__proto__",
    "x".repeat(101),
  ])("[F10] %j is no name", (name) => {
    const raw: unknown = JSON.parse(
      `{"materia":{${JSON.stringify(name)}:{"prompt":"x"}},"loadouts":{${JSON.stringify(name)}:${JSON.stringify(loadout("A"))}}}`,
    );
    const layer = readLayer("project", raw);
    expect(
      [layer.materia.get(name), layer.loadouts.get(name)].map((entry) => [
        entry?.value,
        entry?.issues.map((issue) => issue.code),
      ]),
    ).toEqual([
      [undefined, ["bad_name"]],
      [undefined, ["bad_name"]],
    ]);
  });

  it.each(["a", "My Loadout", "../x", "constructor", "toString", "日本", "😀", "x".repeat(100)])(
    "[F10] %j is a name, and what it names runs",
    (name) => {
      const catalog = merged(["project", { materia: { [name]: agent }, loadouts: { [name]: loadout(name) } }]);
      const result = compileTargets([{ kind: "loadout", name }], catalog);
      expect(result.ok && result.value.graph.materia[name]).toEqual({ type: "agent", ...agent, tools: "none" });
    },
  );
});

function sortedAs(paths: readonly string[]): (a: string, b: string) => number {
  const rank = (line: string): number => paths.findIndex((path) => line.includes(` ${path}:`));
  return (a, b) => rank(a) - rank(b);
}
