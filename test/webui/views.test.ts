import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ended } from "../webserver/harness.ts";
import { REPLIES, begin, look, says, served, socket, withPages } from "./cast-page.ts";

withPages();

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

async function faults(page: Page): Promise<readonly string[]> {
  const axe = new AxeBuilder({ page });
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  const { violations } = await (isDark ? axe.withRules("color-contrast") : axe.withTags(TAGS)).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

/** In the dark nothing but colours is another, and they are the same at every width. */
const VIEWS = [
  { width: 1440, theme: "light" },
  { width: 768, theme: "light" },
  { width: 390, theme: "light" },
  { width: 1440, theme: "dark" },
] as const;

describe.each(VIEWS)("[W19] $theme at $width pixels", (view) => {
  it("[W19] the list, with casts and without, and its dialogs", async () => {
    const at = await served();
    const { page } = await look(at, "casts", view);
    await says(page, "No casts yet");
    expect(await faults(page)).toEqual([]);
    await ended(at, await begin(at));
    await says(page, "Add a greeting");
    expect(await faults(page)).toEqual([]);
    await page.getByRole("button", { name: "New cast" }).first().click();
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    expect(await faults(page)).toEqual([]);
  });

  it("[W19] a cast that has ended, every part of it", async () => {
    const at = await served();
    const id = await begin(at);
    await ended(at, id);
    const { page } = await look(at, `casts/${id}`, view);
    await socket(page, "Socket-1").waitFor();
    const small = view.width < 640;
    expect(await faults(page)).toEqual([]);
    // Between the two nothing is arranged that these two do not show.
    if (view.width === 768) return;
    if (small) await page.getByRole("tab", { name: "Timeline" }).click();
    for (const tab of ["Timeline", "Cost", "Journal"]) {
      await page.getByRole("tab", { name: tab }).last().click();
      expect(await faults(page)).toEqual([]);
    }
    if (small) await page.getByRole("tab", { name: "Visit" }).click();
    for (const tab of ["Output", "Prompt", "Tools", "Handoff", "Route"]) {
      await page.getByRole("tab", { name: tab }).click();
      expect(await faults(page)).toEqual([]);
    }
    await page.keyboard.press("[");
    expect(await faults(page)).toEqual([]);
  });

  it("[W19] a cast that waits, one that failed and one that is not there", async () => {
    const at = await served();
    const replies = { "Interactive-Plan": [{ text: "Which colour?" }] };
    const waiting = await look(at, `casts/${await begin(at, replies, { loadout: "Planning-Consult" })}`, view);
    await says(waiting.page, "Which colour?");
    expect(await faults(waiting.page)).toEqual([]);
    const failing = await begin(at, { ...REPLIES, "Auto-Eval": [{ json: { satisfied: false, context: "no" } }] });
    await ended(at, failing);
    const failed = await look(at, `casts/${failing}`, view);
    await says(failed.page, /3 of 3 times/);
    await failed.page.getByRole("button", { name: "Raise a limit…" }).click();
    expect(await faults(failed.page)).toEqual([]);
    const absent = await look(at, "casts/20200101-000000-aaaaa", view);
    await says(absent.page, "All casts");
    expect(await faults(absent.page)).toEqual([]);
  });
});

describe.each(VIEWS.filter(({ width }) => width !== 768))("[W19] $theme at $width pixels", (view) => {
  it("[W19] two casts side by side, tests, and the dialogs that lead on", async () => {
    const at = await served();
    const first = await begin(at);
    await ended(at, first);
    const other = await begin(at, { ...REPLIES, Narrate: [{ text: "Otherwise." }] });
    await ended(at, other);
    const { page } = await look(at, `compare/${first}?with=${other}`, view);
    await page.getByRole("button", { name: "handoff differs" }).last().click();
    expect(await faults(page)).toEqual([]);
    await at.send("/api/commands", { command: `record ${first}` });
    const tests = await look(at, "tests", view);
    await tests.page.getByRole("button", { name: "Run all tests" }).click();
    await says(tests.page, "1 passed");
    expect(await faults(tests.page)).toEqual([]);
    const cast = await look(at, `casts/${first}`, view);
    for (const dialog of ["Run again…", "Record as a test…", "Compare with…"]) {
      await cast.page.getByRole("button", { name: "More" }).click();
      expect(await faults(cast.page)).toEqual([]);
      await cast.page.getByRole("menuitem", { name: dialog }).click();
      expect(await faults(cast.page)).toEqual([]);
      await cast.page.keyboard.press("Escape");
    }
  });
});

describe("[W19] a screen of 360 pixels", () => {
  it.each([1, 2])("[W19] nothing is wider, with text of %i times the size", async (times) => {
    const at = await served();
    const id = await begin(at);
    await ended(at, id);
    for (const place of ["casts", `casts/${id}`]) {
      const { page } = await look(at, place, { width: 360 });
      await page.addInitScript(
        (size) => document.documentElement.style.setProperty("font-size", size),
        `${16 * times}px`,
      );
      await page.evaluate((size) => document.documentElement.style.setProperty("font-size", size), `${16 * times}px`);
      await says(page, "Add a greeting");
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    }
  });
});
