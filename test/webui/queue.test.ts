import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { setReplies } from "../git/cast-place.ts";
import { put } from "../harness/cli.ts";
import { treePlace } from "../trees/tree-place.ts";
import { DARK, SMALL, WIDE, expectSound } from "./axe.ts";
import { look, served, withPages } from "./cast-page.ts";

withPages();

const LIST = "- alpha\n- beta\n  with more\n- [x] done\n- gamma";

it("[YQ10] requests are added, sorted by dragging and by keyboard, removed, and link to their casts", async () => {
  const cwd = treePlace();
  const top = join(cwd, "..");
  put(cwd, { "../config/pi/pi-materia/materia.json": readFileSync(join(top, "home/materia.json"), "utf8") });
  setReplies(cwd, { Make: [{ error: "limit", resetMs: 3_600_000 }] });
  const env = { HOME: join(top, "home"), XDG_CONFIG_HOME: join(top, "config"), PATH: process.env["PATH"] };
  const at = await served({ place: { cwd, env }, cwd, root: join(cwd, ".pi", "pi-materia"), write: () => "" });
  const { page, complaints } = await look(at, "queue");
  const rows = page.getByRole("list", { name: "Requests" }).getByRole("listitem");
  const texts = async () => (await rows.allInnerTexts()).map((text) => /alpha|beta|gamma|delta/.exec(text)?.[0]);
  const field = page.getByRole("textbox", { name: /^Request, or/ });
  await page.getByText("Nothing is queued.").waitFor();
  await field.fill(LIST);
  await page.getByRole("button", { name: "Add as 3 requests" }).click();
  await expect.poll(texts).toEqual(["alpha", "beta", "gamma"]);
  await field.fill("delta");
  await field.press("Control+Enter");
  await expect.poll(texts).toEqual(["alpha", "beta", "gamma", "delta"]);
  expect(await field.inputValue()).toBe("");
  await rows.last().dragTo(rows.first());
  await expect.poll(texts).toEqual(["delta", "alpha", "beta", "gamma"]);
  const up = page.getByRole("button", { name: "Move up: gamma" });
  await up.focus();
  await page.keyboard.press("Enter");
  await expect.poll(texts).toEqual(["delta", "alpha", "gamma", "beta"]);
  await expect.poll(() => up.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  await expect.poll(texts).toEqual(["delta", "gamma", "alpha", "beta"]);
  await page.getByRole("button", { name: "Remove: alpha" }).click();
  await expect.poll(texts).toEqual(["delta", "gamma", "beta"]);
  await expectSound(page, [WIDE, SMALL, DARK]);

  // What the button sends; the test runs the same from a rehearsal, without sleeping.
  const sent: unknown[] = [];
  await page.route(/\/api\/commands$/, async (route) => {
    const body = route.request().postDataJSON() as { command: { action: string } };
    if (body.command.action !== "run") return route.continue();
    sent.push(body);
    return route.fulfill({ json: { code: 0, text: "", data: {} } });
  });
  await page.getByRole("button", { name: "Run the queue" }).click();
  await page.getByText("The queue runs in the background").waitFor();
  await page.getByRole("switch", { name: /^Sleep through limits/ }).click();
  await page.getByRole("button", { name: "Run the queue" }).click();
  await expect.poll(() => sent.length).toBe(2);
  const runs = { kind: "queue", action: "run", atOnce: 1 };
  expect(sent).toEqual([
    { command: runs, options: { wait: 28_800_000 } },
    { command: runs, options: {} },
  ]);
  const rehearse = join(top, "home/replies.json");
  const run = { command: { kind: "queue", action: "run", atOnce: 1 }, options: { rehearse }, trust: true };
  expect((await at.send("/api/commands", run)).status).toBe(200);
  await page.getByText("Paused").first().waitFor();
  expect(await page.getByRole("button", { name: "Remove: delta" }).count()).toBe(0);
  await page.getByRole("link", { name: "The cast of delta" }).click();
  await expect.poll(() => page.url()).toContain("#/casts/");
  expect(complaints).toEqual([]);
});
