import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { castFile, castsIn, listing, newPlace, put, readText, run, userFolder } from "../harness/cli.ts";

const main = (materia: string) => ({ entry: "Socket-1", sockets: { "Socket-1": { materia } } });

/** A project that would leave a mark if anything of it ran. */
const project = {
  activeLoadout: "Main",
  materia: { Mark: { type: "utility", command: ["node", "mark.mjs"] } },
  loadouts: { Main: main("Mark") },
};
const mark = 'import { writeFileSync } from "node:fs"; writeFileSync("marked", ""); console.log("marked");';

const place = (config: object = project) => newPlace({ ".pi/pi-materia.json": config, "mark.mjs": mark });

it("[S1] a project that nobody trusts runs nothing, and the refusal names --trust and what would run", async () => {
  const cwd = place();
  const before = listing(cwd);
  const { code, stderr } = await run(["cast", "x"], { cwd });
  expect([code, listing(cwd)]).toEqual([2, before]);
  for (const said of ["untrusted_project", `${cwd}/.pi/pi-materia.json`, "--trust", "node mark.mjs"])
    expect(stderr).toContain(said);
});

it.each<[title: string, config: object, args: readonly string[]]>([
  ["[S1] redefining a bundled materia is no exception", { materia: { Build: { prompt: "Mine." } } }, ["cast", "x"]],
  ["[S1] nor is a file that only sets a limit", { limits: { maxRepairs: 9 } }, ["cast", "x"]],
  ["[S1] nor is a link of bundled materia", { materia: {} }, ["link", "Build", "--", "x"]],
  ["[S1] nor is a file that cannot be read as JSON", [], ["cast", "x"]],
])("%s", async (_title, config, args) => {
  const cwd = place(config);
  const { code, stderr } = await run(args, { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("untrusted_project")]);
  expect(castsIn(cwd)).toEqual([]);
});

it("[S1] a cast of an untrusted project is not resumed either", async () => {
  const cwd = place({ ...project, materia: { Mark: { type: "utility", command: ["false"] } } });
  expect((await run(["cast", "--trust", "x"], { cwd })).code).toBe(1);
  put(cwd, { ".pi/pi-materia.json": project });
  const { code, stderr } = await run(["recast"], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("untrusted_project")]);
});

it.each(["check", "grid", "loadout", "materia", "casts", "grid --link Main Main", "materia Mark", "check --json"])(
  "[S2] %s needs no trust and starts nothing",
  async (words) => {
    const cwd = place();
    const before = listing(cwd);
    expect((await run(words.split(" "), { cwd })).code).toBe(0);
    expect(listing(cwd)).toEqual(before);
  },
);

it("[S3, S4] --trust is remembered outside the project, until what may run has changed", async () => {
  const cwd = place();
  expect((await run(["cast", "--trust", "x"], { cwd })).code).toBe(0);
  expect(existsSync(join(cwd, "marked"))).toBe(true);
  expect(readText(join(userFolder(cwd), "trust.json"))).toContain(cwd);
  const later = async (config: object) => {
    put(cwd, { ".pi/pi-materia.json": config });
    return (await run(["cast", "x"], { cwd })).code;
  };
  expect(await later(project)).toBe(0);
  // Where a socket is drawn, and in which order keys stand, runs nothing else.
  const { loadouts, ...rest } = project;
  expect(
    await later({ loadouts: { Main: { ...loadouts.Main, layout: { "Socket-1": { x: 1, y: 2 } } } }, ...rest }),
  ).toBe(0);
  expect(
    await later({ ...project, materia: { Mark: { ...project.materia.Mark, command: ["node", "mark.mjs", "-v"] } } }),
  ).toBe(2);
  expect(await later({ ...project, materia: { ...project.materia, Build: { prompt: "Mine." } } })).toBe(2);
  expect(await later(project)).toBe(0);
  put(cwd, { "mark.mjs": `${mark}\n// changed` });
  expect(await later(project)).toBe(2);
});

it("[S4] nothing in the project can grant trust, not even a copy of the memory", async () => {
  const trusted = place();
  await run(["cast", "--trust", "x"], { cwd: trusted });
  const memory = readText(join(userFolder(trusted), "trust.json"));
  const cwd = place({ ...project, trusted: true, trust: "yes" });
  put(cwd, { ".pi/trust.json": memory, ".pi/pi-materia/trust.json": memory, "trust.json": memory });
  expect((await run(["cast", "x"], { cwd })).code).toBe(2);
});

it("[S4] trust belongs to the folder: a copy of the project elsewhere has none", async () => {
  const cwd = place();
  expect((await run(["cast", "--trust", "x"], { cwd })).code).toBe(0);
  const moved = `${cwd}-moved`;
  renameSync(cwd, moved);
  expect((await run(["cast", "x"], { cwd: moved })).code).toBe(2);
});

it("[S3] trust that was given with a refused command is not remembered", async () => {
  const cwd = place();
  const before = listing(cwd);
  expect((await run(["cast", "--trust", "--loadout", "Nope", "x"], { cwd })).code).toBe(2);
  expect(listing(cwd)).toEqual(before);
});

it("[S5] what the user brings, and what is named with --config, needs no trust", async () => {
  const cwd = newPlace({ "mark.mjs": mark, "conf.json": project });
  expect((await run(["cast", "--config", "conf.json", "x"], { cwd })).code).toBe(0);
  put(userFolder(cwd), { "materia.json": project });
  expect((await run(["cast", "x"], { cwd })).code).toBe(0);
});

it("[S6] a utility sees PATH, HOME, LANG, TMPDIR, what its materia lists and the secret of its visit, and nothing else", async () => {
  const command = ["node", "-e", "console.log(JSON.stringify(process.env))"];
  const config = {
    activeLoadout: "Main",
    materia: { Env: { type: "utility", command, env: ["WANTED", "ABSENT"] } },
    loadouts: { Main: main("Env") },
  };
  const cwd = newPlace({ "conf.json": config });
  const env = { WANTED: "yes", SECRET_TOKEN: "hush-hush-hush", NODE_OPTIONS: "--no-warnings" };
  expect((await run(["cast", "--config", "conf.json", "x"], { cwd, env })).code).toBe(0);
  const [castId = ""] = castsIn(cwd);
  const seen = JSON.parse(readText(castFile(cwd, castId, "sockets", "Socket-1", "1", "stdout.txt"))) as object;
  expect(Object.keys(seen).toSorted()).toEqual([
    "HOME",
    "LANG",
    "MATERIA_IDEMPOTENCY_KEY",
    "MATERIA_VISIT",
    "PATH",
    "TMPDIR",
    "WANTED",
  ]);
});
