import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { project } from "../webserver/harness.ts";
import { expectSound } from "./axe.ts";
import { look, says, served, socket, withPages } from "./cast-page.ts";

withPages();

const CONFIG = { materia: { Reader: { tools: "readOnly", prompt: "Read and report." } } };

/** The draft with this change of its socket. */
function drafted(change: object): { status: number; body: object } {
  const sockets = { "Socket-1": { materia: "Reader", ...change } };
  const config = { ...CONFIG, loadouts: { "Read-It": { entry: "Socket-1", sockets } } };
  return { status: 200, body: { code: 0, text: "", data: { name: "Read-It", config } } };
}

it("[YD3, YD14, YD15] words become a draft on the canvas as unsaved changes, and it is explained", async () => {
  const from = project();
  const { page } = await look(await served(from), "loadouts/Full-Auto");
  await socket(page, "Socket-1").waitFor();
  // A stand-in for the model: it refuses once, then drafts.
  const issue = { severity: "error", code: "cannot_draft", path: [], message: "a loadout has no hands" };
  const answers = [
    { status: 422, body: { issues: [issue] } },
    drafted({}),
    drafted({ edges: [{ when: "always", to: "end" }] }),
    drafted({}),
  ];
  await page.route("**/api/commands", (route) => {
    if (!route.request().postData()?.includes('"kind":"draft"')) return route.continue();
    const { status = 500, body = {} } = answers.shift() ?? {};
    return route.fulfill({ status, contentType: "application/json", body: JSON.stringify(body) });
  });
  await page.getByRole("button", { name: "Describe…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "What should be done" }).fill("Read the code and report");
  await dialog.getByRole("button", { name: "Draft" }).click();
  await says(page, "a loadout has no hands");
  await expectSound(page);
  await dialog.getByRole("button", { name: "Draft" }).click();
  await page.getByRole("heading", { name: "Read-It" }).first().waitFor();
  await says(page, "No problems in 1 socket.");
  await says(page, "not saved yet");
  expect(existsSync(join(from.cwd, ".pi/pi-materia.json"))).toBe(false);
  await page.getByRole("button", { name: /^Rename, duplicate/ }).click();
  await page.getByRole("menuitem", { name: "Explain…" }).click();
  await says(page, "It ends after Reader.");
  await says(page, "runs no program · no agent writes files");
  await page.keyboard.press("Escape");
  // Further words are one step, which undo takes back.
  await page.getByRole("button", { name: "Describe…" }).click();
  await dialog.getByRole("combobox", { name: "Begin with" }).selectOption("Read-It");
  await dialog.getByRole("textbox", { name: "What should be done" }).fill("End it");
  await dialog.getByRole("button", { name: "Draft" }).click();
  await page.getByRole("button", { name: "Undo: Change by words" }).click();
  await page.getByRole("button", { name: "Cast…" }).click();
  await says(page, "runs no program · no agent writes files");
  await page.keyboard.press("Escape");
  // One materia by words.
  await page.goto(`${page.url().replace(/#.*/, "")}#/materia/Build`);
  await page.getByRole("button", { name: "Describe…" }).click();
  await dialog.getByRole("textbox", { name: "What it should do" }).fill("A reader");
  await dialog.getByRole("button", { name: "Draft" }).click();
  await page.getByRole("heading", { name: "Reader", exact: true }).first().waitFor();
  expect(await page.getByRole("textbox", { name: "Prompt" }).inputValue()).toBe("Read and report.");
});
