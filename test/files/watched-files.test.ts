import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { loadWorkspace, trustIssue, type Workspace } from "../../src/shell/workspace/workspace.ts";
import type { ConfigContext } from "../../src/shell/config/config.ts";
import { scratchFolder } from "../harness/agents.ts";

function put(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

/** A project with this configuration, and its own home. */
function project(config: unknown = {}): ConfigContext {
  const folder = scratchFolder();
  const cwd = join(folder, "project");
  put(join(cwd, ".pi", "pi-materia.json"), config);
  put(join(cwd, "tools", "check.mjs"), "console.log(1);");
  return { cwd, env: { HOME: join(folder, "home"), XDG_CONFIG_HOME: join(folder, "config") } };
}

function opened(place: ConfigContext): Workspace {
  const workspace = loadWorkspace(place);
  if (!workspace.ok) throw new Error(JSON.stringify(workspace.issues));
  return workspace.value;
}

function trust(place: ConfigContext): void {
  const { trust: asked } = opened(place);
  if (asked.kind === "asked") asked.remember();
}

const refused = (place: ConfigContext): boolean => trustIssue(opened(place)) !== undefined;

it.each<[rule: string, command: readonly string[], file: string]>([
  ["[S8] a folder", ["node", "./tools"], "tools/index.js"],
  ["[S8] a file that a program of a folder may load", ["node", "./tools"], "tools/lib/deep.js"],
  ["[S8] a folder by its bare name", ["node", "tools"], "tools/index.js"],
  ["[S8] the value of an option", ["node", "--require=./lib.js", "-e", "0"], "lib.js"],
  ["[S8] the value of a short option", ["node", "-r./lib.js", "-e", "0"], "lib.js"],
  ["[S8] a file that a shell reads", ["sh", "-c", "set -e; . ./x.sh; echo done"], "x.sh"],
  ["[S8] a file behind a variable", ["sh", "-c", "exec $PWD/bin/run.sh"], "bin/run.sh"],
  ["[S8] a file in a list of paths", ["env", "PYTHONPATH=lib:other", "python3", "-m", "x"], "lib/main.py"],
  ["[S8] a file beside the configuration", ["sh", "./beside.sh"], ".pi/beside.sh"],
  ["[S8] an address of a file", ["node", "--import=file:///HERE/hook.mjs"], "hook.mjs"],
])("%s that a command names", (_rule, command, file) => {
  const spelled = (cwd: string) => command.map((word) => word.replace("/HERE", cwd.slice(1)));
  const place = project({});
  const config = { materia: { Run: { type: "utility", command: spelled(place.cwd) } } };
  put(join(place.cwd, ".pi", "pi-materia.json"), config);
  put(join(place.cwd, "tools", "index.js"), "1");
  put(join(place.cwd, file), "1");
  trust(place);
  expect(refused(place)).toBe(false);
  put(join(place.cwd, "unrelated.txt"), "2");
  expect(refused(place)).toBe(false);
  put(join(place.cwd, file), "2");
  expect(refused(place)).toBe(true);
});

it("[S8] what a bundled utility is given to run is shown and watched as well", () => {
  const place = project({
    materia: { Checks: { type: "utility", script: "Run-Checks", params: { command: "sh ./all.sh" } } },
  });
  put(join(place.cwd, "all.sh"), "true");
  const asked = loadWorkspace(place);
  expect(asked.ok && asked.value.trust).toMatchObject({ commands: ["sh ./all.sh"], watched: ["all.sh"] });
  trust(place);
  put(join(place.cwd, "all.sh"), "false");
  expect(refused(place)).toBe(true);
});

it("[S8] no byte moves from one file to the next unnoticed", () => {
  const place = project({ materia: { Run: { type: "utility", command: ["node", "./tools"] } } });
  rmSync(join(place.cwd, "tools"), { recursive: true });
  // What is hashed before the content of the second file, with everything but its length.
  const between = ["", "tools/b.js", "", 0o100000, ""].join("\0");
  put(join(place.cwd, "tools", "a.js"), "1");
  put(join(place.cwd, "tools", "b.js"), `${between}2`);
  trust(place);
  expect(refused(place)).toBe(false);
  put(join(place.cwd, "tools", "a.js"), `1${between}`);
  put(join(place.cwd, "tools", "b.js"), "2");
  expect(refused(place)).toBe(true);
});

it("[S8] every command is shown, without a limit", () => {
  const names = Array.from({ length: 60 }, (_, index) => `program-${index}`);
  const materia = Object.fromEntries(names.map((name) => [name, { type: "utility", command: [name] }]));
  const asked = loadWorkspace(project({ materia }));
  const message = asked.ok ? (trustIssue(asked.value)?.message ?? "") : "";
  expect(names.filter((name) => !message.includes(name))).toEqual([]);
});

it("[S8] a folder that is too large to be watched is named, and trust in it is not kept", () => {
  const place = project({ materia: { Run: { type: "utility", command: ["node", "./many"] } } });
  for (let index = 0; index < 5_001; index += 1) put(join(place.cwd, "many", `${index}`), "");
  const asked = loadWorkspace(place);
  expect(asked.ok && asked.value.trust).toMatchObject({ tooLarge: ["many/"] });
  trust(place);
  expect(refused(place)).toBe(true);
});

it("[S8] a folder with a link to its parent is looked through once", () => {
  const place = project({ materia: { Run: { type: "utility", command: ["node", "./tools"] } } });
  put(join(place.cwd, "tools", "index.js"), "1");
  symlinkSync("..", join(place.cwd, "tools", "up"));
  trust(place);
  expect(refused(place)).toBe(false);
});

it.each<[rule: string, config: object, link: string]>([
  ["[S9] the usual folder of casts", {}, ".pi/pi-materia"],
  ["[S9] a folder above it", {}, ".pi"],
  ["[S9] one that the project names", { artifactDir: "casts/mine" }, "casts"],
])("%s that leads out of the project is not used", (_rule, config, link) => {
  const place = project();
  rmSync(join(place.cwd, ".pi"), { recursive: true });
  mkdirSync(join(place.cwd, "..", "outside"), { recursive: true });
  if (link !== ".pi") put(join(place.cwd, ".pi", "pi-materia.json"), config);
  symlinkSync("../outside", join(place.cwd, link === ".pi/pi-materia" ? "linked" : link));
  if (link === ".pi/pi-materia") symlinkSync("../linked", join(place.cwd, link));
  expect(loadWorkspace(place)).toMatchObject({ ok: false, issues: [{ code: "bad_artifact_dir" }] });
});
