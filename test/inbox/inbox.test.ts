import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { InboxRow } from "../../src/core/view/inbox.ts";
import { castFile, castsIn, newPlace, put, run, userFolder, type Ran } from "../harness/cli.ts";

const CONFIG = {
  materia: {
    Say: { prompt: "Say it.", tools: "none", parse: "text" },
    Ask: { type: "person", question: "May I drop the old table?" },
  },
  loadouts: {
    Plain: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Say" } } },
    Asks: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Say", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Ask" },
      },
    },
  },
  activeLoadout: "Plain",
};

/** Two projects of one user, beside each other. */
function projects(): { readonly cwd: string; readonly shop: string } {
  const cwd = newPlace({
    ".pi/pi-materia.json": CONFIG,
    "../home/replies.json": { replies: { Say: [{ text: "Said." }] } },
  });
  const shop = join(dirname(cwd), "shop");
  mkdirSync(shop);
  put(shop, { ".pi/pi-materia.json": CONFIG });
  return { cwd, shop };
}

const replies = (cwd: string): string => join(dirname(cwd), "home/replies.json");

function cast(cwd: string, ...words: readonly string[]): Promise<Ran> {
  return run(["cast", "--quiet", "--trust", "--rehearse", replies(cwd), ...words], { cwd });
}

async function inbox(cwd: string, ...words: readonly string[]): Promise<readonly InboxRow[]> {
  const { stdout, code } = await run(["inbox", "--json", ...words], { cwd });
  expect(code).toBe(0);
  return JSON.parse(stdout) as InboxRow[];
}

const newest = (cwd: string): string => castsIn(cwd).at(-1) ?? "";

it("[YI1, YI2] casts of all projects, each with what it needs and the command that answers", async () => {
  const { cwd, shop } = projects();
  expect(await inbox(cwd)).toEqual([]);
  await cast(cwd, "Fix", "the", "test");
  await cast(shop, "--loadout", "Asks", "Migrate", "the", "cart");
  put(cwd, { "../home/replies.json": { replies: {} } });
  await cast(cwd, "Rename", "the", "store");
  const [waits, failed, ended, ...others] = await inbox(cwd);
  expect(others).toEqual([]);
  expect(waits).toMatchObject({
    project: "shop",
    status: "waiting",
    needs: "waits: May I drop the old table?",
    command: `materia continue ${newest(shop)}`,
  });
  expect(failed).toMatchObject({ project: "project", status: "failed", command: `materia recast ${newest(cwd)}` });
  expect(failed?.needs).toContain("Say");
  expect(ended).toMatchObject({ status: "completed", command: `materia show ${castsIn(cwd)[0]}` });
  const { stdout } = await run(["inbox"], { cwd: shop });
  expect(stdout).toContain("Migrate the cart");
  expect(stdout).toContain(`materia recast ${newest(cwd)}`);
});

it.each<[rule: string, look: (castId: string) => readonly string[]]>([
  ["[YI4] show", (castId) => ["show", castId]],
  ["[YI4] inbox done", (castId) => ["inbox", "done", castId]],
  ["[YI4] inbox done --all", () => ["inbox", "done", "--all"]],
])("%s takes a cast out of the inbox until it goes on", async (_rule, look) => {
  const { cwd } = projects();
  await cast(cwd, "--loadout", "Asks", "Migrate");
  const castId = newest(cwd);
  expect((await run(look(castId), { cwd })).code).toBe(0);
  expect(await inbox(cwd)).toEqual([]);
  expect(await inbox(cwd, "--all")).toMatchObject([{ castId, seen: true }]);
  await run(["continue", "--quiet", castId], { cwd });
  expect(await inbox(cwd)).toMatchObject([{ castId, status: "completed" }]);
});

it("[YI5] a cast of another project is answered from any folder, and that project's trust is asked", async () => {
  const { cwd, shop } = projects();
  await cast(shop, "--loadout", "Asks", "Migrate");
  const castId = newest(shop);
  put(shop, { ".pi/pi-materia.json": { ...CONFIG, limits: { maxRepairs: 7 } } });
  const refused = await run(["continue", castId], { cwd });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("untrusted_project") });
  expect(refused.stderr).toContain(join(shop, ".pi/pi-materia.json"));
  const answered = await run(["continue", "--trust", castId], { cwd });
  expect(answered).toMatchObject({ code: 0, stderr: expect.stringContaining(`this cast is of ${shop}`) });
  expect(castsIn(cwd)).toEqual([]);
  expect((await run(["show", castId.slice(0, 17)], { cwd })).stdout).toContain("Migrate");
});

it("[YI3] moved and deleted projects drop out, and come back when a cast goes on", async () => {
  const { cwd, shop } = projects();
  await cast(shop, "one");
  await cast(cwd, "--loadout", "Asks", "two");
  rmSync(shop, { recursive: true });
  const moved = join(dirname(cwd), "moved");
  renameSync(cwd, moved);
  expect(await inbox(moved)).toEqual([]);
  expect(readdirSync(join(userFolder(moved), "inbox"))).toEqual([]);
  await run(["continue", "--quiet", "--trust", newest(moved)], { cwd: moved });
  expect(await inbox(moved)).toMatchObject([{ project: "moved", status: "completed" }]);
});

it("[YI3] damaged and planted entries are ignored", async () => {
  const { cwd, shop } = projects();
  await cast(shop, "one");
  const castId = newest(shop);
  const index = join(userFolder(cwd), "inbox");
  const [mark = ""] = readdirSync(index).filter((name) => name.startsWith(castId));
  const project = mark.slice(castId.length + 1);
  put(index, {
    "20260101-000000-aaaaaa.nothex": "",
    [`..%2f.${project}`]: "",
    [`20260101-000000-aaaaaa.${project}`]: "",
    [`20260101-000000-bbbbbb.${"0".repeat(32)}`]: "",
    [`${"0".repeat(32)}.json`]: { cwd: shop, root: join(shop, ".pi/pi-materia") },
    [`${"1".repeat(32)}.json`]: "{",
    "a folder/x": "",
  });
  expect(await inbox(cwd)).toMatchObject([{ castId }]);
  // A cast that somebody else has started is not ours because the index names it.
  rmSync(join(userFolder(cwd), "casts"), { recursive: true });
  expect(await inbox(cwd, "--all")).toEqual([]);
  expect((await run(["continue", castId], { cwd })).stderr).toContain("unknown_cast");
  writeFileSync(join(index, `${project}.json`), "damaged");
  expect(await inbox(cwd)).toEqual([]);
  rmSync(index, { recursive: true });
  writeFileSync(index, "no folder");
  expect(await inbox(cwd)).toEqual([]);
  expect((await cast(cwd, "two")).code).toBe(0);
});

it("[YI3] a folder that cannot be read stays in the index", async () => {
  const { cwd, shop } = projects();
  await cast(shop, "one");
  const root = join(shop, ".pi/pi-materia");
  renameSync(root, `${root}.away`);
  symlinkSync(root, root);
  expect(await inbox(cwd)).toEqual([]);
  rmSync(root);
  renameSync(`${root}.away`, root);
  expect(await inbox(cwd)).toHaveLength(1);
});

it("[YI2] removed casts drop out", async () => {
  const { cwd } = projects();
  await cast(cwd, "one");
  rmSync(castFile(cwd, newest(cwd)), { recursive: true });
  expect(await inbox(cwd, "--all")).toEqual([]);
  expect(readdirSync(join(userFolder(cwd), "inbox")).filter((name) => !name.endsWith(".json"))).toEqual([]);
});

it.each<[rule: string, words: readonly string[], code: string]>([
  ["[YI4] done without a cast", ["done"], "missing_cast_id"],
  ["[YI4] done with a cast and --all", ["done", "2026", "--all"], "bad_option"],
  ["[YI4] an unknown cast", ["done", "20260101-000000-aaaaaa"], "unknown_cast"],
  ["[YI4] another word", ["clear"], "unknown_word"],
])("%s is refused", async (_rule, words, code) => {
  const { cwd } = projects();
  expect(await run(["inbox", ...words], { cwd })).toMatchObject({ code: 2, stderr: expect.stringContaining(code) });
  expect(existsSync(join(userFolder(cwd), "inbox"))).toBe(false);
});
