import { join } from "node:path";
import { expect, it } from "vitest";
import { eventsOf } from "../harness/cast-trace.ts";
import { project } from "../webserver/harness.ts";
import { begin, look, says, served, withPages } from "./cast-page.ts";

withPages();

const conf = {
  limits: { waitForProvider: "8h" },
  loadouts: { One: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } } },
};
const limit = { error: "limit", resetMs: 7_200_000 };

it("[Z11] the banner of a sleeping cast wakes it, uses another model, or the cast is aborted", async () => {
  const own = project();
  own.write("../config/pi/pi-materia/materia.json", conf);
  const at = await served(own);
  const id = await begin(at, { Build: [limit, limit, limit] }, { loadout: "One" });
  const { page, complaints } = await look(at, `casts/${id}`);
  const banner = page.getByRole("status").filter({ hasText: "limit, resets" });
  await says(page, "The cast continues by itself; nothing is lost.");
  expect(await page.getByRole("region", { name: "Visit", exact: true }).innerText()).toMatch(/Sleeping \d/);
  await banner.getByRole("button", { name: "Wake now" }).click();
  const sleeps = () => eventsOf(join(at.root, id)).filter(({ type }) => type === "cast_sleeping");
  await expect.poll(() => sleeps().length).toBe(2);
  await banner.getByRole("combobox").fill("b/y");
  await banner.getByRole("button", { name: "Use this model" }).click();
  await expect.poll(() => sleeps().at(-1)).toMatchObject({ model: "b/y" });
  await page.getByRole("button", { name: "Abort…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Abort" }).click();
  await says(page, "Aborted");
  expect(complaints).toEqual([]);
});
