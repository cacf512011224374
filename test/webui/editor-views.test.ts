import { describe, expect, it } from "vitest";
import { SMALL, expectSound } from "./axe.ts";
import { chooseTargets, socket, withPages } from "./cast-page.ts";
import { openPage } from "./editor-page.ts";

withPages();

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

describe("[E22] no axe violation, light and dark", () => {
  it("[E22] loadouts: with problems, an inspector, the JSON and a review", async () => {
    const { page } = await openPage("loadouts/Fork", { files: FILES });
    await socket(page, "Socket-1").click();
    await expectSound(page);
    await page.getByRole("tab", { name: "JSON" }).click();
    await expectSound(page);
    await page.getByRole("button", { name: "Set parse to json" }).first().click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+s");
    await page.getByRole("region", { name: "Difference in the file" }).waitFor();
    await expectSound(page);
  });

  it("[E22] materia", async () => {
    const { page } = await openPage("materia/Build", { files: FILES });
    await page.getByRole("textbox", { name: "Prompt" }).waitFor();
    await expectSound(page);
  });

  it("[E22] a new cast: one loadout, a chain, a refused one and its rehearsal", async () => {
    const { page } = await openPage("casts?new=", { files: FILES });
    await page.getByRole("dialog").getByRole("combobox", { name: "Loadout" }).waitFor();
    await expectSound(page);
    await chooseTargets(page, "materia:Planner", "materia:Build");
    await page.getByRole("textbox", { name: "Request" }).fill("Do it");
    await page.getByText("2 sockets, 1 stitch").waitFor();
    await expectSound(page);
    await page.getByRole("button", { name: "Rehearse…" }).click();
    await expectSound(page);
    await page.keyboard.press("Escape");
    await chooseTargets(page, "loadout:Split", "loadout:Full-Auto");
    await page.getByText("cannot be joined: 2 ends").waitFor();
    await expectSound(page);
  });
});

describe("[E22] small screens", () => {
  it("[E22] the editor with its sheets at 390 pixels", async () => {
    const { page } = await openPage("loadouts/Fork", { files: FILES, width: 390 });
    await socket(page, "Socket-1").click();
    await page.getByRole("dialog").getByRole("heading", { name: "Socket-1" }).waitFor();
    await expectSound(page, [SMALL]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  });
});

describe("[E18] a chain from the page", () => {
  it("[E18] shows its stitches and its command, and runs rehearsed", async () => {
    const { page } = await openPage("casts?new=", { files: FILES });
    await chooseTargets(page, "materia:Context-Check", "materia:Narrate");
    await page.getByRole("textbox", { name: "Request" }).fill("Tell it");
    await page.getByText("/materia link materia:Context-Check materia:Narrate -- Tell it").waitFor();
    await page.getByText("2 sockets, 1 stitch").waitFor();
    await page.getByRole("combobox", { name: "Target 2" }).focus();
    await page.keyboard.press("Alt+ArrowUp");
    await page.getByText("/materia link materia:Narrate materia:Context-Check -- Tell it").waitFor();
    await page.getByRole("button", { name: "Rehearse…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rehearse", exact: true }).click();
    // The project brought its own file, and nothing of it runs unasked.
    await page.getByRole("dialog").getByRole("button", { name: "Trust this project" }).click();
    await page.waitForURL(/#\/casts\//);
    await expect.poll(() => page.getByText("Completed").count()).toBeGreaterThan(0);
  });
});

describe("[E19] the prompt preview", () => {
  it("[E19] follows the prompt as it is typed, and the change is saved", async () => {
    const { page } = await openPage("materia/Build", { files: FILES });
    const prompt = page.getByRole("textbox", { name: "Prompt" });
    await prompt.fill("Build {{request}} with {{nothing}}");
    await page.getByText("No value for {{nothing}}").waitFor();
    await page.getByRole("textbox", { name: "Request of the preview" }).fill("a bridge");
    await expect.poll(() => page.getByLabel("Instructions").textContent()).toContain("Build a bridge with");
    await page.keyboard.press("Control+s");
    await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Build is saved.").waitFor();
  });
});
