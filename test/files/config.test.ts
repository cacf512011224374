import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import {
  resolveArtifactRoot,
  loadConfig,
  type ConfigContext,
  type LoadedConfig,
} from "../../src/shell/config/config.ts";
import { pathText } from "../../src/core/model/issue.ts";
import { scratchFolder } from "../harness/agents.ts";

const USER = "home/.config/pi/pi-materia/materia.json";
const PROJECT = "project/.pi/pi-materia.json";

interface Place extends ConfigContext {
  readonly folder: string;
}

/** A folder with a home and a project, and these files in it. */
function place(
  files: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
  explicit?: string,
): Place {
  const folder = scratchFolder();
  mkdirSync(join(folder, "project"));
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  return {
    folder,
    cwd: join(folder, "project"),
    env: { HOME: join(folder, "home"), ...env },
    ...(explicit === undefined ? {} : { explicitFile: explicit }),
  };
}

const named = (name: string) => ({ activeLoadout: name });
const chosen = ({ catalog }: LoadedConfig): unknown => [
  catalog.settings.activeLoadout.layer,
  catalog.settings.activeLoadout.value,
];
const problems = ({ catalog }: LoadedConfig): unknown =>
  catalog.issues.map(({ severity, code, file, path }) => [severity, code, file, pathText(path)]);

const all = {
  [USER]: named("U"),
  [PROJECT]: named("P"),
  "project/env.json": named("E"),
  "project/mine.json": named("M"),
};
const env = { MATERIA_CONFIG: "env.json" };

it.each<[rule: string, at: () => ConfigContext, layer: readonly string[]]>([
  ["[F1] nothing but what is bundled", () => place({}), ["bundled", "Full-Auto"]],
  ["[F1] the user's file", () => place({ [USER]: named("U") }), ["user", "U"]],
  ["[F1] the project's file over it", () => place({ [USER]: named("U"), [PROJECT]: named("P") }), ["project", "P"]],
  ["[F1] the file that MATERIA_CONFIG names over it", () => place(all, env), ["environment", "E"]],
  ["[F1] the file of --config over all", () => place(all, env, "mine.json"), ["explicit", "M"]],
  [
    "[F1] a layer that does not say stays below",
    () => place({ ...all, "project/mine.json": {} }, env, "mine.json"),
    ["environment", "E"],
  ],
  ["[F1] an empty MATERIA_CONFIG names nothing", () => place(all, { MATERIA_CONFIG: "" }), ["project", "P"]],
  [
    "[F1] a host that gives no trust leaves the project out",
    () => ({ ...place(all), withoutProject: true }),
    ["user", "U"],
  ],
])("%s", (_rule, at, layer) => {
  expect(chosen(loadConfig(at()))).toEqual(layer);
});

it("[F1] XDG_CONFIG_HOME decides where the user's file is", () => {
  const files = { [USER]: named("home"), "xdg/pi/pi-materia/materia.json": named("xdg") };
  const at = place(files);
  expect(chosen(loadConfig({ ...at, env: { ...at.env, XDG_CONFIG_HOME: join(at.folder, "xdg") } }))).toEqual([
    "user",
    "xdg",
  ]);
  expect(chosen(loadConfig({ ...at, env: { ...at.env, XDG_CONFIG_HOME: "" } }))).toEqual(["user", "home"]);
});

it("[F1] settings are merged key by key", () => {
  const { catalog } = loadConfig(
    place({
      [USER]: { budget: { maxTokens: 5 }, limits: { maxRepairs: 2 } },
      [PROJECT]: { budget: { maxCostUsd: 1 }, limits: {} },
    }),
  );
  expect([catalog.settings.budget, catalog.settings.limits]).toEqual([
    { maxTokens: 5, maxCostUsd: 1, warnAtPercent: 75 },
    { maxNoAdvanceCycles: 3, maxRepairs: 2, agentSilenceMs: 900_000 },
  ]);
});

it("[F1] the files that were read are named in order", () => {
  const at = place(all, env, "mine.json");
  const { files, project } = loadConfig(at);
  expect(files).toEqual([USER, PROJECT, "project/env.json", "project/mine.json"].map((name) => join(at.folder, name)));
  expect(project).toEqual({ file: join(at.folder, PROJECT), raw: named("P") });
});

it.each<[rule: string, env: Readonly<Record<string, string>>, explicit: string | undefined]>([
  ["[F5] by MATERIA_CONFIG", { MATERIA_CONFIG: "none.json" }, undefined],
  ["[F5] by --config", {}, "none.json"],
])("%s: a file that was named and does not exist is an error with its path", (_rule, variables, explicit) => {
  const at = place({}, variables, explicit);
  expect(problems(loadConfig(at))).toEqual([["error", "missing_file", join(at.cwd, "none.json"), ""]]);
});

it("[F5] a user or project file that does not exist is no problem", () => {
  expect(problems(loadConfig(place({})))).toEqual([]);
});

it("[F5] a folder in place of a file is an error with its path, and other layers are used", () => {
  const at = place({ [USER]: named("U"), [`${PROJECT}/x`]: "" });
  const loaded = loadConfig(at);
  expect([problems(loaded), chosen(loaded)]).toEqual([
    [["error", "unreadable_file", join(at.folder, PROJECT), ""]],
    ["user", "U"],
  ]);
});

it("[F6] a fault in one file has its place, and other layers are used", () => {
  const at = place({ [USER]: '{\n  "activeLoadout": U\n}', [PROJECT]: named("P") });
  const loaded = loadConfig(at);
  expect(loaded.catalog.issues[0]).toMatchObject({
    severity: "error",
    code: "bad_json",
    file: join(at.folder, USER),
    path: ["line 2, column 20"],
  });
  expect(chosen(loaded)).toEqual(["project", "P"]);
});

it.each<[rule: string, content: string]>([
  ["[F8] a list", "[]"],
  ["[F8] null", "null"],
  ["[F8] a text", '"x"'],
])("%s is no configuration", (_rule, content) => {
  const at = place({ [PROJECT]: content });
  expect(problems(loadConfig(at))).toEqual([["error", "bad_value", join(at.folder, PROJECT), ""]]);
});

it("[F10] __proto__ as a name is an error and changes nothing", () => {
  const { catalog } = loadConfig(
    place({ [PROJECT]: '{"materia":{"__proto__":{"prompt":"x"}},"__proto__":{"activeLoadout":"x"}}' }),
  );
  expect(catalog.materia.get("__proto__")?.issues).toMatchObject([{ severity: "error", code: "bad_name" }]);
  expect(catalog.settings.activeLoadout.value).toBe("Full-Auto");
});

it.each<[rule: string, dir: string, allowed: boolean]>([
  ["[S1] inside", "out/casts", true],
  ["[S1] beside it", "../out", false],
  ["[S1] elsewhere", "/var/tmp/out", false],
  ["[S1] back and forth", "a/../../out", false],
  ["[S1] the project itself", ".", false],
])("%s: a project may keep its casts only inside itself", (_rule, artifactDir, allowed) => {
  const at = place({ [PROJECT]: { artifactDir } });
  expect(resolveArtifactRoot(at.cwd, loadConfig(at).catalog, undefined).ok).toBe(allowed);
});

it("[S9] the root folder is a project like every other", () => {
  const { catalog } = loadConfig(place({}));
  expect(resolveArtifactRoot("/", catalog, undefined)).toEqual({ ok: true, value: "/.pi/pi-materia" });
});

it("[U39] finds the files of a command beside the configuration that names them", () => {
  const command = ["./tools/check", "./rules.json", "../common.json", "main", "src/app.ts", "--fast", "./missing.txt"];
  const config = {
    materia: { Check: { type: "utility", command }, Run: { type: "utility", command: ["tool", "run"] } },
  };
  const here = place({
    [PROJECT]: config,
    "project/.pi/tools/check": "",
    "project/.pi/rules.json": "",
    "project/common.json": "",
    "project/.pi/main": "",
    "project/.pi/run/file": "",
    "project/.pi/tool": "",
    "project/src/app.ts": "",
  });
  const pi = join(here.folder, "project", ".pi");
  const { materia } = loadConfig(here).catalog;
  expect(materia.get("Check")?.value).toMatchObject({
    command: [
      join(pi, "tools", "check"),
      join(pi, "rules.json"),
      join(pi, "..", "common.json"),
      "main",
      "src/app.ts",
      "--fast",
      "./missing.txt",
    ],
  });
  // A program without a slash is one of PATH, and a folder is no file.
  expect(materia.get("Run")?.value).toMatchObject({ command: ["tool", "run"] });
});

it("[U51] warns of an argument that earlier versions took for a file", () => {
  const here = place({
    [PROJECT]: { materia: { Switch: { type: "utility", command: ["git", "checkout", "main"] } } },
    "project/.pi/main": "",
  });
  const file = join(here.folder, PROJECT);
  expect(loadConfig(here).catalog.issues).toMatchObject([
    { severity: "warning", code: "bare_argument", file, path: ["materia", "Switch", "command", 2] },
  ]);
});

it("[U39, F17] a command that is inherited from another file is found beside that file", () => {
  const here = place({
    [USER]: { materia: { Check: { type: "utility", command: ["./tools/check", "./rules.json"] } } },
    "home/.config/pi/pi-materia/tools/check": "",
    "home/.config/pi/pi-materia/rules.json": "",
    [PROJECT]: { materia: { Mine: { extends: "Check", description: "Ours." } } },
    // Files of the same names beside the file that extends it are other ones.
    "project/.pi/tools/check": "",
    "project/.pi/rules.json": "",
  });
  const user = join(here.folder, "home/.config/pi/pi-materia");
  expect(loadConfig(here).catalog.materia.get("Mine")?.value).toMatchObject({
    command: [join(user, "tools", "check"), join(user, "rules.json")],
  });
});
