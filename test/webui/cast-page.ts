import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { beforeAll, onTestFinished } from "vitest";
import { startHttpServer } from "../../src/apps/server/http-server.ts";
import { TOKEN, project, site, type Project, type Site } from "../webserver/harness.ts";
import { connectBrowser } from "./browser.ts";
import { builtClient } from "./built-client.ts";
import { slowed } from "./slow-page.ts";

export const ASSETS = join(fileURLToPath(new URL("../..", import.meta.url)), "dist/web");

let browser: Browser | undefined;

/** The browser of all tests, and the client built from the sources. Each page has its own context. */
export function withPages(): void {
  beforeAll(async () => {
    await builtClient();
    // One that has crashed is started again.
    if (!browser?.isConnected()) browser = await connectBrowser();
  });
}

export interface ServedCast extends Site {
  readonly url: string;
  /** As if the process had ended; casts of it are stopped. */
  readonly stop: () => Promise<void>;
  readonly port: number;
}

/** The real server on a project; the port of one before it can be taken again. */
export async function served(from: Project = project(), port = 0, token = TOKEN): Promise<ServedCast> {
  let listening = port;
  const at = site(from, { assets: ASSETS, port: () => listening, token });
  const serving = await startHttpServer(at.app, port);
  if (!serving.ok) throw new Error(serving.issues[0]?.message);
  listening = serving.value.port;
  let isOpen = true;
  const stop = async (): Promise<void> => {
    if (isOpen) await serving.value.close(at.runs.stop);
    isOpen = false;
  };
  onTestFinished(stop);
  const origin = `http://127.0.0.1:${listening}`;
  const ask: Site["ask"] = (path, { headers = {}, ...init } = {}) =>
    fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers }, ...init });
  const send: Site["send"] = (path, body) =>
    ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return { ...at, ask, send, url: `${origin}/?token=${token}`, port: listening, stop };
}

export interface Look {
  readonly width?: number;
  readonly theme?: "light" | "dark";
}

export interface Seen {
  readonly page: Page;
  /** Everything the page complained about. */
  readonly complaints: readonly string[];
}

export async function look(
  at: Pick<ServedCast, "url">,
  place = "casts",
  { width = 1440, theme = "light" }: Look = {},
): Promise<Seen> {
  const context = await browser?.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  if (!context) throw new Error("there is no browser");
  onTestFinished(() => context.close());
  await slowed(context);
  const page = await context.newPage();
  // Of every page that is opened in it, too.
  context.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  await page.goto(`${at.url}#/${place}`);
  return { page, complaints };
}

const plan = { json: { workItems: ["first", "second"].map((title) => ({ title, context: `about ${title}` })) } };

/** What the agents of Full-Auto say: two items, the first of which comes back once. */
export const REPLIES = {
  "Auto-Plan": [plan],
  "Auto-Architect": [plan],
  Build: [
    { tools: [{ name: "write", arguments: { path: "a.txt", content: "hi" } }], text: "Written to `a.txt`." },
    { text: "Mended." },
    { text: "Built the second." },
  ],
  "Auto-Eval": [
    { json: { satisfied: false, context: "There is no test." } },
    { json: { satisfied: true } },
    { json: { satisfied: true } },
  ],
  Maintain: [{ text: "Tidy." }],
  Narrate: [{ text: "All done." }],
};

/** A reply that does not come while a test runs. */
export const NO_REPLY = { text: "late", delayMs: 3_600_000 };

/** A reply that comes when the project has a file called `navigate`. */
export const REPLY_AT_GO = {
  tools: [{ name: "bash", arguments: { command: "while [ ! -e go ]; do sleep 0.01; done" } }],
  text: "Written.",
};

export async function begin(
  at: Site,
  replies: object = REPLIES,
  { loadout = "Full-Auto", prompt = "Add a greeting" }: { readonly loadout?: string; readonly prompt?: string } = {},
): Promise<string> {
  const response = await at.send("/api/rehearse", { loadout, prompt, replies, onEmpty: "repeat-last" });
  const body = (await response.json()) as { castId?: string };
  if (body.castId === undefined) throw new Error(JSON.stringify(body));
  return body.castId;
}

export async function says(page: Page, text: string | RegExp, timeout = 120_000): Promise<void> {
  // The page itself looks again: to ask it every few milliseconds costs more than most tests.
  await page.getByText(text).first().waitFor({ timeout });
}

export function socket(page: Page, id: string) {
  return page.locator(`[data-part="socket ${id}"]`);
}

/** Chooses the targets of an open new cast. */
export async function chooseTargets(page: Page, ...targets: readonly string[]): Promise<void> {
  const rows = page.getByRole("dialog").locator("[data-target] select");
  await rows.first().waitFor();
  for (const [index, target] of targets.entries()) {
    if ((await rows.count()) <= index) await page.getByRole("button", { name: "Join another" }).click();
    await rows.nth(index).selectOption(target);
  }
}
