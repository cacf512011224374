import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended } from "../webserver/harness.ts";
import {
  NO_REPLY,
  REPLIES,
  REPLY_AT_GO,
  begin,
  look,
  says,
  served,
  socket,
  withPages,
  type Seen,
  type ServedCast,
} from "./cast-page.ts";

withPages();

async function finished(): Promise<Seen & { readonly at: ServedCast; readonly id: string }> {
  const at = await served();
  const id = await begin(at);
  await ended(at, id);
  const seen = await look(at, `casts/${id}`);
  await socket(seen.page, "Socket-5").waitFor();
  return { ...seen, at, id };
}

describe("one cast in the browser", () => {
  it("[W13, W20] is watched live to its end, and the page complains about nothing", async () => {
    const at = await served();
    const id = await begin(at, { ...REPLIES, Build: [REPLY_AT_GO, ...REPLIES.Build.slice(1)] });
    const { page, complaints } = await look(at, `casts/${id}`);
    await page.locator('[data-part="socket Socket-5"][aria-current="step"]').waitFor();
    await says(page, /Now \d/);
    await says(page, "Running");
    at.write("go", "");
    await says(page, "Completed");
    await expect.poll(() => socket(page, "Socket-5").textContent()).toContain("3×");
    await expect.poll(() => page.locator('[data-part="edge edge:Socket-6:2"]').textContent()).toContain("1×");
    expect(await page.getByText("2 of 2 items done").count()).toBeGreaterThan(0);
    await expect.poll(() => page.locator('main [role="status"]').first().textContent()).toContain("completed");
    expect(complaints).toEqual([]);
  });

  it("[W14] stepping moves graph, timeline and reader together and marks the past", async () => {
    const { page } = await finished();
    await page.keyboard.press("Home");
    await says(page, /At \d/);
    await expect.poll(() => socket(page, "Socket-5").textContent()).toContain("–");
    await expect.poll(() => page.getByRole("heading", { level: 2, name: /Ignore-Artifacts/ }).isVisible()).toBe(true);
    await page.keyboard.press("]");
    await says(page, /Detect-VCS Socket-2/);
    await page.keyboard.press("Shift+}");
    await expect.poll(() => page.getByRole("heading", { level: 2, name: /Build/ }).isVisible()).toBe(true);
    await expect.poll(() => socket(page, "Socket-5").textContent()).toContain("1×");
    await page.keyboard.press("f");
    await says(page, "Completed");
  });

  it("[W14] scrubbing goes to every event, and a bar to its visit", async () => {
    const { page } = await finished();
    const slider = page.getByLabel("Moment of the cast");
    await slider.focus();
    await page.keyboard.press("Home");
    await expect.poll(() => slider.getAttribute("aria-valuetext")).toMatch(/^event 1 of \d+/);
    await expect.poll(() => socket(page, "Socket-1").textContent()).toContain("–");
    await page.getByRole("button", { name: /^Auto-Eval, item 1, .* not satisfied$/ }).press("Enter");
    await says(page, "Auto-Eval Socket-6 · visit 1");
    await expect.poll(() => socket(page, "Socket-7").textContent()).toContain("–");
  });

  it("[W15, W49] a visit is read: output and tools, prompt, handoff, route", async () => {
    const { page } = await finished();
    await page
      .getByRole("button", { name: /^Build, item 1, / })
      .first()
      .press("Enter");
    await says(page, "a.txt");
    await page.keyboard.press("2");
    await says(page, /Add a greeting/);
    await page.keyboard.press("3");
    await says(page, "write");
    await page.getByRole("button", { name: /^Auto-Eval, item 1, .* not satisfied$/ }).press("Enter");
    await page.keyboard.press("4");
    await says(page, "The reply was only the JSON object.");
    await page.keyboard.press("5");
    await says(page, /not taken, satisfied was false/);
    await page.getByRole("button", { name: "Next visit" }).click();
    await says(page, /There is no test/);
  });

  it("[W15] tokens by materia and by item, and the journal itself", async () => {
    const { page } = await finished();
    await page.getByRole("tab", { name: "Cost" }).click();
    await expect.poll(() => page.getByRole("row", { name: /^Build/ }).isVisible()).toBe(true);
    await expect.poll(() => page.getByRole("listitem").filter({ hasText: "Item 2:" }).first().isVisible()).toBe(true);
    await page.getByRole("tab", { name: /Journal/ }).click();
    await page
      .getByRole("button", { name: /visit_completed/ })
      .first()
      .click();
    await says(page, /At \d/);
  });

  it("[W16, W43] aborts after asking, and only then offers to resume", async () => {
    const at = await served();
    const id = await begin(at, { ...REPLIES, Build: [NO_REPLY] });
    const { page } = await look(at, `casts/${id}`);
    await page.locator('[data-part="socket Socket-5"][aria-current="step"]').waitFor();
    const resume = page.getByRole("button", { name: "Resume" });
    expect(await resume.count()).toBe(0);
    await page.getByRole("button", { name: "Abort…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Abort" }).click();
    await says(page, "Aborted here");
    await says(page, /^Aborted \d/);
    await expect.poll(() => page.getByRole("button", { name: /^Build, item 1, .* aborted$/ }).count()).toBe(1);
    // Limits are read and written in units.
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Raise a limit…" }).click();
    const dialog = page.getByRole("dialog", { name: "Limits of the cast" });
    expect(await dialog.getByLabel("Token limit").inputValue()).toBe("10 M");
    await dialog.getByLabel("Token limit").fill("12.5 m");
    await dialog.getByText(/ --budget 12500000$/).waitFor();
    await dialog.getByLabel("Token limit").fill("much");
    await dialog.getByText("Write an amount such as 200 k or 10 M, or nothing").first().waitFor();
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Discard it" }).click();
    await resume.click();
    await page.locator('[data-part="socket Socket-5"][aria-current="step"]').waitFor();
  });

  it("[W16, W43, W44] a limit that was reached has its choices beside the reason, and the cast goes on", async () => {
    const at = await served();
    const never = { json: { satisfied: false, context: "Still no test." } };
    const id = await begin(at, {
      ...REPLIES,
      "Auto-Eval": [never, never, never, never, { json: { satisfied: true } }],
    });
    await ended(at, id);
    const { page } = await look(at, `casts/${id}`);
    await says(page, "Failed here");
    await says(page, /3 of 3 times/);
    const choices = page.getByRole("group", { name: "Choices" }).getByRole("button");
    expect(await choices.allTextContents()).toEqual([
      "Allow one more",
      "Try again with a hint…",
      "Accept the result",
      "Skip this item",
    ]);
    expect(await page.getByRole("button", { name: "Resume" }).count()).toBe(0);
    // On a phone none of them is cut off.
    await page.setViewportSize({ width: 360, height: 780 });
    const isInSight = `(() => {
      const button = [...document.querySelectorAll("[aria-label=Choices] button")].at(-1);
      const { x, y, width, height } = button.getBoundingClientRect();
      return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    })()`;
    await expect.poll(() => page.evaluate<boolean>(isInSight)).toBe(true);
    await page.setViewportSize({ width: 1440, height: 900 });
    await choices.first().click();
    await says(page, "Completed");
    // [W44] The result comes first.
    await page.getByRole("region", { name: "Result" }).getByText("All done.").waitFor();
    await page.getByText("Auto-Eval 2×").waitFor();
  });

  it("[W16] an agent that waits is answered, then taken at its word", async () => {
    const at = await served();
    const replies = {
      "Interactive-Plan": [{ text: "Which colour?" }, { json: { workItems: [{ title: "Paint it", context: "" }] } }],
      "Context-Check": [{ text: "fine" }],
    };
    const id = await begin(at, replies, { loadout: "Planning-Consult" });
    const { page } = await look(at, `casts/${id}`);
    await says(page, "Waiting for you");
    await says(page, "Which colour?");
    await page.getByRole("button", { name: "Answer…" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("blue");
    await page.getByRole("dialog").getByRole("button", { name: "Answer" }).click();
    await says(page, /Paint it/);
    await page.getByRole("button", { name: "Answer…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Accept the result and continue" }).click();
    await says(page, "Completed");
  });

  it("[W17] a cast goes on behind the last event that the page knows", async () => {
    const at = await served();
    const id = await begin(at, { ...REPLIES, Build: [NO_REPLY] });
    const { page, complaints } = await look(at, `casts/${id}`);
    await page.locator('[data-part="socket Socket-5"][aria-current="step"]').waitFor();
    await at.stop();
    await says(page, "Reconnecting…");
    const again = await served(at, at.port);
    await says(page, "Live");
    await again.send("/api/commands", { command: `recast ${id}` });
    await says(page, /resumed by|Running|Now/);
    // The server was gone for a while; that a visit that was cut off has not written all its files is no complaint.
    expect(complaints.filter((text) => !text.includes("ERR_"))).toEqual([]);
  });

  it("[W21] a journal that is damaged while it is watched: said once, with what to do, and not asked for again", async () => {
    const { page, at, id } = await finished();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    appendFileSync(join(at.root, id, "journal.jsonl"), "{ no event\n");
    await says(page, /of the journal is damaged/);
    await says(page, `materia doctor ${id}`);
    await says(page, "Completed");
    expect(await page.getByText("Reconnecting…").count()).toBe(0);
    // A second look, and a page that is opened only now.
    const again = await look(at, `casts/${id}`);
    await says(again.page, `materia doctor ${id}`);
    await expect.poll(() => again.page.getByText(/of the journal is damaged/).count()).toBe(1);
    expect(asked.filter((url) => url.endsWith("/events"))).toEqual([]);
  });

  it("[W21] a message that cannot be read is shown as a problem", async () => {
    const at = await served();
    const id = await begin(at);
    await ended(at, id);
    const { page } = await look(at);
    await page.route("**/events", (route) =>
      route.fulfill({ contentType: "text/event-stream", body: 'event: weather\ndata: {"rain":true}\n\n' }),
    );
    await page.evaluate((hash) => (location.hash = hash), `#/casts/${id}`);
    await says(page, "the server sent a message that this page does not know");
    await expect.poll(() => socket(page, "Socket-5").textContent()).toContain("3×");
  });

  it("[W51] the tab Prompt shows the parts of what was sent, and what a cache can reuse", async () => {
    const { page } = await finished();
    await socket(page, "Socket-5").click();
    await page.keyboard.press("2");
    const prompt = page.getByRole("region", { name: "Prompt" });
    await prompt.getByText(/^Tools: [\d.]+ tokens, 100 % from a cache$/).waitFor();
    await prompt.getByText(/^Current item: \d+ tokens/).waitFor();
    expect(await prompt.textContent()).toContain("Add a greeting");
  });

  it("[W22] a file that is not written yet is waited for", async () => {
    const at = await served();
    const id = await begin(at, { ...REPLIES, Build: [NO_REPLY] });
    const { page, complaints } = await look(at);
    let asked = 0;
    await page.route("**/prompt.md**", (route) => {
      asked += 1;
      return asked < 3 ? route.fulfill({ status: 204 }) : route.continue();
    });
    await page.evaluate((hash) => (location.hash = hash), `#/casts/${id}`);
    await page.locator('[data-part="socket Socket-5"][aria-current="step"]').waitFor();
    await page.keyboard.press("2");
    await says(page, /Add a greeting/);
    expect(await page.getByText("Nothing was kept").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("[W18] the graph has one tab stop: arrows along the rail and to lanes, E through edges, Enter reads", async () => {
    const { page } = await finished();
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset["part"]);
    await socket(page, "Socket-1").focus();
    for (const next of [2, 3, 9, 4, 5, 6]) {
      await page.keyboard.press("ArrowDown");
      await expect.poll(focused).toBe(`socket Socket-${next}`);
    }
    await page.keyboard.press("ArrowRight");
    await expect.poll(focused).toBe("edge edge:Socket-6:2");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(focused).toBe("socket Socket-6");
    await page.keyboard.press("e");
    await expect.poll(focused).toBe("edge edge:Socket-6:1");
    await page.keyboard.press("Escape");
    await expect.poll(focused).toBe("socket Socket-6");
    await page.keyboard.press("Enter");
    await says(page, "Auto-Eval Socket-6 · visit 3");
    await expect.poll(() => page.locator('[data-graph] [tabindex="0"]').count()).toBe(1);
  });
});
