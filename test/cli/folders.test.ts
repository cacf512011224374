import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { castsIn, newPlace, put, run } from "../harness/cli.ts";

const materia = { Where: { type: "utility", command: ["pwd"] } };
const loadouts = { Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Where" } } } };
const project = { activeLoadout: "Main", materia, loadouts };

/** A repository whose configuration is at its top, and a folder deep in it. */
function repository(files: Readonly<Record<string, unknown>> = {}): { readonly top: string; readonly deep: string } {
  const top = newPlace({ ".pi/pi-materia.json": project, ".git/HEAD": "ref: refs/heads/main", ...files });
  const deep = join(top, "packages", "डेमो");
  mkdirSync(deep, { recursive: true });
  return { top, deep };
}

it("[F19, F21] in a folder of a project its configuration is found, and the work happens in the project's folder", async () => {
  const { top, deep } = repository();
  const { code, stdout, stderr } = await run(["cast", "--trust", "x"], { cwd: top, from: deep });
  expect([code, stdout.includes(`\n${top}\n`), castsIn(top).length]).toEqual([0, true, 1]);
  expect(stderr).toContain(`note: working in ${top}`);
  expect(existsSync(join(deep, ".pi"))).toBe(false);
  const listed = await run(["casts", "--json"], { cwd: top, from: deep });
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
});

it("[F19] trust that was given in one folder of a project holds in all of them", async () => {
  const { top, deep } = repository();
  expect((await run(["cast", "x"], { cwd: top, from: deep })).code).toBe(2);
  await run(["cast", "--trust", "x"], { cwd: top });
  expect((await run(["cast", "x"], { cwd: top, from: deep })).code).toBe(0);
});

it("[F19] a folder with casts does not hide the configuration above", async () => {
  const { top, deep } = repository();
  put(deep, { ".pi/pi-materia/note.txt": "" });
  expect((await run(["cast", "--trust", "x"], { cwd: top, from: deep })).code).toBe(0);
  expect(castsIn(top)).toHaveLength(1);
});

it("[F19] without a configuration the casts above are found", async () => {
  const top = newPlace({ "conf.json": project, "sub/file": "" });
  await run(["cast", "--config", "conf.json", "x"], { cwd: top });
  const listed = await run(["casts", "--json"], { cwd: top, from: join(top, "sub") });
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
});

it("[F21] file names are relative to where the command is typed", async () => {
  const { top, deep } = repository();
  put(deep, { "conf.json": { loadouts: { Other: loadouts.Main } }, "request.md": "from below" });
  const ran = await run(["cast", "--trust", "--config", "conf.json", "--loadout", "Other", "@request.md"], {
    cwd: top,
    from: deep,
  });
  expect(ran.code).toBe(0);
  expect((await run(["casts", "--json"], { cwd: top })).stdout).toContain("from below");
});

it("[F21] init writes where it is typed", async () => {
  const { top, deep } = repository();
  expect((await run(["init"], { cwd: top, from: deep })).code).toBe(0);
  expect((await run(["loadout", "--json"], { cwd: top, from: deep })).stdout).toContain("Fix-And-Review");
});

it("[F20] nothing is found above a repository", async () => {
  const top = newPlace({ ".pi/pi-materia.json": project, "inner/.git/HEAD": "" });
  const { stdout } = await run(["loadout", "--json"], { cwd: top, from: join(top, "inner") });
  expect(stdout).not.toContain('"Main"');
});

it("[F20] nothing is found in the home folder from below it", async () => {
  const top = newPlace({ ".pi/pi-materia.json": project, "sub/file": "" });
  const { stdout } = await run(["loadout", "--json"], { cwd: top, from: join(top, "sub"), env: { HOME: top } });
  expect(stdout).not.toContain('"Main"');
});

it("[F20] nothing is found in a folder that everybody may write to", async () => {
  const top = newPlace({ ".pi/pi-materia.json": project, "sub/file": "" });
  chmodSync(top, 0o777);
  const [below, inIt] = await Promise.all([
    run(["loadout", "--json"], { cwd: top, from: join(top, "sub") }),
    run(["loadout", "--json"], { cwd: top }),
  ]);
  expect([below.stdout.includes('"Main"'), inIt.stdout.includes('"Main"')]).toEqual([false, true]);
});
