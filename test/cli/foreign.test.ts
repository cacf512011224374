import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { encodeLines, firstChainHead } from "../../src/shell/store/files/journal-chain.ts";
import {
  castFile,
  castsIn,
  eventsOf,
  listing,
  newPlace,
  readText,
  run,
  runProcess,
  userFolder,
} from "../harness/cli.ts";

const single = (materia: string) => ({ entry: "Socket-1", sockets: { "Socket-1": { materia } } });
const mark = (name: string) => ({ type: "utility", command: ["sh", "-c", `echo ran >> ${name}; exit 1`] });
const conf = ["--config", "conf.json"];

/** A place with one failed cast of somebody else, which leaves a mark whenever it runs. */
async function victim(castId = "zz-latest"): Promise<string> {
  const attacker = newPlace({
    "conf.json": { activeLoadout: "Main", materia: { Bad: mark("bad") }, loadouts: { Main: single("Bad") } },
  });
  await run(["cast", ...conf, "innocent"], { cwd: attacker });
  const [made = ""] = castsIn(attacker);
  const cwd = newPlace({
    "conf.json": { activeLoadout: "Main", materia: { Own: mark("own") }, loadouts: { Main: single("Own") } },
  });
  cpSync(castFile(attacker, made), castFile(cwd, castId), { recursive: true });
  const planted = (text: string) => text.replaceAll(made, castId).replaceAll(attacker, cwd);
  const [file, journal] = [castFile(cwd, castId, "cast.json"), castFile(cwd, castId, "journal.jsonl")];
  writeFileSync(file, planted(readText(file)));
  // A planted cast can have matching digests.
  writeFileSync(journal, encodeLines(eventsOf(planted(readText(journal))), firstChainHead(castId), 1).text);
  return cwd;
}

it.each<[rule: string, words: readonly string[]]>([
  ["[S14] recast", ["recast"]],
  ["[S14] recast --trust without an id", ["recast", "--trust"]],
  ["[S14] recast by its id", ["recast", "zz-latest"]],
])("%s: a cast that came with the project does not run unasked", async (_rule, words) => {
  const cwd = await victim();
  const before = listing(cwd);
  const { code, stderr } = await run([...words, ...conf], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("foreign_cast")]);
  expect(stderr).toContain("sh -c echo ran >> bad; exit 1");
  expect([existsSync(join(cwd, "bad")), listing(cwd)]).toEqual([false, before]);
});

it("[S14] without an id the newest own cast is taken", async () => {
  const cwd = await victim();
  await run(["cast", ...conf, "mine"], { cwd });
  expect((await run(["recast", ...conf], { cwd })).code).toBe(1);
  expect([readText(join(cwd, "own")), existsSync(join(cwd, "bad"))]).toEqual(["ran\nran\n", false]);
});

it("[S14] trust covers exactly that content of a cast", async () => {
  const cwd = await victim();
  expect((await run(["recast", "zz-latest", "--trust", ...conf], { cwd })).code).toBe(1);
  expect((await run(["recast", "zz-latest", ...conf], { cwd })).code).toBe(1);
  expect(readText(join(cwd, "bad"))).toBe("ran\nran\n");
  const file = castFile(cwd, "zz-latest", "cast.json");
  writeFileSync(file, readText(file).replace("echo ran", "echo more"));
  expect((await run(["recast", "zz-latest", ...conf], { cwd })).code).toBe(2);
});

it("[S13] it can be viewed freely, and every view marks it", async () => {
  const cwd = await victim();
  const looks = await Promise.all([["casts"], ["status"], ["show"]].map((words) => run(words, { cwd })));
  for (const { code, stdout } of looks)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/started\s+elsewhere/i)]);
  expect(looks[1]?.stdout.match(/started\s+elsewhere/gi)).toHaveLength(1);
  const json = await Promise.all([["casts"], ["status"], ["show"]].map((words) => run([...words, "--json"], { cwd })));
  for (const { stdout } of json) expect([JSON.parse(stdout)].flat()[0]).toMatchObject({ foreign: true });
  await run(["cast", ...conf, "mine"], { cwd });
  const listed = JSON.parse((await run(["casts", "--json"], { cwd })).stdout) as readonly object[];
  expect(listed.map((cast) => "foreign" in cast)).toEqual([true, false]);
});

it("[S14] abort refuses it without trust", async () => {
  const cwd = await victim();
  const journal = castFile(cwd, "zz-latest", "journal.jsonl");
  const lines = readText(journal)
    .split("\n")
    .filter((line) => line !== "" && !/cast_ended|visit_failed|limit_reached/.test(line));
  writeFileSync(journal, `${lines.join("\n")}\n`);
  for (const words of [["abort"], ["abort", "zz-latest"]]) {
    const { code, stderr } = await run([...words, ...conf], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining("foreign_cast")]);
  }
  expect(readText(journal).split("\n")).toHaveLength(lines.length + 1);
  expect((await run(["abort", "zz-latest", "--trust", ...conf], { cwd })).code).toBe(0);
});

it("[S10] a cast that moves with its project stays one's own", async () => {
  const cwd = await victim();
  await run(["cast", ...conf, "mine"], { cwd });
  const moved = `${cwd}-moved`;
  renameSync(cwd, moved);
  mkdirSync(cwd);
  const { stderr } = await run(["recast", ...conf], { cwd: moved });
  expect(stderr).not.toContain("foreign_cast");
});

it("[S11] marks lie outside the project, hold nothing, and go with their casts", async () => {
  const cwd = await victim();
  await run(["cast", ...conf, "mine"], { cwd });
  const marks = () =>
    readdirSync(join(userFolder(cwd), "casts"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.includes("/"),
    );
  const [mark = "", ...others] = marks();
  expect([others, statSync(join(userFolder(cwd), "casts", mark)).size]).toEqual([[], 0]);
  expect((await run(["casts", "prune", "--keep", "0", "--yes"], { cwd })).code).toBe(0);
  expect(marks()).toEqual([]);
});

it("[S11] of many casts begun at once each one is one's own", async () => {
  const cwd = newPlace({
    "conf.json": { activeLoadout: "Main", materia: { Own: mark("own") }, loadouts: { Main: single("Own") } },
  });
  rmSync(userFolder(cwd), { recursive: true, force: true });
  await Promise.all(Array.from({ length: 6 }, () => runProcess(["cast", ...conf, "--anyway", "mine"], { cwd })));
  const listed = JSON.parse((await run(["casts", "--json"], { cwd })).stdout) as readonly object[];
  expect([listed.length, listed.filter((cast) => "foreign" in cast)]).toEqual([6, []]);
});
