import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openPage, socket, withBrowser } from "./editor-page.ts";

withBrowser();

const FORK = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": {
      materia: "Auto-Eval",
      parse: "text",
      edges: [
        { when: "satisfied", to: "Socket-2" },
        { when: "not_satisfied", to: "Socket-3" },
      ],
    },
    "Socket-2": { materia: "Narrate" },
    "Socket-3": { materia: "Build" },
  },
};
const FILES = {
  ".pi/pi-materia.json": {
    loadouts: {
      Fork: FORK,
      Split: { ...FORK, sockets: { ...FORK.sockets, "Socket-1": { ...FORK.sockets["Socket-1"], parse: "json" } } },
    },
  },
};

async function faults(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])
    .analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

async function addTarget(page: Page, text: string): Promise<void> {
  const field = page.getByRole("combobox", { name: "Add a target" });
  await field.fill(text);
  await field.press("Enter");
}

describe.each(["light", "dark"] as const)("[E22] no axe violation, %s", (theme) => {
  it("[E22] loadouts: with problems, an inspector, the JSON and a review", async () => {
    const { page } = await openPage("loadouts/Fork", { files: FILES, theme });
    await socket(page, "Socket-1").click();
    expect(await faults(page)).toEqual([]);
    await page.getByRole("tab", { name: "JSON" }).click();
    expect(await faults(page)).toEqual([]);
    await page.getByRole("button", { name: "Set parse to json" }).first().click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+s");
    await page.getByRole("region", { name: "Difference in the file" }).waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it("[E22] materia", async () => {
    const { page } = await openPage("materia/Build", { files: FILES, theme });
    await page.getByRole("textbox", { name: "Prompt" }).waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it("[E22] link: empty, composed, refused and rehearsed", async () => {
    const { page } = await openPage("link", { files: FILES, theme });
    await page.getByRole("combobox", { name: "Add a target" }).waitFor();
    expect(await faults(page)).toEqual([]);
    await addTarget(page, "materia:Planner");
    await addTarget(page, "materia:Build");
    await page.getByRole("textbox", { name: "Request" }).fill("Do it");
    await page.getByText("Composes").waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole("button", { name: "Rehearse…" }).click();
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Clear" }).click();
    await addTarget(page, "loadout:Split");
    await addTarget(page, "loadout:Full-Auto");
    await page.getByText("Refused", { exact: true }).waitFor();
    expect(await faults(page)).toEqual([]);
  });
});

describe("[E22] small screens", () => {
  it("[E22] the editor with its sheets at 390 pixels", async () => {
    const { page } = await openPage("loadouts/Fork", { files: FILES, width: 390 });
    await socket(page, "Socket-1").click();
    await page.getByRole("dialog").getByRole("heading", { name: "Socket-1" }).waitFor();
    expect(await faults(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  });
});

describe("[E18] a link from the page", () => {
  it("[E18] shows its stitches and its command, and runs rehearsed", async () => {
    const { page } = await openPage("link", { files: FILES });
    await addTarget(page, "materia:Context-Check");
    await addTarget(page, "materia:Narrate");
    await page.getByRole("textbox", { name: "Request" }).fill("Tell it");
    await page.getByText("/materia link materia:Context-Check materia:Narrate -- Tell it").waitFor();
    await page.getByText("2 sockets, 1 stitch").waitFor();
    await page.getByRole("listitem", { name: /^2, materia:Narrate/ }).focus();
    await page.keyboard.press("Alt+ArrowUp");
    await page.getByText("/materia link materia:Narrate materia:Context-Check -- Tell it").waitFor();
    await page.getByRole("button", { name: "Rehearse…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rehearse", exact: true }).click();
    // The project brought its own file, and nothing of it runs unasked.
    await page.getByRole("dialog").getByRole("button", { name: "Trust this project" }).click();
    await page.waitForURL(/#\/casts\//);
    await expect.poll(() => page.getByText("Completed").count(), { timeout: 120_000 }).toBeGreaterThan(0);
  });
});

describe("[E19] the prompt preview", () => {
  it("[E19] follows the prompt as it is typed, and the change is saved", async () => {
    const { page } = await openPage("materia/Build", { files: FILES });
    const prompt = page.getByRole("textbox", { name: "Prompt" });
    await prompt.fill("Build {{request}} with {{nothing}}");
    await page.getByText("Nothing fills {{nothing}}").waitFor();
    await page.getByRole("textbox", { name: "Request of the preview" }).fill("a bridge");
    await expect.poll(() => page.getByLabel("Instructions").textContent()).toContain("Build a bridge with");
    await page.keyboard.press("Control+s");
    await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Build is saved.").waitFor();
  });
});
