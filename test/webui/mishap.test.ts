import { describe, expect, it } from "vitest";
import { look, says, served, withPages } from "./cast-page.ts";

withPages();

describe("what goes wrong in the browser", () => {
  it("[W27] a page that cannot be loaded offers another try, and an unknown address leads on", async () => {
    const at = await served();
    const { page } = await look(at, "nowhere");
    await says(page, "There is no such page");
    await page.route(/\/assets\//, (route) => route.abort());
    await page.getByRole("link", { name: "Materia", exact: true }).click();
    await says(page, "This page cannot be shown");
    await page.unroute(/\/assets\//);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => page.getByText("This page cannot be shown").count(), { timeout: 120_000 }).toBe(0);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
  });
});

describe("help", () => {
  it("[W41] the table of keys leads to the guide of the page", async () => {
    const { page, complaints } = await look(await served());
    await says(page, "No casts yet");
    await page.keyboard.press("?");
    await page.getByRole("link", { name: "Guide to this page" }).click();
    await page.getByRole("heading", { name: "What each view is for" }).waitFor();
    await page.getByRole("cell", { name: "Settings" }).waitFor();
    // Where the column is full, what scrolls by itself keeps its height.
    const frame = await page.getByRole("table").locator("..").boundingBox();
    expect(frame?.height).toBeGreaterThan(100);
    expect(complaints).toEqual([]);
  });
});
