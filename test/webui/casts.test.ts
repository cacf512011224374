import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { castOf, ended } from "../webserver/harness.ts";
import { ASSETS, NO_REPLY, REPLIES, begin, look, says, served, socket, withPages } from "./cast-page.ts";

withPages();

describe("casts in the browser", () => {
  it("[W12] the token leaves the address and goes with every request", async () => {
    const at = await served();
    const { page, complaints } = await look(at);
    await says(page, "No casts yet");
    expect(page.url()).not.toContain("token");
    await page.reload();
    await says(page, "No casts yet");
    expect(complaints).toEqual([]);
  });

  it("[W12] without a token the page says what to open", async () => {
    const at = await served();
    const { page } = await look({ ...at, url: at.url.replace(/\?.*/, "") });
    await says(page, "This page has no valid token");
  });

  it("[W11] a cast that begins elsewhere appears by itself; filter and search narrow the list", async () => {
    const at = await served();
    const { page } = await look(at);
    await says(page, "No casts yet");
    const id = await begin(at, REPLIES, { prompt: "Paginate the audit log" });
    await says(page, "Paginate the audit log");
    await ended(at, id);
    await says(page, "2 of 2");
    await castOf(at);
    await expect.poll(() => page.locator("a[data-cast]").count()).toBe(2);
    await page.keyboard.press("/");
    await page.keyboard.type("audit");
    await expect.poll(() => page.locator("a[data-cast]").count()).toBe(1);
    await page.keyboard.type(" nothing");
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await expect.poll(() => page.locator("a[data-cast]").count()).toBe(2);
  });

  it("[W16, W48] a cast is started from the page and watched at once", async () => {
    const at = await served();
    at.write("replies.json", { replies: REPLIES, onEmpty: "repeat-last" });
    const { page } = await look(at);
    await page.getByRole("button", { name: "New cast" }).first().click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByRole("button", { name: "Start" }).getAttribute("aria-disabled")).toBe("true");
    await dialog.getByLabel("Request").fill("Say hello -- and mean it");
    await dialog.getByLabel(/Rehearsal file/).setInputFiles(join(at.cwd, "replies.json"));
    await dialog.getByRole("button", { name: "Rehearse" }).click();
    await page.waitForURL(/#\/casts\/2/);
    await says(page, "Completed");
    await says(page, "Say hello -- and mean it");
  });

  it("[W16] a refused command says why, and the dialog stays", async () => {
    const at = await served();
    const { page } = await look(at);
    await page.getByRole("button", { name: "New cast" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Request").fill("Say hello");
    at.write("replies.json", { replies: { "Auto-Plan": "no list" } });
    await dialog.getByLabel(/Rehearsal file/).setInputFiles(join(at.cwd, "replies.json"));
    await dialog.getByRole("button", { name: "Rehearse" }).click();
    await says(page, /replies\.Auto-Plan/);
    expect(await dialog.isVisible()).toBe(true);
  });

  it("[W18] the list by keyboard: arrows, Enter, and a letter for the next action", async () => {
    const at = await served();
    await ended(at, await castOf(at));
    const running = await begin(at, { ...REPLIES, "Auto-Plan": [NO_REPLY] }, { prompt: "A long one" });
    const { page } = await look(at);
    await says(page, "A long one");
    // At once, without the list being sought first.
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("A long one");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("do it");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("x");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(running));
  });

  it("[W18, W47] go to anywhere, the keys, and single letters turned off", async () => {
    const at = await served();
    const id = await castOf(at);
    await ended(at, id);
    const { page } = await look(at);
    await says(page, "do it");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search actions/ }).waitFor();
    await page.keyboard.type(id);
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(id));
    await socket(page, "Socket-1").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.waitForURL(/#\/casts$/);
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByLabel("Single-letter keys").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await page.keyboard.press("?");
    expect(page.url()).toMatch(/#\/casts$/);
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("[W17] a lost connection is said, and the page goes on when the server is back", async () => {
    const at = await served();
    await ended(at, await begin(at, REPLIES, { prompt: "Before the break" }));
    const { page } = await look(at);
    await says(page, "Before the break");
    await at.stop();
    await says(page, "Reconnecting…");
    expect(await page.getByText("Before the break").isVisible()).toBe(true);
    const again = await served(at, at.port);
    await says(page, "Live");
    await begin(again, REPLIES, { prompt: "After the break" });
    await says(page, "After the break");
  });

  it("[W24] of 2,000 casts only those in sight are drawn, and every one is reached", async () => {
    const at = await served();
    const { page, complaints } = await look({ ...at, url: "about:blank" });
    await page.route("**/api/casts/stream", (route) =>
      route.fulfill({ contentType: "text/event-stream", body: manyCasts(2_000) }),
    );
    await page.goto(`${at.url}#/casts`);
    const links = page.locator("a[data-cast]");
    await says(page, "Request 1999");
    expect(await links.count()).toBeLessThan(100);
    await expect.poll(() => page.getByRole("table").getAttribute("aria-rowcount")).toBe("2002");
    const cells = page.locator("td");
    expect(await cells.evaluateAll((all) => all.filter((td) => td.scrollWidth > td.clientWidth).length)).toBe(0);
    await links.first().focus();
    for (let step = 0; step < 30; step += 1) await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Request 1969");
    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, 1_000_000);
    await says(page, /^Request 0$/);
    expect(await links.count()).toBeLessThan(100);
    await page.keyboard.press("/");
    await page.keyboard.type("Request 177");
    await expect.poll(() => links.count()).toBe(12);
    // The stream that was made up ends, so the page tries again.
    expect(complaints.filter((text) => !text.includes("ERR_"))).toEqual([]);
  });

  it("[W20] all of the client is at most 420 kB, and its first view 130 kB", async () => {
    const sizes = readdirSync(join(ASSETS, "assets"))
      .filter((name) => name.endsWith(".gz"))
      .map((name) => statSync(join(ASSETS, "assets", name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(420_000);
    const at = await served();
    const { page } = await look(at, "help");
    // After its first view the page loads what people usually open next.
    await page.addInitScript("requestIdleCallback = () => 0;");
    await page.goto("about:blank");
    await page.goto(at.url);
    await says(page, "No casts yet");
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType("resource").filter(({ name }) => name.includes("/assets/")),
    );
    const bytes = loaded.map((each) => (each as PerformanceResourceTiming).encodedBodySize);
    expect(bytes.length).toBeGreaterThan(2);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(130_000);
  });
});

function manyCasts(count: number): string {
  const casts = Array.from({ length: count }, (_, index) => {
    const startedAt = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
    const figures = { visits: 1, items: { done: 9, total: 20 }, tokens: 10, cost: 0.1 };
    const named = { castId: `cast-${index}`, status: "completed", loadout: "Full-Auto", request: `Request ${index}` };
    return `event: cast\ndata: ${JSON.stringify({ ...named, startedAt, endedAt: startedAt, ...figures })}\n\n`;
  });
  return `${casts.join("")}event: ready\ndata: {}\n\n`;
}
