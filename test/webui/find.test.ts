import { describe, expect, it } from "vitest";
import { ended } from "../webserver/harness.ts";
import { REPLIES, begin, look, says, served, socket, withPages } from "./cast-page.ts";

withPages();

describe("finding and looking back", () => {
  it("[W37] what was said is found in all casts, and leads to its visit and tab", async () => {
    const at = await served();
    await ended(at, await begin(at));
    const { page, complaints } = await look(at, "find");
    await page.getByRole("searchbox").fill("no test");
    await page.getByRole("link", { name: "Auto-Eval Socket-6 · visit 1" }).first().waitFor();
    await says(page, /places in 1 cast/);
    await page
      .getByRole("listitem")
      .filter({ hasText: "Prompt" })
      .filter({ hasText: "Build Socket-5 · visit 2" })
      .getByRole("link")
      .click();
    await says(page, "Build Socket-5 · visit 2");
    await expect.poll(() => page.getByRole("tab", { name: "Prompt" }).getAttribute("aria-selected")).toBe("true");
    const marked = `(() => {
      const [range] = CSS.highlights.get("found") ?? [];
      const box = range?.getBoundingClientRect();
      const frame = document.querySelector("[role=region][aria-label=Prompt]").getBoundingClientRect();
      return range && box.top >= frame.top && box.bottom <= frame.bottom ? range.toString() : null;
    })()`;
    await expect.poll(() => page.evaluate(marked)).toBe("no test");
    expect(complaints).toEqual([]);
  });

  it("[W37] casts are filtered by failed and rehearsed, and the filter is there again on the way back", async () => {
    const at = await served();
    await ended(at, await begin(at));
    const never = { json: { satisfied: false, context: "Still no test." } };
    await ended(at, await begin(at, { ...REPLIES, "Auto-Eval": [never] }, { prompt: "Paint the door" }));
    const { page } = await look(at);
    await page.getByRole("button", { name: "Rehearsed 2" }).waitFor();
    await page.getByRole("button", { name: "Failed 1" }).click();
    await page.getByText("Add a greeting").waitFor({ state: "detached" });
    await page.getByRole("link", { name: /Paint the door/ }).click();
    await page.getByRole("heading", { level: 1, name: "Paint the door" }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Failed 1", pressed: true }).waitFor();
    expect(await page.getByText("Add a greeting").count()).toBe(0);
  });

  it("[W36] the scrubber stands where the moment is in time, and the axis stays in view", async () => {
    const at = await served();
    const items = Array.from({ length: 60 }, (_, index) => ({ title: `item ${index}`, context: "" }));
    const plan = [{ json: { workItems: items } }];
    const id = await begin(at, { ...REPLIES, "Auto-Plan": plan, "Auto-Architect": plan });
    await ended(at, id);
    const { page, complaints } = await look(at, `casts/${id}`);
    await socket(page, "Socket-5").waitFor();
    await page.getByRole("button", { name: /Show \d+ finished rows/ }).click();
    const slider = page.getByLabel("Moment of the cast");
    await page
      .getByRole("tabpanel")
      .first()
      .evaluate((body) => body.scrollTo(0, body.scrollHeight));
    expect(await slider.isVisible()).toBe(true);
    const middle = await page.evaluate(() => {
      const line = document.querySelector("[class*=now-line]")?.getBoundingClientRect();
      const input = document.querySelector<HTMLInputElement>("input[type=range]");
      const box = input?.getBoundingClientRect();
      if (!line || !input || !box) return null;
      // The thumb is ten pixels wide, and its middle is the moment.
      const thumb = box.left + 5 + ((box.width - 10) * Number(input.value)) / 1_000;
      return Math.abs(thumb - line.left);
    });
    expect(middle).toBeLessThan(3);
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("button", { name: "Group by socket" }).click();
    await says(page, "Build Socket-5");
    await page.getByRole("tab", { name: /Cost/ }).click();
    await says(page, /^By item, at most/);
    await page.getByRole("tab", { name: /Journal/ }).click();
    const rows = page.getByRole("list", { name: "Events, newest first" }).getByRole("button");
    await rows.first().waitFor();
    expect(await rows.count()).toBeLessThan(80);
    for (const words of await rows.locator("span:last-child").allTextContents()) expect(words).not.toBe("");
    expect(complaints).toEqual([]);
  });
});
