import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { project } from "../webserver/harness.ts";
import { look, says, served, socket, withPages } from "./cast-page.ts";

withPages();

async function newLoadout(page: Page, template: string, name = "Mine"): Promise<void> {
  await socket(page, "Socket-1").waitFor();
  await page.getByRole("button", { name: "New loadout" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("combobox", { name: "Begin with" }).selectOption({ label: template });
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name }).first().waitFor();
}

/** How the sockets are connected, as the JSON of the editor says it. */
async function edgesIn(page: Page): Promise<Record<string, readonly string[]>> {
  await page.getByRole("tab", { name: "JSON" }).click();
  const text = await page.getByRole("textbox", { name: /^JSON of/ }).inputValue();
  await page.getByRole("tab", { name: /^Problems/ }).click();
  const { sockets } = JSON.parse(text) as { sockets: Record<string, { edges?: { to: string }[] }> };
  return Object.fromEntries(Object.entries(sockets).map(([id, { edges = [] }]) => [id, edges.map(({ to }) => to)]));
}

describe("building in the browser", () => {
  it("[E28] a new loadout begins with one that runs, and is rehearsed as a draft without a file", async () => {
    const from = project();
    const { page } = await look(await served(from), "loadouts/Full-Auto");
    await newLoadout(page, "Build, check, and build again");
    await says(page, "No problems in 2 sockets.");
    await page.getByRole("button", { name: "Rehearse…" }).click();
    await says(page, "The rehearsal uses your unsaved changes.");
    await page.getByRole("dialog").getByRole("button", { name: "Rehearse", exact: true }).click();
    await page.getByRole("link", { name: "Open it as a cast" }).click();
    await expect.poll(() => page.getByText("Completed").count()).toBeGreaterThan(0);
    expect(existsSync(join(from.cwd, ".pi/pi-materia.json"))).toBe(false);
    await page.goto(`${new URL(page.url()).origin}/#/loadouts/Mine`);
    await page.getByRole("button", { name: "Cast…" }).click();
    await says(page, "The cast uses your unsaved changes.");
  });

  it("[E30, E32] a rehearsal is filled in, played on the canvas step by step, and its replies are taken again", async () => {
    const { page } = await look(await served(), "loadouts/Full-Auto");
    await newLoadout(page, "Build, check, and build again");
    const dialog = page.getByRole("dialog");
    const begin = (): Promise<void> => dialog.getByRole("button", { name: "Rehearse", exact: true }).click();
    await page.getByRole("button", { name: "Rehearse…" }).click();
    await dialog.getByRole("textbox", { name: "Reply 1 of Socket-2: context" }).fill("Zwölf Äpfel fehlen.");
    await dialog.getByRole("group", { name: "Reply 2 of Socket-2: satisfied" }).getByText("not satisfied").click();
    await dialog.getByRole("button", { name: "Another reply of Socket-2" }).click();
    await dialog
      .getByRole("group", { name: "Reply 3 of Socket-2: satisfied" })
      .getByText(/^satisfied$/)
      .click();
    await begin();
    const panel = page.getByRole("region", { name: "Rehearsal" });
    await panel.getByRole("button", { name: /^Pause/ }).click();
    const step = async (text: string): Promise<void> => {
      await expect.poll(() => panel.getByRole("status").first().textContent()).toBe(text);
    };
    // Before the first steps have come there is no next one.
    await expect.poll(() => panel.getByRole("status").first().textContent()).toMatch(/of 6$/);
    for (;;) {
      const next = panel.getByRole("button", { name: /^Next/ });
      if ((await next.getAttribute("aria-disabled")) === "true") break;
      await next.click();
    }
    await step("Step 6 of 6");
    await says(page, "It ended: completed.");
    await expect.poll(() => socket(page, "Socket-1").textContent()).toContain("3×");
    for (let back = 0; back < 4; back += 1) await page.keyboard.press("[");
    await step("Step 2 of 6");
    await expect.poll(() => panel.textContent()).toContain("Zwölf Äpfel fehlen.");
    await expect.poll(() => socket(page, "Socket-1").textContent()).toContain("1×");
    await panel.getByRole("button", { name: "Back to editing" }).click();
    await page.getByRole("button", { name: "Rehearse…" }).click();
    await dialog.getByRole("combobox", { name: "Replies from" }).selectOption({ index: 1 });
    await expect
      .poll(() => dialog.getByRole("textbox", { name: "Reply 1 of Socket-2: context" }).inputValue())
      .toBe("Zwölf Äpfel fehlen.");
    await expect.poll(() => dialog.getByRole("group", { name: /^Reply \d of Socket-2$/ }).count()).toBe(3);
    await begin();
    await step("Step 6 of 6");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Review and save…" }).waitFor();
  });

  it("[E28, E2] clicks in the palette continue the chain, and a plus puts a socket into an edge", async () => {
    const { page } = await look(await served(), "loadouts/Full-Auto");
    await newLoadout(page, "One agent");
    await socket(page, "Socket-1").waitFor();
    for (const name of ["Maintain", "Narrate"])
      await page.getByRole("button", { name: `Add ${name}`, exact: true }).click();
    await socket(page, "Socket-3").waitFor();
    expect(await edgesIn(page)).toEqual({ "Socket-1": ["Socket-2"], "Socket-2": ["Socket-3"], "Socket-3": [] });
    await socket(page, "Socket-1").click();
    await page.getByRole("button", { name: "Add a socket after Socket-1" }).click();
    await page.getByRole("combobox", { name: "Find materia" }).fill("Auto-Plan");
    await page.keyboard.press("Enter");
    await socket(page, "Socket-4").waitFor();
    expect(await edgesIn(page)).toEqual({
      "Socket-1": ["Socket-4"],
      "Socket-2": ["Socket-3"],
      "Socket-3": [],
      "Socket-4": ["Socket-2"],
    });
  });

  it("[E31] several sockets are chosen, copied and pasted into another loadout", async () => {
    const { page } = await look(await served(), "loadouts/Full-Auto");
    await newLoadout(page, "Build, check, and build again");
    await socket(page, "Socket-2").waitFor();
    await socket(page, "Socket-1").click();
    await socket(page, "Socket-2").click({ modifiers: ["Shift"] });
    await page.getByRole("heading", { name: "2 sockets" }).waitFor();
    await page.keyboard.press("Control+c");
    await says(page, /^Copied 2 sockets/);
    await page.goto(`${new URL(page.url()).origin}/#/loadouts/Full-Auto`);
    await newLoadout(page, "One agent", "Other");
    await socket(page, "Socket-1").waitFor();
    await page.keyboard.press("Control+v");
    await socket(page, "Socket-3").waitFor();
    expect(await edgesIn(page)).toEqual({ "Socket-1": [], "Socket-2": ["Socket-3"], "Socket-3": ["end", "Socket-2"] });
    await page.keyboard.press("Control+a");
    await page.getByRole("heading", { name: "3 sockets" }).waitFor();
  });

  it("[E28] L takes the focused socket along, and a socket is found by a few letters", async () => {
    const { page } = await look(await served(), "loadouts/Full-Auto");
    await newLoadout(page, "Build, check, and build again");
    await socket(page, "Socket-1").focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.evaluate("document.activeElement?.dataset.part")).toBe("socket Socket-2");
    const ground = (id: string): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector('[data-part="socket ${id}"]')).backgroundColor`);
    expect(await ground("Socket-1")).not.toBe(await ground("Socket-2"));
    await page.keyboard.press("l");
    await expect.poll(() => page.getByRole("group", { name: /^Loop / }).count()).toBe(1);
    await page.getByRole("tab", { name: "JSON" }).click();
    const text = await page.getByRole("textbox", { name: /^JSON of/ }).inputValue();
    const { loops } = JSON.parse(text) as { loops: Record<string, { sockets: string[] }> };
    expect(Object.values(loops)[0]?.sockets).toEqual(["Socket-1", "Socket-2"]);
    await page.getByRole("textbox", { name: "Find a socket" }).fill("auto-ev");
    await page.keyboard.press("Enter");
    await expect.poll(() => socket(page, "Socket-2").getAttribute("aria-pressed")).toBe("true");
  });

  it("[E28] on a small screen the graph is there", async () => {
    const { page } = await look(await served(), "loadouts/Full-Auto", { width: 390 });
    await socket(page, "Socket-1").click();
    await page.getByRole("dialog", { name: "Inspector" }).waitFor();
  });

  it("[E28] opening shows all of a graph, and nothing lies on it", async () => {
    const { page } = await look(await served(), "loadouts/Full-Auto");
    await socket(page, "Socket-1").waitFor();
    const canvas = await page.locator("[data-graph]").boundingBox();
    const sockets = page.locator('[data-part^="socket "]');
    await expect
      .poll(async () => {
        const boxes = await Promise.all((await sockets.all()).map((each) => each.boundingBox()));
        return boxes.every(
          (box) => box && canvas && box.y >= canvas.y && box.y + box.height <= canvas.y + canvas.height,
        );
      })
      .toBe(true);
    const zoom = await page.getByRole("group", { name: "Zoom" }).boundingBox();
    expect(zoom && canvas && zoom.y >= canvas.y + canvas.height - 1).toBe(true);
  });
});
