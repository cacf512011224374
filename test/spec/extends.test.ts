import { describe, expect, it } from "vitest";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readLayer, type LayerName } from "../../src/core/catalog/layer.ts";
import { pathText } from "../../src/core/model/issue.ts";

type Materia = Readonly<Record<string, object | null>>;

const merged = (...layers: readonly (readonly [LayerName, Materia])[]) =>
  mergeLayers(layers.map(([name, materia]) => readLayer(name, { materia }, `${name}.json`))).materia;

const problemsOf = (name: string, ...layers: readonly (readonly [LayerName, Materia])[]) =>
  merged(...layers)
    .get(name)
    ?.issues.map(({ severity, code, path }) => `${severity} ${code} ${pathText(path)}`);

const build = { prompt: "Build.", tools: "coding", model: "a/b", assign: { built: "$", kept: "$" } };
const bundled = ["bundled", { Build: build, Tool: { type: "utility", command: ["a"], timeoutMs: 5 } }] as const;

describe("[F17] a materia extends another", () => {
  it.each<[title: string, own: string]>([
    ["[F17] its own name in the layer below", "Build"],
    ["[F17] any other", "Mine"],
  ])("%s: key by key, assign within", (_title, name) => {
    const over = { extends: "Build", prompt: "Mine.", assign: { built: "state.x" } };
    expect(merged(bundled, ["project", { [name]: over }]).get(name)).toMatchObject({
      value: {
        type: "agent",
        prompt: "Mine.",
        tools: "coding",
        model: "a/b",
        assign: { built: "state.x", kept: "$" },
        extends: "Build",
      },
      layer: "project",
      issues: [],
    });
  });

  it("[F17] the base may stand in a later layer, and in the same", () => {
    const mine = { extends: "Late", tools: "none" };
    const late = { Late: { ...build, prompt: "Late." } };
    for (const all of [
      merged(bundled, ["user", { Mine: mine }], ["project", late]),
      merged(["user", { Mine: mine, ...late }]),
    ])
      expect(all.get("Mine")?.value).toMatchObject({ prompt: "Late.", tools: "none", model: "a/b" });
  });

  it("[F17] its own program takes the place of the other's", () => {
    const all = merged(bundled, ["project", { Mine: { extends: "Tool", script: "Detect-VCS" } }]);
    expect(all.get("Mine")).toMatchObject({
      value: { type: "utility", script: "Detect-VCS", timeoutMs: 5 },
      issues: [],
    });
    expect(all.get("Mine")?.value).not.toHaveProperty("command");
  });

  it.each<[title: string, materia: Materia, problems: readonly string[]]>([
    ["[F17] a base that is not there", { Mine: { extends: "Biuld" } }, ["error unknown_base materia.Mine.extends"]],
    [
      "[F17] its own name with nothing below",
      { Mine: { extends: "Mine" } },
      ["error unknown_base materia.Mine.extends"],
    ],
    [
      "[F17] two levels",
      { Mine: { extends: "Half" }, Half: { extends: "Build" } },
      ["error nested_extends materia.Mine.extends"],
    ],
    [
      "[F17] a circle",
      { Mine: { extends: "Half" }, Half: { extends: "Mine" } },
      ["error nested_extends materia.Mine.extends"],
    ],
    ["[F17] a broken base", { Mine: { extends: "Half" }, Half: {} }, ["error invalid_materia materia.Mine.extends"]],
    [
      "[F17] a base that was removed",
      { Mine: { extends: "Build" }, Build: null },
      ["error unknown_base materia.Mine.extends"],
    ],
    ["[F17] no name", { Mine: { extends: 3, prompt: "x" } }, ["error bad_value materia.Mine.extends"]],
    [
      "[F17] its own wrong and unknown keys",
      { Mine: { extends: "Build", tools: "all", promt: "x" } },
      ["error bad_value materia.Mine.tools", "warning unknown_key materia.Mine.promt"],
    ],
  ])("%s is an error with its place", (_title, materia, problems) => {
    expect(problemsOf("Mine", bundled, ["project", materia])).toEqual(problems);
  });

  it("[F17] below a materia that extends, nothing can be extended by its name", () => {
    const again = { Build: { extends: "Build", model: "c/d" } };
    expect(problemsOf("Build", bundled, ["user", again], ["project", again])).toEqual([
      "error nested_extends materia.Build.extends",
    ]);
  });
});

describe("[F18] an override that loses something", () => {
  const full = ["bundled", { Build: { ...build, parse: "json", generator: true } }] as const;

  it.each<[title: string, own: object, lost: string]>([
    ["[F18] everything", { prompt: "Mine." }, "tools, parse, generator"],
    ["[F18] what is not said", { prompt: "Mine.", tools: "readOnly" }, "parse, generator"],
    ["[F18] a utility has no tools", { type: "utility", command: ["x"], parse: "text" }, "tools, generator"],
  ])("%s is warned of, with the way to keep it", (_title, own, lost) => {
    expect(merged(full, ["project", { Build: own }]).get("Build")?.issues).toEqual([
      {
        severity: "warning",
        code: "incomplete_override",
        file: "project.json",
        path: ["materia", "Build"],
        message: `it replaces the bundled materia and lacks its ${lost}`,
        hint: 'add "extends": "Build" to keep them',
      },
    ]);
  });

  it.each<[title: string, own: object]>([
    ["[F18] one that extends loses nothing", { extends: "Build" }],
    ["[F18] what is said on purpose is not lost", { prompt: "x", tools: "none", parse: "text", generator: false }],
  ])("%s", (_title, own) => {
    expect(problemsOf("Build", full, ["project", { Build: own }])).toEqual([]);
  });
});
