import { expect, it } from "vitest";
import { begin, look, served, withPages } from "./cast-page.ts";

withPages();

const PICTURE = '[data-part^="socket"]';

it("[W53] a cast is drawn before anything else is requested", async () => {
  const at = await served();
  const castId = await begin(at);
  const { page } = await look({ url: "about:blank" });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  // The answer comes when the page around it stands.
  await page.route(`**/api/casts/${castId}`, async (route) => {
    await page.getByRole("banner").waitFor();
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    asked.push("answered");
    await route.continue();
  });
  await page.goto(`${at.url}#/casts/${castId}`);
  await page.locator(PICTURE).first().waitFor();
  const before = asked.slice(0, asked.indexOf("answered")).filter((path) => path.startsWith("/api/"));
  expect(before).toEqual([`/api/casts/${castId}`]);
  await expect.poll(() => asked).toEqual(expect.arrayContaining(["/api/casts/stream", "/api/catalog"]));
});

it.each([
  ["a cast", (castId: string) => `casts/${castId}`, PICTURE],
  ["a loadout", () => "loadouts/Full-Auto", PICTURE],
  ["a dialog", () => "casts?new=", "dialog"],
])("[W53] %s is drawn as soon as it has loaded", async (_what, place, picture) => {
  const at = await served();
  const castId = await begin(at);
  const { page } = await look({ url: "about:blank" });
  // Waiting for more than 10 ms never ends here.
  await page.addInitScript("const wait = setTimeout; setTimeout = (act, ms) => (ms > 10 ? 0 : wait(act, ms));");
  await page.goto(`${at.url}#/${place(castId)}`);
  await page.locator(picture).first().waitFor();
});
