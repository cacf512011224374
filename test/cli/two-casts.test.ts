import { mkdirSync } from "node:fs";
import { expect, it } from "vitest";
import { PROGRAM, castFile, castsIn, newPlace, put, readText, run } from "../harness/cli.ts";

/** A cast whose utility starts another one while it runs. */
function nesting(...more: readonly string[]) {
  const inner = [process.execPath, PROGRAM, "cast", "--config", "conf.json", "--loadout", "Inner", ...more, "inner"];
  const single = (materia: string) => ({ entry: "Socket-1", sockets: { "Socket-1": { materia } } });
  return {
    materia: { Start: { type: "utility", command: inner }, Echo: { type: "utility", command: ["echo", "hi"] } },
    loadouts: { Outer: single("Start"), Inner: single("Echo") },
  };
}

const outer = ["cast", "--config", "conf.json", "--loadout", "Outer", "outer"];

it("[C32] a cast in a folder where another one works is refused, and names it", async () => {
  const cwd = newPlace({ "conf.json": nesting() });
  expect((await run(outer, { cwd })).code).toBe(1);
  const [castId = "", ...others] = castsIn(cwd);
  expect(others).toEqual([]);
  const said = readText(castFile(cwd, castId, "sockets", "Socket-1", "1", "stderr.txt"));
  expect(said).toMatch(new RegExp(`error cast_running: process \\d+ on .* runs ${castId} in this working tree: Outer`));
  expect(said).toContain(`"materia abort ${castId}"`);
  expect(said).toContain("--anyway");
});

it("[C32] --anyway starts it all the same", async () => {
  const cwd = newPlace({ "conf.json": nesting("--anyway") });
  expect((await run(outer, { cwd })).code).toBe(0);
  expect(castsIn(cwd)).toHaveLength(2);
});

it("[C32] a cast that works in another folder is in nobody's way", async () => {
  const cwd = newPlace({});
  mkdirSync(`${cwd}/other/.git`, { recursive: true });
  put(cwd, { "conf.json": nesting("--cwd", "other", "--artifacts", ".pi/pi-materia") });
  expect((await run(outer, { cwd })).code).toBe(0);
  expect(castsIn(cwd)).toHaveLength(2);
});
