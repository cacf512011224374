import { describe, expect, it } from "vitest";
import { ended } from "../webserver/harness.ts";
import { REPLIES, begin, look, says, served, socket, withPages, type Seen, type ServedCast } from "./cast-page.ts";

withPages();

async function finished(): Promise<Seen & { readonly at: ServedCast; readonly id: string }> {
  const at = await served();
  const id = await begin(at);
  await ended(at, id);
  const seen = await look(at, `casts/${id}`);
  await socket(seen.page, "Socket-5").waitFor();
  return { ...seen, at, id };
}

describe("a cast leads on", () => {
  it("[W30, T36] runs from a visit with another handoff, and says what it saves", async () => {
    const { page, id, complaints } = await finished();
    await page.getByRole("button", { name: /^Auto-Eval, item 1, .* not satisfied$/ }).press("Enter");
    await page.getByRole("button", { name: "Run from here…" }).click();
    const dialog = page.getByRole("dialog");
    await says(page, "6 visits of this one are reused");
    await dialog.getByRole("checkbox", { name: /hands over/ }).check();
    await dialog.getByLabel("Handoff").fill('{"satisfied": true}');
    await dialog.getByRole("button", { name: "Start" }).click();
    await expect.poll(() => page.url()).not.toContain(id);
    await says(page, "Completed");
    await page.getByRole("link", { name: "Forked from Socket-6#1" }).waitFor();
    await expect.poll(() => socket(page, "Socket-5").textContent()).toContain("2×");
    expect(complaints).toEqual([]);
  });

  it("[W30] runs again with another request", async () => {
    const { page } = await finished();
    await page.getByRole("button", { name: "Run again…" }).click();
    await page.getByRole("dialog").getByLabel("Request").fill('Say "hello" twice');
    await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
    await page.getByRole("heading", { level: 1, name: 'Say "hello" twice' }).waitFor();
    await says(page, "Completed");
  });

  it("[W30, W52] stands beside another cast, visit by visit", async () => {
    const { page, at, id } = await finished();
    const never = { json: { satisfied: false, context: "Still no test." } };
    const other = await begin(at, { ...REPLIES, "Auto-Eval": [never] }, { prompt: "Add a farewell" });
    await ended(at, other);
    await page.getByRole("button", { name: "Compare with…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Compare" }).click();
    await page.getByRole("row", { name: /^End Completed Failed/ }).waitFor();
    expect(
      await page
        .getByRole("row", { name: /^Request/ })
        .locator("mark")
        .allTextContents(),
    ).toEqual(["greeting", "farewell"]);
    await page
      .getByRole("listitem")
      .filter({ hasText: "Auto-Eval Socket-6#1" })
      .getByRole("button", { name: "Handoff differs" })
      .click();
    await says(page, /Still no test/);
    await page.getByRole("region", { name: "Prompt" }).or(page.getByText("There is no difference.")).first().waitFor();
    const graph = page.getByRole("region", { name: "Graph of the first cast" });
    expect(await graph.locator('[data-part="socket Socket-6"]').textContent()).toMatch(/3×.*other 4×/);
    await page.getByRole("link", { name: id }).click();
    await page.getByRole("heading", { level: 1, name: "Add a greeting" }).waitFor();
  });

  it("[W31] becomes a test that runs here and shows what it took, and a forecast of the next", async () => {
    const { page, complaints } = await finished();
    await page.getByRole("button", { name: "Record as a test…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Record" }).click();
    await page.getByRole("button", { name: "Open tests" }).click();
    await page.getByRole("list", { name: "Tests" }).getByText("not run yet").waitFor();
    await page.getByRole("button", { name: "Run all tests" }).click();
    await says(page, "1 passed");
    await says(page, /^\d\d %$/);
    await socket(page, "Socket-6").waitFor();
    await says(page, "limit never reached");
    await page.getByRole("link", { name: "Casts", exact: true }).click();
    await page.getByRole("button", { name: "New cast" }).click();
    await says(page, /no history: typical sizes/);
    expect(complaints).toEqual([]);
  });
});
