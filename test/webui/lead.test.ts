import { describe, expect, it } from "vitest";
import { ended } from "../webserver/harness.ts";
import { REPLIES, REPLY_AT_GO, begin, look, says, served, socket, withPages } from "./cast-page.ts";

withPages();

describe("reading a cast", () => {
  it("[W32] a question is read as Markdown and answered in the reader, and the tab says how it stands", async () => {
    const at = await served();
    const replies = {
      "Interactive-Plan": [
        { text: "## Plan\n\nPaint the **door**. Which colour?" },
        { json: { workItems: [{ title: "Paint it", context: "" }] } },
      ],
      "Context-Check": [{ text: "fine" }],
    };
    const id = await begin(at, replies, { loadout: "Planning-Consult" });
    const { page, complaints } = await look(at, `casts/${id}`);
    await page.getByRole("heading", { name: "Plan", exact: true }).waitFor();
    await expect.poll(() => page.title()).toMatch(/^Waiting/);
    const asked = page.getByRole("region", { name: "Waiting for you" });
    await asked.getByRole("textbox").fill("blue");
    await asked.getByRole("button", { name: "Answer" }).click();
    await says(page, /Paint it/);
    await asked.getByRole("button", { name: "Accept the result and continue" }).click();
    await says(page, "Completed");
    await expect.poll(() => page.title()).toMatch(/^Completed/);
    expect(complaints).toEqual([]);
  });

  it("[W34] a turn that the journal has counted is not counted again", async () => {
    const at = await served();
    const plan = { text: "Which colour?", usage: { input: 400, output: 61 } };
    const id = await begin(at, { "Interactive-Plan": [plan] }, { loadout: "Planning-Consult" });
    const { page } = await look(at, `casts/${id}`);
    await says(page, "Which colour?");
    // A late listener hears the turn again.
    await page.reload();
    await says(page, "Which colour?");
    await expect.poll(() => page.getByTitle(/^\d+ of 10000000 tokens$/).getAttribute("title")).toMatch(/^461 /);
  });

  it("[W32] a person who looks elsewhere is notified by the system", async () => {
    const at = await served();
    const { page } = await look(at, "casts");
    await page.evaluate(() => {
      const told: string[] = [];
      Object.assign(window, { told });
      class Told extends EventTarget {
        static permission = "granted";
        constructor(title: string) {
          super();
          told.push(title);
        }
      }
      Object.defineProperty(window, "Notification", { value: Told });
      Object.defineProperty(document, "hidden", { value: true });
    });
    const id = await begin(at, { ...REPLIES, Build: [REPLY_AT_GO, ...REPLIES.Build.slice(1)] });
    await says(page, "Running");
    at.write("go", "");
    await ended(at, id);
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { told: string[] }).told))
      .toEqual(["Completed: Full-Auto"]);
  });

  it("[W33] a visit and its moment are an address, and reasons lead to who gave them", async () => {
    const at = await served();
    const id = await begin(at);
    await ended(at, id);
    const { page } = await look(at, `casts/${id}`);
    await page.getByRole("button", { name: /^Auto-Eval, item 1, .* not satisfied$/ }).press("Enter");
    await says(page, "Auto-Eval Socket-6 · visit 1");
    const sent = new URL(page.url()).hash;
    expect(sent).toContain("visit=Socket-6%231");
    const other = await look(at, sent.slice(2));
    await says(other.page, "Auto-Eval Socket-6 · visit 1");
    await expect.poll(() => socket(other.page, "Socket-7").textContent()).toContain("–");
    await other.page.getByRole("button", { name: "Next visit" }).click();
    await says(other.page, "Build Socket-5 · visit 2");
    await other.page
      .getByRole("button", { name: /^Auto-Eval/ })
      .first()
      .waitFor();
    await other.page
      .getByRole("complementary", { name: "About this visit" })
      .getByRole("button", { name: /Auto-Eval/ })
      .first()
      .click();
    await says(other.page, "Auto-Eval Socket-6 · visit 1");
    await other.page.getByRole("link", { name: "Full-Auto" }).click();
    await expect.poll(() => other.page.url()).toContain("loadouts/Full-Auto");
  });

  it("[W34] what a tool says is seen while it runs, and a write as what it adds", async () => {
    const at = await served();
    const command = "echo half way; while [ ! -e go ]; do sleep 0.01; done";
    const id = await begin(at, {
      ...REPLIES,
      Build: [
        {
          tools: [
            { name: "write", arguments: { path: "a.txt", content: "one\ntwo" } },
            { name: "bash", arguments: { command } },
          ],
          text: "Built.",
        },
        ...REPLIES.Build.slice(1),
      ],
    });
    const { page } = await look(at, `casts/${id}`);
    await page.locator("pre").getByText("half way", { exact: true }).waitFor();
    at.write("go", "");
    await says(page, "Completed");
    await page
      .getByRole("button", { name: /^Build, item 1, / })
      .first()
      .press("Enter");
    await page.keyboard.press("3");
    await says(page, "+2 −0");
    await page.getByText("+2 −0").click();
    await expect
      .poll(() => page.getByRole("region", { name: "What write changed" }).textContent())
      .toContain("added: two");
  });
});
