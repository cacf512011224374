import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CastId } from "../../src/core/model/ids.ts";
import type { CastFile } from "../../src/shell/store/cast-file.ts";
import { castLayout } from "../../src/shell/store/layout.ts";
import { castFile, created, filePlace, idOf } from "../harness/store/store-casts.ts";
import { socket } from "../harness/seats.ts";
import { castIn, repositoryWith, type Ran } from "./harness/repository.ts";

/** A list of a few kilobytes, of which every item's cast has the whole. */
async function castOf(items: number): Promise<Ran & { readonly folder: string; readonly childFile: string }> {
  const cwd = repositoryWith({});
  const titles = Array.from({ length: items }, (_, at) => `item ${at + 1} ${"x".repeat(1_500)}`);
  const ran = await castIn({ cwd, titles, lanes: 4, doing: {} });
  const folder = join(cwd, ".pi/casts", ran.castId);
  return { ...ran, folder, childFile: join(folder, "items", `${ran.castId}_1_WI-1`, "cast.json") };
}

const childOf = ({ castId }: Ran): CastId => `${castId}_1_WI-1` as CastId; // as it was made

it("[V30] shared parts are stored once: the file of an item does not grow with the list", async () => {
  const few = await castOf(3);
  const many = await castOf(6);
  const [small, large] = [few, many].map(({ childFile }) => statSync(childFile).size);
  expect((large ?? 0) - (small ?? 0)).toBeLessThan(100);
  // The graph and the list, once for all of them.
  expect(readdirSync(join(many.folder, "values"))).toHaveLength(2);
  const file = await many.store.readCastFile(childOf(many));
  expect(file.ok && file.value.state["workItems"]).toHaveLength(6);
  expect(file.ok && file.value.graph.entry).toBe("Socket-1");
});

it("[V30] a complete file of an item is read, and one with a missing or changed shared part is refused", async () => {
  const ran = await castOf(3);
  const whole = await ran.store.readCastFile(childOf(ran));
  if (!whole.ok) throw new Error(JSON.stringify(whole.issues));
  const shared = readFileSync(ran.childFile, "utf8");
  writeFileSync(ran.childFile, JSON.stringify(whole.value));
  expect(await ran.store.readCastFile(childOf(ran))).toEqual(whole);
  writeFileSync(ran.childFile, shared);
  const values = join(ran.folder, "values");
  for (const name of readdirSync(values)) writeFileSync(join(values, name), "[]");
  expect(await ran.store.readCastFile(childOf(ran))).toMatchObject({ ok: false, issues: [{ code: "bad_cast_file" }] });
  rmSync(values, { recursive: true });
  expect(await ran.store.load(childOf(ran))).toMatchObject({ ok: false, issues: [{ code: "bad_cast_file" }] });
});

const child = idOf("c-1_1_WI-1");
const list = Array.from({ length: 5 }, (_, at) => ({ title: `item ${at}`, context: "x".repeat(1_000) }));

function windowWith(workItems: typeof list | undefined): NonNullable<CastFile["window"]> {
  const at = { parent: idOf("c-1"), loop: "each", index: 0, attempt: 1, door: socket("Socket-1"), from: null };
  const told = { socket: socket("Socket-1"), materia: "Plan", item: null, text: "", reason: "" };
  const handed = workItems === undefined ? null : { ...told, workItems };
  return { ...at, handed, notes: {}, reasons: [], base: "0", tree: null };
}

/** The cast of an item in files, with what it has in common with others in a window and in its state. */
async function itemCast(part: Partial<CastFile>): Promise<ReturnType<typeof filePlace> & { readonly own: string }> {
  const place = filePlace();
  await created(place.store);
  const made = await place.store.create({ file: { ...castFile(child), ...part } }, {});
  if (!made.ok) throw new Error(JSON.stringify(made.issues));
  return { ...place, own: castLayout(place.root, child).castFile };
}

it.each<[rule: string, part: Partial<CastFile>, values: number]>([
  ["[V30] a graph alone", {}, 1],
  ["[V30] small state", { state: { short: "a", none: null } }, 1],
  ["[V30] a large list in state beside small ones", { state: { list, short: 1 } }, 2],
  ["[V30] the same list in state and in what is handed on", { state: { list }, window: windowWith(list) }, 2],
  ["[V30] a short list that is handed on", { window: windowWith([]) }, 1],
  ["[V30] nothing handed on", { window: windowWith(undefined) }, 1],
])("%s: the file of an item is read as it was, its shared parts written once", async (_rule, part, values) => {
  const { store, layout, own } = await itemCast(part);
  expect(await store.readCastFile(child)).toEqual({ ok: true, value: { ...castFile(child), ...part } });
  expect(readdirSync(layout.values)).toHaveLength(values);
  expect([readFileSync(own, "utf8").includes("item 4"), existsSync(join(own, "../values"))]).toEqual([false, false]);
});

it("[V30] a shared part with a wrong name or content is refused", async () => {
  const { store, layout, own } = await itemCast({ state: { list } });
  const text = readFileSync(own, "utf8");
  const { shared } = JSON.parse(text) as { shared: { graph: string; state: { list: string } } }; // written just now
  const bad: readonly (readonly [string, string])[] = [
    [shared.graph, "../../cast"],
    [shared.graph, `${shared.graph}0`],
    [`"${shared.graph}"`, "7"],
    [shared.graph, shared.state.list],
    [shared.state.list, "0".repeat(32)],
    ['"shared": {', '"shared": [], "was": {'],
    ['"state": {', '"state": 7, "was": {'],
  ];
  for (const [is, becomes] of bad) {
    writeFileSync(own, text.replace(is, becomes));
    expect([becomes, await store.readCastFile(child)]).toMatchObject([
      becomes,
      { ok: false, issues: [{ code: "bad_cast_file" }] },
    ]);
  }
  writeFileSync(own, text);
  writeFileSync(layout.value(shared.state.list), JSON.stringify(list.slice(1)));
  expect(await store.readCastFile(child)).toMatchObject({
    ok: false,
    issues: [{ message: expect.stringContaining("a part that it shares with other items was changed") }],
  });
});
