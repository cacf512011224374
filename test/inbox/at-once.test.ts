import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { CastId } from "../../src/core/model/ids.ts";
import type { InboxRow } from "../../src/core/view/inbox.ts";
import { listIndexedCasts, noteCast } from "../../src/shell/config/cast-index.ts";
import { castsIn, envOf, newPlace, put, run, runProcess, userFolder } from "../harness/cli.ts";
import { materia, repositoryPlace, castHere, lastCast } from "../git/cast-place.ts";

const CONFIG = {
  materia: { Ask: { type: "person", question: "May I?" } },
  loadouts: { Asks: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } } },
  activeLoadout: "Asks",
};

it("[YI1] processes that note casts at once lose none", async () => {
  const cwd = newPlace({ ".pi/pi-materia.json": CONFIG });
  const folders = ["one", "two", "three", "four"].map((name) => join(dirname(cwd), name));
  for (const folder of folders) {
    mkdirSync(folder);
    put(folder, { ".pi/pi-materia.json": CONFIG });
  }
  await Promise.all(folders.map((from) => runProcess(["cast", "--quiet", "--trust", "x"], { cwd, from })));
  const listed = JSON.parse((await run(["inbox", "--json"], { cwd })).stdout) as InboxRow[];
  expect(listed.map(({ castId }) => castId).toSorted()).toEqual(
    folders.flatMap((folder) => castsIn(folder)).toSorted(),
  );
});

it("[YI1] the index is bounded: what was looked at leaves first, then the oldest", () => {
  const cwd = newPlace();
  const paths = { cwd, root: join(cwd, ".pi/pi-materia") };
  mkdirSync(paths.root, { recursive: true });
  const idOf = (n: number): CastId => `20260101-${String(n).padStart(6, "0")}-aaaaaa` as CastId; // of an id's form
  noteCast(envOf(cwd), idOf(0), paths);
  const index = join(userFolder(cwd), "inbox");
  const [mark = ""] = readdirSync(index).filter((name) => name.startsWith("2026"));
  const project = mark.split(".")[1] ?? "";
  for (let n = 1; n < 5_000; n += 1) writeFileSync(join(index, `${idOf(n)}.${project}${n === 7 ? ".seen" : ""}`), "");
  noteCast(envOf(cwd), idOf(5_000), paths);
  noteCast(envOf(cwd), idOf(5_001), paths);
  const left = listIndexedCasts(envOf(cwd)).map(({ castId }) => castId);
  expect(left).toHaveLength(5_000);
  expect([left.includes(idOf(0)), left.includes(idOf(1)), left.includes(idOf(7))]).toEqual([false, true, false]);
});

it("[YI2] a result says how many lines it changed", async () => {
  const cwd = repositoryPlace();
  await castHere(cwd);
  const rows = JSON.parse((await materia(cwd, ["inbox", "--json"])).stdout) as InboxRow[];
  expect(rows).toMatchObject([
    { castId: lastCast(cwd), needs: expect.stringMatching(/^completed: 3 files, \+\d+ −0$/) },
  ]);
});
