import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { project, type Project } from "../webserver/harness.ts";
import { chooseTargets, look, says, served, socket, withPages } from "./cast-page.ts";

withPages();

function withLoadout(): Project {
  const from = project();
  const sockets = { "Socket-1": { materia: "Build" } };
  from.write(".pi/pi-materia.json", {
    materia: { Mine: { type: "agent", prompt: "Do it: {{request}}" } },
    loadouts: { Own: { entry: "Socket-1", sockets } },
  });
  return from;
}

async function addSocket(page: Page, materia: string): Promise<void> {
  await socket(page, "Socket-1").waitFor();
  await page.keyboard.press("a");
  await page.keyboard.type(materia);
  await page.keyboard.press("Enter");
  await socket(page, "Socket-2").waitFor();
}

/** What is typed is written a moment later. */
async function isKept(page: Page, words: string): Promise<void> {
  const all = `JSON.stringify(Object.entries(localStorage))`;
  await expect.poll(async () => String(await page.evaluate(all)).includes(words)).toBe(true);
}

/** The key by which another tab gets in is kept a moment after the page is there. */
async function keyKept(page: Page): Promise<void> {
  const kept = `new Promise((resolve) => {
    const opening = indexedDB.open("materia", 1);
    opening.onupgradeneeded = () => { opening.transaction.abort(); };
    opening.onerror = () => resolve(0);
    opening.onsuccess = () => {
      const counting = opening.result.transaction("door").objectStore("door").count();
      counting.onsuccess = () => { opening.result.close(); resolve(counting.result); };
    };
  })`;
  await expect.poll(() => page.evaluate(kept)).toBe(1);
}

/** Left and opened again, as after a crash: the page's memory is gone. */
async function reopened(page: Page, place: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(place);
}

describe("what is not saved", () => {
  it("[E23] a loadout survives a reload, with undo, and says so", async () => {
    const at = await served(withLoadout());
    const { page } = await look(at, "loadouts/Own");
    await addSocket(page, "Maintain");
    await isKept(page, "Maintain");
    await reopened(page, `http://127.0.0.1:${at.port}/#/loadouts/Own`);
    await socket(page, "Socket-2").waitFor();
    await says(page, "Your unsaved work is still here: Own.");
    await page.getByRole("link", { name: /^Loadouts.*1 not saved$/ }).waitFor();
    await page.getByRole("button", { name: "Undo: Add Maintain" }).click();
    await socket(page, "Socket-2").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Loadouts", exact: true }).waitFor();
  });

  it("[E23] a materia, a chain and a request survive too", async () => {
    const at = await served(withLoadout());
    const { page } = await look(at, "materia/Mine");
    await page.getByRole("textbox", { name: "Description" }).fill("Zwölf Äpfel 🍏");
    await isKept(page, "Äpfel");
    await page.goto(`http://127.0.0.1:${at.port}/#/casts`);
    await page.getByRole("button", { name: "New cast" }).first().click();
    await chooseTargets(page, "loadout:Own", "materia:Narrate");
    await page.getByRole("dialog").getByRole("textbox", { name: "Request" }).fill("कुछ करो");
    await isKept(page, "कुछ करो");
    await reopened(page, `http://127.0.0.1:${at.port}/#/materia/Mine`);
    await expect.poll(() => page.getByRole("textbox", { name: "Description" }).inputValue()).toBe("Zwölf Äpfel 🍏");
    await page.goto(`http://127.0.0.1:${at.port}/#/casts`);
    await page.getByRole("button", { name: "New cast" }).first().click();
    await expect.poll(() => page.getByRole("textbox", { name: "Request" }).inputValue()).toBe("कुछ करो");
    await expect.poll(() => page.getByRole("combobox", { name: "Target 1" }).inputValue()).toBe("loadout:Own");
  });

  it("[E23] a materia that an earlier page stored is still there", async () => {
    const at = await served(withLoadout());
    const { page } = await look(at, "materia/Mine");
    await page.getByRole("textbox", { name: "Description" }).fill("stored");
    await isKept(page, "stored");
    const later = JSON.stringify(["base", "from", "brings"]);
    await reopened(page, `http://127.0.0.1:${at.port}/icon.svg`);
    await page.evaluate(`for (const [key, text] of Object.entries(localStorage)) {
      if (!key.includes('"materia-draft"')) continue;
      const earlier = Object.entries(JSON.parse(text)).filter(([name]) => !${later}.includes(name));
      localStorage.setItem(key, JSON.stringify(Object.fromEntries(earlier)));
    }`);
    await reopened(page, `http://127.0.0.1:${at.port}/#/materia/Mine`);
    await expect.poll(() => page.getByRole("textbox", { name: "Description" }).inputValue()).toBe("stored");
  });

  it("[W29] leaving asks, a click beside a dialog keeps its text, and Esc asks first", async () => {
    const at = await served(withLoadout());
    const { page } = await look(at, "loadouts/Own");
    await socket(page, "Socket-1").waitFor();
    await page.getByRole("button", { name: "Rename, duplicate, import, export, delete" }).click();
    await page.getByRole("menuitem", { name: "Import…" }).click();
    const text = page.getByRole("dialog").getByRole("textbox").last();
    await text.fill('{ "entry": ');
    await page.mouse.click(5, 5);
    expect(await text.inputValue()).toBe('{ "entry": ');
    await page.keyboard.press("Escape");
    await says(page, "What you typed would be lost.");
    await page.getByRole("button", { name: "Keep writing" }).click();
    expect(await text.inputValue()).toBe('{ "entry": ');
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard it" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await addSocket(page, "Maintain");
    await isKept(page, "Maintain");
    const asked = page.waitForEvent("dialog");
    const left = page.reload();
    const question = await asked;
    expect(question.type()).toBe("beforeunload");
    await question.accept();
    await left;
  });
});

/** Where a click with the wheel leads. No tab is opened by it: those that a page opens are not always told to the test. */
async function leftToBrowser(link: Locator): Promise<string> {
  await link.evaluate((element) => {
    addEventListener("auxclick", (event) => {
      element.dataset["taken"] = String(event.defaultPrevented);
      event.preventDefault();
    });
  });
  await link.click({ button: "middle" });
  expect(await link.getAttribute("data-taken")).toBe("false");
  return link.evaluate((element) => (element as HTMLAnchorElement).href);
}

describe("the page and its server", () => {
  it("[W28, W17] a lost server is said, and a restart with another token does not strand the page", async () => {
    const from = withLoadout();
    const at = await served(from);
    const { page } = await look(at, "loadouts/Own");
    await addSocket(page, "Maintain");
    await at.stop();
    await says(page, "The server does not answer.");
    const again = await served(from, at.port, "another-token");
    await expect.poll(() => page.getByText("The server does not answer.").count(), { timeout: 120_000 }).toBe(0);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.keyboard.press("Control+s");
    await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
    await says(page, "Own is saved.");
    await again.stop();
  });

  it("[W28] a second tab and a pasted address work; an unknown browser shows what to do", async () => {
    const at = await served(withLoadout());
    const { page } = await look(at, "casts");
    await page.getByText("Live", { exact: true }).waitFor();
    await keyKept(page);
    const second = await page.context().newPage();
    await second.goto(`http://127.0.0.1:${at.port}/#/loadouts/Own`);
    await socket(second, "Socket-1").waitFor();
    const third = await page.context().newPage();
    await third.goto(await leftToBrowser(page.getByRole("link", { name: "Materia", exact: true })));
    await third.getByRole("heading", { level: 1 }).first().waitFor();
    const stranger = await look({ ...at, url: `http://127.0.0.1:${at.port}/` });
    await says(stranger.page, "This browser has no access.");
    await stranger.page.getByRole("button", { name: "Try again" }).waitFor();
  });

  it("[W28] what one tab changes the other shows", async () => {
    const at = await served(withLoadout());
    const { page } = await look(at, "loadouts/Own");
    await socket(page, "Socket-1").waitFor();
    await keyKept(page);
    const second = await page.context().newPage();
    await second.goto(`http://127.0.0.1:${at.port}/#/loadouts/Own`);
    await addSocket(second, "Maintain");
    await socket(page, "Socket-2").waitFor();
  });
});
