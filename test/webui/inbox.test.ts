import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../harness/cli.ts";
import { look, says, served, withPages } from "./cast-page.ts";

withPages();

const PERSON = {
  materia: { Ask: { type: "person", question: "May I drop the old table?" } },
  loadouts: { Asks: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } } },
  activeLoadout: "Asks",
};

it("[YI6] casts of other projects stand above those of this one, with the command to copy", async () => {
  const at = await served();
  const shop = join(dirname(at.cwd), "shop");
  mkdirSync(shop);
  at.write("../shop/.pi/pi-materia.json", PERSON);
  const env = { HOME: dirname(at.cwd), XDG_CONFIG_HOME: join(dirname(at.cwd), "config") };
  await run(["cast", "--quiet", "--trust", "Migrate the cart"], { cwd: shop, env });
  const { page, complaints } = await look(at);
  await says(page, "Inbox: 1 cast of other projects");
  const row = page.getByRole("list", { name: "Casts of other projects" }).getByRole("listitem");
  await expect.poll(() => row.innerText()).toContain("May I drop the old table?");
  expect(await row.innerText()).toMatch(/shop[^]*Migrate the cart[^]*materia continue \d{8}-/);
  if (process.env["SHOT"]) await page.screenshot({ path: process.env["SHOT"] });
  expect(complaints).toEqual([]);
});
