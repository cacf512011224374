import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { parseJsonc } from "../../src/core/edit/json-edit.ts";
import { project } from "../webserver/harness.ts";
import { look, served, type Look, type Seen, type ServedCast } from "./cast-page.ts";

export interface OpenEditor extends Seen {
  readonly at: ServedCast;
  readonly cwd: string;
}

/** The real server on a new project with these files, and a page on one of its places (`loadouts/Full-Auto`). */
export async function openPage(
  place: string,
  { files = {}, ...view }: Look & { readonly files?: Readonly<Record<string, unknown>> } = {},
): Promise<OpenEditor> {
  const from = project();
  for (const [name, content] of Object.entries(files)) from.write(name, content);
  const at = await served(from);
  return { ...(await look(at, place, view)), at, cwd: from.cwd };
}

const FILE = ".pi/pi-materia.json";

/** A loadout as the project's file has it now. */
export function filed(cwd: string, name: string): unknown {
  const read = parseJsonc(readFileSync(join(cwd, FILE), "utf8"));
  if (!read.ok) throw new Error(read.issues[0]?.message);
  const { loadouts } = read.value.value as { loadouts: Readonly<Record<string, unknown>> }; // what the page wrote
  return loadouts[name];
}

/** Reviews the difference and saves. */
export async function save(page: Page): Promise<void> {
  await page.keyboard.press("Control+s");
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  // It closes once the file is written.
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** Rehearses what is open with made-up replies and waits for the end of the cast. */
export async function rehearse(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Rehearse…" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /ehearse$/ })
    .click();
  await page.getByRole("link", { name: "Open it as a cast" }).click();
  await expect.poll(() => page.getByText("Completed").count()).toBeGreaterThan(0);
}
