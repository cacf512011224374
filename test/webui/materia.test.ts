import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { project } from "../webserver/harness.ts";
import { look, says, served, socket, withPages } from "./cast-page.ts";

withPages();

const FILE = ".pi/pi-materia.json";

describe("materia in the browser", () => {
  it("[E27] a gate is made with its command in fields, renamed with the sockets that hold it, and deleted", async () => {
    const from = project();
    const user = "../config/pi/pi-materia/materia.json";
    from.write(user, { loadouts: { Elsewhere: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Old" } } } } });
    from.write(FILE, {
      materia: { Old: { type: "agent", prompt: "x" } },
      loadouts: { Own: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Old" } } } },
    });
    const at = await served(from);
    const { page } = await look(at, "materia/Old");
    const filed = (): { materia: Record<string, unknown>; loadouts: object } =>
      JSON.parse(readFileSync(join(from.cwd, FILE), "utf8")) as ReturnType<typeof filed>; // what the page wrote
    const menu = async (item: string): Promise<void> => {
      await page.getByRole("button", { name: "Rename, duplicate, export, delete" }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    const save = async (): Promise<void> => {
      await page.getByRole("button", { name: "Review and save…" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await page.getByRole("heading", { name: "Old" }).waitFor();
    await menu("Rename…");
    await page.getByRole("textbox", { name: "Name" }).fill("New");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "New" }).waitFor();
    await save();
    expect(filed()).toEqual({
      materia: { New: { type: "agent", prompt: "x" } },
      loadouts: { Own: { entry: "Socket-1", sockets: { "Socket-1": { materia: "New" } } } },
    });
    await says(page, "Old is renamed to New in the user file too.");
    expect(readFileSync(join(from.cwd, user), "utf8")).toContain('"materia":"New"');
    await menu("New materia…");
    await page.getByRole("button", { name: "Gate", exact: true }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Checks");
    await page.keyboard.press("Enter");
    const words = page.getByRole("group", { name: "Command" });
    await words.getByRole("textbox", { name: "Argument 1" }).fill("run it");
    await words.getByRole("button", { name: "Add an argument" }).click();
    await words.getByRole("textbox", { name: "Argument 2" }).fill("--all");
    await page.getByRole("textbox", { name: "Environment variables" }).pressSequentially("CI, DEBUG");
    // [E29] Its time-out has a unit; what cannot be read is not written.
    const timeOut = page.getByRole("textbox", { name: "Time-out" });
    await timeOut.fill("soon");
    await says(page, "Write a time such as 30 s or 15 min, or nothing");
    await timeOut.fill("2m");
    await save();
    expect(await timeOut.inputValue()).toBe("2 min");
    const command = ["npm", "run it", "--all"];
    const made = { type: "utility", gate: true, command, timeoutMs: 120_000, env: ["CI", "DEBUG"] };
    expect(filed().materia["Checks"]).toEqual(made);
    await menu("Delete…");
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await says(page, "Checks is deleted.");
    expect(Object.keys(filed().materia)).toEqual(["New"]);
    await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "Checks" }).waitFor();
  });

  it("[YP15] an agent is given a sandbox of the user, and names of skills", async () => {
    const from = project();
    from.write("../config/pi/pi-materia/materia.json", { sandboxes: { strict: { command: ["bwrap"] } } });
    from.write(FILE, { materia: { Build: { type: "agent", prompt: "x" } } });
    const { page } = await look(await served(from), "materia/Build");
    await page.getByRole("combobox", { name: "Sandbox" }).selectOption("strict");
    await page.getByRole("textbox", { name: "Skills" }).pressSequentially("release, plan");
    await page.getByRole("button", { name: "Review and save…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { materia } = JSON.parse(readFileSync(join(from.cwd, FILE), "utf8")) as { materia: object };
    expect(materia).toEqual({ Build: { type: "agent", prompt: "x", sandbox: "strict", skills: ["release", "plan"] } });
  });

  it("[E16] an import brings the materia that its loadout needs, and saves them with it", async () => {
    const from = project();
    const { page } = await look(await served(from), "loadouts/Full-Auto");
    await socket(page, "Socket-1").waitFor();
    await page.getByRole("button", { name: "Rename, duplicate, import, export, delete" }).click();
    await page.getByRole("menuitem", { name: "Import…" }).click();
    const text = JSON.stringify({
      materia: { Special: { type: "agent", prompt: "y" }, Unused: { type: "agent", prompt: "z" } },
      loadouts: { Brought: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Special" } } } },
    });
    await page.getByRole("dialog").getByRole("textbox").last().fill(text);
    await says(page, "comes with Special");
    await page.getByRole("dialog").getByRole("button", { name: "Import", exact: true }).click();
    await page.getByRole("heading", { name: "Brought" }).first().waitFor();
    await says(page, "No problems in 1 socket.");
    await page.keyboard.press("Control+s");
    await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
    await says(page, "Brought is saved.");
    const filed = JSON.parse(readFileSync(join(from.cwd, FILE), "utf8")) as { materia: object }; // what the page wrote
    expect(Object.keys(filed.materia)).toEqual(["Special"]);
  });
});
