import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { parseJsonc } from "../../src/core/edit/json-edit.ts";
import { project, type Project } from "../webserver/harness.ts";
import { look, says, served, socket, withPages } from "./cast-page.ts";

withPages();

const FILE = ".pi/pi-materia.json";

function config(description: string, active = "Own"): object {
  const sockets = { "Socket-1": { materia: "Build" } };
  return {
    activeLoadout: active,
    loadouts: { Own: { description, entry: "Socket-1", sockets }, Other: { entry: "Socket-1", sockets } },
  };
}

function withFile(): Project {
  const from = project();
  from.write(FILE, JSON.stringify(config("first"), undefined, 2));
  return from;
}

function filed(from: Project): { activeLoadout?: string; loadouts: Record<string, { description?: string }> } {
  const read = parseJsonc(readFileSync(join(from.cwd, FILE), "utf8"));
  if (!read.ok) throw new Error("the file is broken");
  return read.value.value as ReturnType<typeof filed>; // what the page wrote
}

async function menu(page: Page, item: string): Promise<void> {
  await page.getByRole("button", { name: "Rename, duplicate, import, export, delete" }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

async function addMaintain(page: Page): Promise<void> {
  await socket(page, "Socket-1").waitFor();
  await page.keyboard.press("a");
  await page.keyboard.type("Maintain");
  await page.keyboard.press("Enter");
  await socket(page, "Socket-2").waitFor();
}

describe("a file that changes elsewhere", () => {
  it("[E24, N10] is shown at once where nothing was done to it, and said at once where something was", async () => {
    const from = withFile();
    const at = await served(from);
    const { page } = await look(at, "loadouts/Own");
    await socket(page, "Socket-1").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    from.write(FILE, config("second"));
    await expect.poll(() => page.getByRole("textbox", { name: "Description" }).inputValue()).toBe("second");
    await addMaintain(page);
    from.write(FILE, config("third"));
    await says(page, "Own changed in its file while you edit it.");
    await page.getByRole("button", { name: "Compare and choose…" }).click();
    const row = page.getByRole("row").filter({ hasText: "description" });
    await expect.poll(() => row.getByRole("cell").allInnerTexts()).toEqual(["second", "third", "second", "theirs"]);
    await page.getByRole("button", { name: "Take both" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await socket(page, "Socket-2").focus();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("textbox", { name: "Description" }).inputValue()).toBe("third");
    await socket(page, "Socket-2").waitFor();
    await page.keyboard.press("Control+s");
    // The same keys that led to the review lead on to the save.
    await page.getByRole("button", { name: "Save", exact: true }).waitFor();
    await expect.poll(() => page.getByRole("region", { name: "Difference in the file" }).count()).toBe(1);
    await page.keyboard.press("Control+s");
    await says(page, "Own is saved.");
    expect(filed(from).loadouts["Own"]).toMatchObject({ description: "third", sockets: { "Socket-2": {} } });
  });
});

describe("the active loadout", () => {
  it("[E25] follows a rename, is chosen in the page, and one that is deleted is not named any more", async () => {
    const from = withFile();
    const at = await served(from);
    const { page } = await look(at, "loadouts/Own");
    await socket(page, "Socket-1").waitFor();
    await menu(page, "Rename…");
    await page.getByRole("textbox", { name: "Name" }).fill("Renamed");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Renamed" }).first().waitFor();
    await page.keyboard.press("Control+s");
    await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
    await says(page, "Renamed is saved.");
    expect(filed(from).activeLoadout).toBe("Renamed");
    await page.goto(`http://127.0.0.1:${at.port}/#/loadouts/Other`);
    await page.getByRole("heading", { name: "Other" }).first().waitFor();
    await menu(page, "Make active");
    await says(page, "Other is the active loadout now.");
    expect(filed(from).activeLoadout).toBe("Other");
    await menu(page, "Delete…");
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await says(page, "Other is deleted.");
    expect(filed(from)).toEqual({ loadouts: { Renamed: expect.anything() } });
    await page.getByRole("heading", { name: "Full-Auto" }).first().waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).last().click();
    await page.getByRole("heading", { name: "Other" }).first().waitFor();
    await says(page, "not saved yet");
  });

  it("[E25] one that is not there leads to the others", async () => {
    const from = project();
    from.write(FILE, config("x", "Nowhere"));
    const { page } = await look(await served(from), "loadouts");
    await page.getByRole("navigation", { name: "Loadouts" }).waitFor();
  });
});

describe("taking something away", () => {
  it("[E26] can be undone from where it happened", async () => {
    const from = withFile();
    const { page } = await look(await served(from), "loadouts/Own");
    await addMaintain(page);
    await socket(page, "Socket-2").focus();
    await page.keyboard.press("Delete");
    await socket(page, "Socket-2").waitFor({ state: "detached" });
    await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
    await socket(page, "Socket-2").waitFor();
  });
});
