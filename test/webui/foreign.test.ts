import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ended } from "../webserver/harness.ts";
import { begin, look, says, served, withPages, type ServedCast } from "./cast-page.ts";

withPages();

const CONFIG = {
  materia: { Bad: { type: "utility", command: ["sh", "-c", "echo ran >> bad; exit 1"] } },
  loadouts: { Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Bad" } } } },
};

/** A cast that failed, and of which this user's machine knows nothing any more. */
async function planted(): Promise<{ readonly at: ServedCast; readonly castId: string }> {
  const at = await served();
  at.write("../config/pi/pi-materia/materia.json", CONFIG);
  const castId = await begin(at, {}, { loadout: "Main", prompt: "Clean up" });
  await ended(at, castId);
  rmSync(join(at.cwd, "..", "config", "pi", "pi-materia", "casts"), { recursive: true });
  rmSync(join(at.cwd, "bad"));
  return { at, castId };
}

it("[S13, S15] the page marks a foreign cast, shows all that it would run, and runs it only after trust", async () => {
  const { at, castId } = await planted();
  const { page, complaints } = await look(at, `casts/${castId}`);
  await says(page, "Started elsewhere");
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Trust this cast?" });
  await dialog.getByText("sh -c echo ran >> bad; exit 1").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(existsSync(join(at.cwd, "bad"))).toBe(false);
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await dialog.getByRole("button", { name: "Trust this cast and resume" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => existsSync(join(at.cwd, "bad")), { timeout: 120_000 }).toBe(true);
  // The refusal is an answer of the server that a browser reports by itself.
  expect(complaints.filter((text) => !text.includes("409"))).toEqual([]);
});

it("[S14, S15] resuming a foreign cast in a dialog shows all that it would run, and offers trust", async () => {
  const { at, castId } = await planted();
  const { page } = await look(at, `casts/${castId}`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Raise a limit…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Raise and resume" }).click();
  await dialog.getByText("sh -c echo ran >> bad; exit 1").waitFor();
  expect(existsSync(join(at.cwd, "bad"))).toBe(false);
  await dialog.getByRole("button", { name: "Trust this cast and resume" }).click();
  await dialog.waitFor({ state: "detached" });
});
