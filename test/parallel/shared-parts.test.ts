import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CastId } from "../../src/core/model/ids.ts";
import { castIn, repositoryWith } from "./harness/repository.ts";
import type { Ran } from "./harness/repository.ts";

/** A list of a few kilobytes, of which every item's cast has the whole. */
async function castOf(items: number): Promise<Ran & { readonly folder: string; readonly childFile: string }> {
  const cwd = repositoryWith({});
  const titles = Array.from({ length: items }, (_, at) => `item ${at + 1} ${"x".repeat(1_500)}`);
  const ran = await castIn({ cwd, titles, lanes: 4, doing: {} });
  const folder = join(cwd, ".pi/casts", ran.castId);
  return { ...ran, folder, childFile: join(folder, "items", `${ran.castId}_1_WI-1`, "cast.json") };
}

const childOf = ({ castId }: Ran): CastId => `${castId}_1_WI-1` as CastId; // as it was made

it("[V6] what items have in common stands once: the file of an item does not grow with the list", async () => {
  const few = await castOf(3);
  const many = await castOf(6);
  const [small, large] = [few, many].map(({ childFile }) => statSync(childFile).size);
  expect((large ?? 0) - (small ?? 0)).toBeLessThan(100);
  // The graph and the list, once for all of them.
  expect(readdirSync(join(many.folder, "values"))).toHaveLength(2);
  const file = await many.store.describe(childOf(many));
  expect(file.ok && file.value.state["workItems"]).toHaveLength(6);
  expect(file.ok && file.value.graph.entry).toBe("Socket-1");
});

it("[V6] an item's file that holds all by itself is read like any other, and one whose part is gone or changed is refused", async () => {
  const ran = await castOf(3);
  const whole = await ran.store.describe(childOf(ran));
  if (!whole.ok) throw new Error(JSON.stringify(whole.issues));
  const shared = readFileSync(ran.childFile, "utf8");
  writeFileSync(ran.childFile, JSON.stringify(whole.value));
  expect(await ran.store.describe(childOf(ran))).toEqual(whole);
  writeFileSync(ran.childFile, shared);
  const values = join(ran.folder, "values");
  for (const name of readdirSync(values)) writeFileSync(join(values, name), "[]");
  expect(await ran.store.describe(childOf(ran))).toMatchObject({ ok: false, issues: [{ code: "bad_cast_file" }] });
  rmSync(values, { recursive: true });
  expect(await ran.store.load(childOf(ran))).toMatchObject({ ok: false, issues: [{ code: "bad_cast_file" }] });
});
