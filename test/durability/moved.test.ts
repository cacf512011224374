import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newPlace, run } from "../harness/cli.ts";

/** A project whose program fails as long as there is no file `ready`, and writes its name down where it works. */
async function failedIn(cwd: string): Promise<void> {
  const script = "pwd >> worked-here; test -e ready";
  writeFileSync(
    join(cwd, "materia.json"),
    JSON.stringify({ materia: { Work: { type: "utility", command: ["sh", "-c", script] } } }),
  );
  const cast = await run(["link", "--config", "materia.json", "--quiet", "Work", "--", "go"], { cwd });
  expect(cast.code).toBe(1);
  rmSync(join(cwd, "worked-here"));
}

const recast = (cwd: string, ...more: readonly string[]) =>
  run(["recast", "--config", "materia.json", ...more], { cwd });

it("[D25] in a copy of its project a cast works on the copy", async () => {
  const cwd = newPlace();
  await failedIn(cwd);
  const copy = `${cwd}-copy`;
  cpSync(cwd, copy, { recursive: true });
  writeFileSync(join(copy, "ready"), "");
  const done = await recast(copy);
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining(`begun in ${cwd}`)]);
  expect([existsSync(join(copy, "worked-here")), existsSync(join(cwd, "worked-here"))]).toEqual([true, false]);
});

it("[D25] in a project that was moved it works where the project is now", async () => {
  const cwd = newPlace();
  await failedIn(cwd);
  const moved = `${cwd}-moved`;
  renameSync(cwd, moved);
  writeFileSync(join(moved, "ready"), "");
  expect((await recast(moved)).code).toBe(0);
  expect([existsSync(join(moved, "worked-here")), existsSync(cwd)]).toEqual([true, false]);
});

it("[D25] from another folder a cast that is kept apart is refused", async () => {
  const cwd = newPlace();
  await failedIn(cwd);
  // The path of the second is the beginning of the cast's own.
  for (const other of [`${cwd}-other`, cwd.slice(0, -1)]) {
    mkdirSync(other);
    cpSync(join(cwd, "materia.json"), join(other, "materia.json"));
    const refused = await recast(other, "--artifacts", join(cwd, ".pi", "pi-materia"));
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`this cast works in ${cwd}`)]);
    expect([existsSync(join(other, "worked-here")), existsSync(join(cwd, "worked-here"))]).toEqual([false, false]);
  }
});
