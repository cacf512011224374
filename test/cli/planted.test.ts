import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { listEquipmentNames } from "../../src/shell/agents/equipment.ts";
import { loadPi } from "../../src/shell/agents/pi-sdk.ts";
import { piFolder } from "../harness/agents.ts";
import { castFile, castsIn, newPlace, put, run } from "../harness/cli.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";

/** More than a text may hold. */
const LARGE_GB = sweepSize(1, 3);

/** What somebody may have put in the place of a file. */
const PLANTS: Readonly<Record<string, (path: string) => void>> = {
  "an endless device": (path) => symlinkSync("/dev/zero", path),
  "a pipe": (path) => execFileSync("sh", ["-c", `mkfifo "$0"`, path]),
  "a folder": (path) => mkdirSync(path),
  "a link in a circle": (path) => symlinkSync(path, path),
  [`a file of ${LARGE_GB} GB`]: (path) => {
    writeFileSync(path, "");
    truncateSync(path, LARGE_GB * 1024 ** 3);
  },
};

function plant(kind: string, path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  PLANTS[kind]?.(path);
}

const Say = { type: "utility", command: ["echo", "said"] };
const config = {
  materia: { Say },
  loadouts: { Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Say" } } } },
};

/** Each of these commands ends by itself, and none with a stack trace. */
async function looks(cwd: string, commands: readonly (readonly string[])[]): Promise<readonly (number | null)[]> {
  const ran = await Promise.all(commands.map((words) => run([...words], { cwd })));
  for (const { stderr } of ran) expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
  return ran.map(({ code }) => code);
}

it.each(Object.keys(PLANTS).map((kind) => [`[D22] ${kind}`, kind]))(
  "%s in the place of a project's configuration",
  async (_rule, kind) => {
    const cwd = newPlace();
    plant(kind, join(cwd, ".pi", "pi-materia.json"));
    const codes = await looks(cwd, [
      ["check"],
      ["casts"],
      ["loadout"],
      ["cast", "x"],
      ["check", ".pi/pi-materia.json"],
    ]);
    expect(codes).toEqual([1, 0, 0, 2, 1]);
  },
);

it.each(Object.keys(PLANTS).map((kind) => [`[D22] ${kind}`, kind]))(
  "%s in the place of a file that is named",
  async (_rule, kind) => {
    const cwd = newPlace();
    plant(kind, join(cwd, "named.json"));
    const named = ["--config", "named.json", "x"];
    expect(
      await looks(cwd, [
        ["cast", ...named],
        ["cast", "--rehearse", "named.json", "x"],
      ]),
    ).toEqual([2, 2]);
  },
);

it.each(
  Object.keys(PLANTS).flatMap((kind) => ["cast.json", "journal.jsonl"].map((name) => [`[D22] ${kind}`, name, kind])),
)("%s in the place of a cast's %s", SWEEP, async (_rule, name, kind) => {
  const cwd = newPlace({ "conf.json": config });
  await run(["link", "--config", "conf.json", "Say", "--", "x"], { cwd });
  const [castId = ""] = castsIn(cwd);
  plant(kind, castFile(cwd, castId, name));
  const link = ["link", "--config", "conf.json", "--from", castId, "Say", "--", "x"];
  const codes = await looks(cwd, [
    ["casts"],
    ["status", castId],
    ["show", castId],
    ["recast", castId],
    ["abort", castId],
  ]);
  expect(codes).toEqual([0, 2, 2, 2, 2]);
  expect([0, 2]).toContain((await run(link, { cwd })).code);
});

it("[D22] a program of the project that is a pipe or a device is not waited for when trust is looked at", async () => {
  const commands = Object.fromEntries(
    Object.keys(PLANTS).map((_kind, index) => [`U${index}`, { type: "utility", command: ["sh", `p${index}`] }]),
  );
  const cwd = newPlace({ ".pi/pi-materia.json": { materia: commands } });
  for (const [index, kind] of Object.keys(PLANTS).entries()) plant(kind, join(cwd, `p${index}`));
  expect(await looks(cwd, [["cast", "x"], ["check"]])).toEqual([2, 0]);
});

it("[D22] artifacts of an earlier cast that are pipes or devices are left out", async () => {
  const cwd = newPlace({ "conf.json": config });
  await run(["link", "--config", "conf.json", "Say", "--", "x"], { cwd });
  const [castId = ""] = castsIn(cwd);
  put(cwd, { "conf.json": config });
  for (const kind of ["an endless device", "a pipe"]) {
    plant(kind, castFile(cwd, castId, "sockets", "Socket-1", "1", "stdout.txt"));
    const { code, stderr } = await run(["link", "--config", "conf.json", "--from", castId, "Say", "--", "x"], { cwd });
    expect([code, stderr]).toEqual([0, expect.stringContaining("1 artifact is gone")]);
  }
});

it("[YP17] settings of Pi in a project name no program that is asked where packages are", async () => {
  const folder = piFolder({});
  const cwd = newPlace();
  const mark = join(cwd, "ran");
  const npmCommand = ["sh", "-c", `touch '${mark}'; echo /nowhere`];
  const packages = ["npm:not-installed-anywhere"];
  put(folder, { "settings.json": { packages } });
  put(cwd, { ".pi/settings.json": { npmCommand, packages: [{ source: packages[0], autoload: false }] } });
  const names = { skills: [], extensions: [], mcp: [] };
  expect(await listEquipmentNames(await loadPi(), { cwd })).toEqual(names);
  expect(existsSync(mark)).toBe(false);
  // The person's own settings may name one.
  put(folder, { "settings.json": { packages, npmCommand } });
  await listEquipmentNames(await loadPi(), { cwd });
  expect(existsSync(mark)).toBe(true);
});
