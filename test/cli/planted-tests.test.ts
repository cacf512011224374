import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { newPlace, put, run } from "../harness/cli.ts";

const BASH = (command: string) => ({ name: "bash", arguments: { command } });
const planted = (more: object = {}, replies: object = { text: "ok" }) => ({
  cast: { request: "x", loadout: "One" },
  config: "../../one.json",
  replies: { Build: [replies] },
  expect: { outcome: "completed" },
  ...more,
});
const ONE = {
  materia: { Build: { type: "agent", tools: "coding", prompt: "Build." } },
  loadouts: { One: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } } },
};
const calling = (trap: string) => ({
  "one.json": ONE,
  ".pi/tests/a.json": planted({}, { text: "ok", tools: [BASH(`touch ${trap}`)] }),
});
const configured = (trap: string) => ({
  "one.json": { ...ONE, materia: { Build: { type: "utility", command: ["touch", trap] } } },
  ".pi/tests/a.json": planted({ replies: {} }),
});

it.each<[what: string, files: typeof calling | typeof configured, args: readonly string[]]>([
  ["replies that call tools", calling, []],
  ["the same in a named folder", calling, [".pi/tests"]],
  ["a configuration with programs", configured, []],
  ["the same beside a named test", configured, [".pi/tests/a.json"]],
])("[T47] %s run only after a person has agreed", async (_what, files, args) => {
  const cwd = newPlace();
  const trap = join(dirname(cwd), "TRAP");
  put(cwd, files(trap));
  const refused = await run(["test", ...args], { cwd });
  expect([refused.code, refused.stderr, existsSync(trap)]).toEqual([2, expect.stringContaining(`touch`), false]);
  expect(refused.stderr).toContain("untrusted_project");
  expect((await run(["test", ...args, "--trust"], { cwd })).code).toBe(0);
  expect(existsSync(trap)).toBe(true);
  expect((await run(["test", ...args], { cwd })).code).toBe(0);
});

it("[T47] a test that was named, and tests that run nothing, need no trust", async () => {
  const cwd = newPlace({ "one.json": ONE, ".pi/tests/a.json": planted() });
  expect((await run(["test"], { cwd })).code).toBe(0);
  put(cwd, { "b.json": { ...planted({}, { text: "ok", tools: [BASH("true")] }), config: "one.json" } });
  expect((await run(["test", "b.json"], { cwd })).code).toBe(0);
});

it("[T48] a change asks again, except of what is expected; commands have the curated environment", async () => {
  const cwd = newPlace({ "one.json": ONE });
  const seen = join(cwd, "seen.txt");
  const test = planted({}, { text: "ok", tools: [BASH(`env > ${seen}`)] });
  put(cwd, { ".pi/tests/a.json": test });
  process.env["A_SECRET_THING"] = "for nobody";
  try {
    expect((await run(["test", "--trust"], { cwd })).code).toBe(0);
  } finally {
    delete process.env["A_SECRET_THING"];
  }
  expect(readFileSync(seen, "utf8")).not.toContain("A_SECRET_THING");
  put(cwd, { ".pi/tests/a.json": { ...test, expect: { exitCode: 0 } } });
  expect((await run(["test"], { cwd })).code).toBe(0);
  put(cwd, { ".pi/tests/a.json": { ...test, cast: { request: "another", loadout: "One" } } });
  expect((await run(["test"], { cwd })).code).toBe(2);
  put(cwd, { ".pi/tests/b.json": { ...planted(), cast: { request: "x", loadout: "One", seed: "a.seed" } } });
  put(cwd, { ".pi/tests/a.seed/made.sh": "true" });
  expect((await run(["test"], { cwd })).stderr).toContain("a.seed");
});
