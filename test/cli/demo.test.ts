import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { type Ran, castsIn, journalOf, newPlace, readText, run, userFolder } from "../harness/cli.ts";

let cwd: string;
let demo: Ran;
let repository: string;

beforeAll(async () => {
  // The demo does not depend on the user's configuration.
  cwd = newPlace({ ".pi/pi-materia.json": "{ broken", "../home/.config/pi/pi-materia/materia.json": "{ broken" });
  demo = await run(["demo"], { cwd });
  const scratch = join(dirname(cwd), "tmp");
  const [name = ""] = readdirSync(scratch).filter((folder) => folder.startsWith("materia-demo-"));
  repository = join(scratch, name, "slugline");
});

const git = (...args: readonly string[]) => execFileSync("git", ["-C", repository, ...args], { encoding: "utf8" });

it("[C20] Full-Auto runs in a scratch repository, without model or key", () => {
  expect([demo.code, demo.stdout]).toEqual([0, expect.stringContaining("✓ completed  Full-Auto")]);
  expect(readText(join(userFolder(cwd), "materia.json"))).toBe("{ broken");
  // Calls that fail on purpose say so in its rehearsal.
  expect(demo.stderr).not.toContain("note:");
});

it("[C20] files are written, one item is reworked, and commits are made", () => {
  const [castId = ""] = castsIn(repository);
  const events = journalOf(repository, castId);
  const reworked = events.filter((event) => event.type === "edge_taken" && event.when === "not_satisfied");
  expect(reworked).toMatchObject([{ from: "Socket-6", to: "Socket-5", traversal: 1 }]);
  expect(git("log", "--format=%s").trim().split("\n")).toHaveLength(3);
  expect(git("status", "--porcelain")).toBe("");
});

it("[C20] the tests of the change really pass", () => {
  const ran = execFileSync(process.execPath, ["--test"], { cwd: repository, encoding: "utf8" });
  expect(ran).toMatch(/fail 0/);
});

it("[C21] it says that the replies are scripted, and what is real", () => {
  expect(demo.stderr).toContain("The agents' replies are scripted");
  expect(demo.stderr).toContain("Everything else is real");
});

it("[C21] it ends with the story, the git log and what to try next", () => {
  const places = ["The story", "What stands in the repository now", "What to try next"].map((heading) =>
    demo.stdout.indexOf(`\n${heading}\n`),
  );
  expect(places.every((place) => place > 0)).toBe(true);
  expect(places.toSorted((a, b) => a - b)).toEqual(places);
  expect(demo.stdout).toContain("✗ not satisfied → Socket-5 (Build), 1 of 3");
  for (const subject of git("log", "--format=%s").trim().split("\n")) expect(demo.stdout).toContain(subject);
});

it("[C21] what it offers to type works where it was offered", async () => {
  const offered = [...demo.stdout.matchAll(/^\s*materia ((?:--cwd \S+ show \S+|casts --cwd \S+|grid \S+))/gm)];
  expect(offered).toHaveLength(3);
  const ran = await Promise.all(offered.map(([, words = ""]) => run(words.split(" "), { cwd: newPlace() })));
  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0]);
});

it("[S10] its cast belongs to the person who ran it", async () => {
  const listed = await run(["casts", "--cwd", repository, "--json"], { cwd });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ rehearsed: true }]);
  expect(listed.stdout).not.toContain("started elsewhere");
});
