import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { parseJsonc } from "../../src/core/edit/text/parse.ts";
import { PROGRAM, envOf, newPlace } from "../harness/cli.ts";
import { launchBrowser } from "./browser.ts";
import { builtClient } from "./built-client.ts";

let browser: Browser | undefined;
const servers: ChildProcess[] = [];

/** A browser for the tests of this file, and the client built from the sources. */
export function withBrowser(): void {
  beforeAll(async () => {
    await builtClient();
    browser = await launchBrowser();
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    for (const server of servers.splice(0)) server.kill();
  });
}

export interface Opened {
  readonly page: Page;
  readonly cwd: string;
  /** Everything the page complained about. */
  readonly complaints: readonly string[];
}

/** The real server on a new project, and a page on one of its places (`loadouts/Full-Auto`). */
export async function openPage(
  place: string,
  {
    files = {},
    theme = "light",
    width = 1440,
  }: {
    readonly files?: Readonly<Record<string, unknown>>;
    readonly theme?: "light" | "dark";
    readonly width?: number;
  } = {},
): Promise<Opened> {
  const cwd = newPlace(files);
  execFileSync("git", ["init", "-q"], { cwd });
  const url = await serverOf(cwd);
  const context = await browser?.newContext({ viewport: { width, height: 900 }, colorScheme: theme });
  const page = await context?.newPage();
  if (!page) throw new Error("there is no browser");
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // A file that is not there yet is asked for, and the browser notes the 404 by itself.
    if (message.type() === "error" && !message.text().includes("404")) complaints.push(message.text());
  });
  await page.goto(`${url}#/${place}`);
  return { page, cwd, complaints };
}

async function serverOf(cwd: string): Promise<string> {
  const temporary = mkdtempSync(join(tmpdir(), "materia-ui-"));
  const env = { ...envOf(cwd), TMPDIR: temporary };
  const server = spawn(process.execPath, [PROGRAM, "ui", "--cwd", cwd], { env });
  servers.push(server);
  let said = "";
  return new Promise((resolve, reject) => {
    const hear = (part: Buffer): void => {
      said += part.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(said)?.[0];
      if (url !== undefined) resolve(url);
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.on("exit", () => reject(new Error(said)));
  });
}

const FILE = ".pi/pi-materia.json";

/** A loadout as the project's file has it now. */
export function filed(cwd: string, name: string): unknown {
  const read = parseJsonc(readFileSync(join(cwd, FILE), "utf8"));
  if (!read.ok) throw new Error(read.issues[0]?.message);
  const { loadouts } = read.value.value as { loadouts: Readonly<Record<string, unknown>> }; // what the page wrote
  return loadouts[name];
}

export function socket(page: Page, id: string): Locator {
  return page.locator(`[data-part="socket ${id}"]`);
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
  await page.waitForURL(/#\/casts\//);
  await expect.poll(() => page.getByText("Completed").count(), { timeout: 120_000 }).toBeGreaterThan(0);
}
