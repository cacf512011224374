import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openUi } from "../src/apps/server/open-ui.ts";
import { launchBrowser } from "../test/webui/browser.ts";
import { writeOwnCasts } from "./durability.ts";
import { median, withScratch } from "./measure/process.ts";
import { homeIn } from "./new-cast.ts";

export interface PageFigures {
  readonly casts: number;
  /** From the start of the navigation to the first rows of the list. */
  readonly listMs: number;
  readonly visits: number;
  /** The same to the graph and the timeline of a cast. */
  readonly castMs: number;
  /** The longest task of the browser while such a cast streams. */
  readonly longestTaskMs: number;
  readonly sockets: number;
  /** The same to the first sockets of the editor. */
  readonly editorMs: number;
  /** From a click on a socket to the next picture with its inspector. */
  readonly selectMs: number;
}

const ITEMS = 330;

/** What a person waits for in a real browser. */
export function measurePage(casts = 2_000, sockets = 300, rounds = 5): Promise<PageFigures> {
  return withScratch(async (scratch) => {
    await writeOwnCasts(scratch, join(scratch, ".pi", "pi-materia"), casts);
    const env = homeIn(scratch);
    const folder = join(env["XDG_CONFIG_HOME"] ?? "", "pi", "pi-materia");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "materia.json"), JSON.stringify({ loadouts: { Long: longLoadout(sockets) } }));
    const opened = await openUi({
      place: { cwd: scratch, env },
      openReal: () => Promise.reject(new Error("nobody is asked")),
      report: (problem) => console.error(problem),
    });
    if (!opened.ok) throw new Error(JSON.stringify(opened.issues));
    const browser = await launchBrowser();
    try {
      const url = opened.value.url;
      const listMs = await openingMs(browser, `${url}#/casts`, "a[data-cast]", rounds);
      const { castId, longestTaskMs } = await streamedCast(browser, url);
      const castMs = await openingMs(browser, `${url}#/casts/${castId}`, '[data-part^="socket"]', rounds);
      const editorMs = await openingMs(browser, `${url}#/loadouts/Long`, '[data-part^="socket"]', rounds);
      const selectMs = await selectingMs(browser, `${url}#/loadouts/Long`, rounds);
      return { casts, listMs, visits: 3 * ITEMS + 6, castMs, longestTaskMs, sockets, editorMs, selectMs };
    } finally {
      await browser.close();
      await opened.value.close();
    }
  });
}

function longLoadout(sockets: number): object {
  const next = (index: number): object[] => (index < sockets ? [{ when: "always", to: `Socket-${index + 1}` }] : []);
  const all = Array.from({ length: sockets }, (_, at) => [
    `Socket-${at + 1}`,
    { materia: "Build", edges: next(at + 1) },
  ]);
  return { entry: "Socket-1", sockets: Object.fromEntries(all) };
}

/** The page counts: the driver of the browser would add its own time. */
function noteFirst(selector: string): string {
  return `const look = () => document.querySelector(${JSON.stringify(selector)})
    ? requestAnimationFrame(() => (window.seenAt = performance.now())) : requestAnimationFrame(look);
  requestAnimationFrame(look);`;
}

async function openingMs(browser: Browser, url: string, selector: string, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const page = await newPage(browser);
    await page.addInitScript(noteFirst(selector));
    await page.goto(url);
    await page.waitForFunction("window.seenAt");
    times.push(await page.evaluate<number>("window.seenAt"));
    await page.context().close();
  }
  return median(times.slice(1));
}

async function selectingMs(browser: Browser, url: string, rounds: number): Promise<number> {
  const page = await newPage(browser);
  await page.goto(url);
  const times: number[] = [];
  for (let number = 2; number <= rounds + 1; number += 1) {
    const socket = `[data-part="socket Socket-${number}"]`;
    await page.locator(socket).waitFor();
    times.push(
      await page.evaluate<number>(`new Promise((resolve) => {
        const started = performance.now();
        document.querySelector(${JSON.stringify(socket)})?.click();
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - started)));
      })`),
    );
  }
  await page.context().close();
  return median(times);
}

/** Rehearses a cast of about 1,000 visits while its page is open. */
async function streamedCast(
  browser: Browser,
  url: string,
): Promise<{ readonly castId: string; readonly longestTaskMs: number }> {
  const { origin, searchParams } = new URL(url);
  const workItems = Array.from({ length: ITEMS }, (_, index) => ({ title: `Item ${index + 1}`, context: "" }));
  const text = [{ text: "Done." }];
  const plan = [{ json: { workItems } }];
  const judged = [{ json: { satisfied: true } }];
  const replies = { "Auto-Plan": plan, "Auto-Architect": plan, Build: text, "Auto-Eval": judged, Maintain: text };
  const body = { loadout: "Full-Auto", prompt: "Work", replies: { ...replies, Narrate: text }, onEmpty: "repeat-last" };
  const answer = await fetch(`${origin}/api/rehearse`, {
    method: "POST",
    headers: { authorization: `Bearer ${searchParams.get("token")}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { castId } = (await answer.json()) as { castId: string };
  const page = await newPage(browser);
  await page.addInitScript(`window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: "longtask", buffered: true });`);
  await page.goto(`${url}#/casts/${castId}`);
  await page.getByText("Completed", { exact: true }).first().waitFor({ timeout: 300_000 });
  const longestTaskMs = await page.evaluate<number>("window.longest");
  await page.context().close();
  return { castId, longestTaskMs };
}

async function newPage(browser: Browser): Promise<Page> {
  // The driver waits for a value by evaluating text, which the policy of the page forbids.
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
  return context.newPage();
}
