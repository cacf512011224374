import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { socket, withPages } from "./cast-page.ts";
import { filed, openPage, rehearse, save } from "./editor-page.ts";

withPages();

/** What both ways of building end in. */
const LOOP = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "Auto-Plan", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
    "Socket-3": {
      materia: "Auto-Eval",
      edges: [
        { when: "satisfied", to: "Socket-4" },
        { when: "not_satisfied", to: "Socket-2", maxTraversals: 3 },
      ],
    },
    "Socket-4": { materia: "Maintain", edges: [{ when: "always", to: "Socket-2" }], advance: { when: "always" } },
    "Socket-5": { materia: "Narrate" },
  },
  loops: {
    workItemIteration: {
      sockets: ["Socket-2", "Socket-3", "Socket-4"],
      consumes: { from: "Socket-1", output: "workItems" },
      exits: [{ id: "exit:Socket-4:always", from: "Socket-4", condition: "always", targetSocketId: "Socket-5" }],
    },
  },
};

const CONFIG = `{
  // kept
  "loadouts": {
    "Mine": ${JSON.stringify(LOOP, undefined, 2)}
  }
}
`;

async function newLoadout(page: Page): Promise<void> {
  await page.getByRole("button", { name: "New loadout" }).press("Enter");
  await page.getByRole("textbox", { name: "Name" }).fill("Mine");
  await page.keyboard.press("Enter");
  await page.getByText("No sockets yet.").waitFor();
}

async function dropMateria(page: Page, name: string, y: number): Promise<void> {
  const before = await page.locator('[data-part^="socket "]').count();
  await page
    .getByRole("button", { name: `Add ${name}`, exact: true })
    .dragTo(page.locator("[data-canvas]"), { targetPosition: { x: 320, y } });
  await expect.poll(() => page.locator('[data-part^="socket "]').count()).toBe(before + 1);
}

async function drawEdge(page: Page, from: string, to: string, handle: "forward" | "rework"): Promise<void> {
  const node = page.locator(`.react-flow__node[data-id="${from}"]`);
  await node.hover();
  const start = await node.locator(`[data-handleid="${handle}"]`).boundingBox();
  const stop = await page.locator(`.react-flow__node[data-id="${to}"]`).boundingBox();
  if (!start || !stop) throw new Error("nothing to connect");
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(stop.x + stop.width / 2, stop.y + stop.height / 2, { steps: 8 });
  await page.mouse.up();
}

describe("[E21] the Build → Eval → Maintain loop from an empty page", () => {
  it("[E21] by mouse: saved and cast", async () => {
    const { page, cwd, complaints } = await openPage("loadouts/Full-Auto");
    await newLoadout(page);
    for (const [index, name] of ["Auto-Plan", "Build", "Auto-Eval", "Maintain", "Narrate"].entries())
      await dropMateria(page, name, 60 + index * 95);
    await drawEdge(page, "Socket-1", "Socket-2", "forward");
    await drawEdge(page, "Socket-2", "Socket-3", "forward");
    await drawEdge(page, "Socket-3", "Socket-4", "forward");
    await drawEdge(page, "Socket-3", "Socket-2", "rework");
    await drawEdge(page, "Socket-4", "Socket-5", "forward");
    await socket(page, "Socket-2").click();
    await socket(page, "Socket-3").click({ modifiers: ["Shift"] });
    await socket(page, "Socket-4").click({ modifiers: ["Shift"] });
    await page.getByRole("toolbar", { name: "Loadout" }).getByRole("button", { name: "Loop from selection" }).click();
    await page.getByRole("button", { name: "Allow 3 times" }).first().click();
    await page.getByRole("button", { name: "Tidy layout" }).click();
    await save(page);
    expect(filed(cwd, "Mine")).toEqual(LOOP);
    await rehearse(page);
    // A file that is not there yet is asked for, and the browser notes the 404 by itself.
    expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
  });

  it("[E21] by keyboard alone: saved and cast", async () => {
    const { page, cwd } = await openPage("loadouts/Full-Auto");
    await page.getByRole("heading", { name: "Full-Auto" }).first().waitFor();
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const at = async (id: string): Promise<void> => {
      const focused = (): Promise<unknown> => page.evaluate("document.activeElement?.getAttribute('data-part')");
      await expect.poll(focused).toBe(`socket ${id}`);
    };
    await newLoadout(page);
    for (const [index, name] of ["Auto-Plan", "Build", "Auto-Eval", "Maintain", "Narrate"].entries()) {
      await press("a");
      await page.keyboard.type(name);
      await press("Enter");
      await at(`Socket-${index + 1}`);
    }
    await press("ArrowUp");
    await at("Socket-4");
    await press("ArrowUp");
    await at("Socket-3");
    await press("c", "3", "ArrowUp");
    await at("Socket-2");
    await press("Enter", "Escape");
    await at("Socket-3");
    await press("ArrowUp");
    await at("Socket-2");
    await press("Space", "ArrowDown");
    await at("Socket-3");
    await press("Space", "ArrowDown");
    await at("Socket-4");
    await press("Space", "l");
    await page.getByRole("heading", { name: "Loop workItemIteration" }).waitFor();
    // The limit of the edge that goes back, in its inspector.
    await socket(page, "Socket-3").focus();
    await press("Enter");
    await page.getByRole("group", { name: "Edge 2" }).getByRole("textbox").focus();
    await page.keyboard.type("3");
    await press("Control+s");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("region", { name: "Difference in the file" }).waitFor();
    await dialog.getByRole("button", { name: "Save", exact: true }).press("Enter");
    await page.getByText("is saved.").waitFor();
    expect(filed(cwd, "Mine")).toEqual(LOOP);
    await page.getByRole("button", { name: "Rehearse…" }).press("Enter");
    await dialog.getByRole("button", { name: "Rehearse", exact: true }).press("Enter");
    await page.getByRole("link", { name: "Open it as a cast" }).press("Enter");
    await expect.poll(() => page.getByText("Completed").count(), { timeout: 120_000 }).toBeGreaterThan(0);
  });
});

describe("[E7] loop exits", () => {
  it("[E7] editing and deleting one changes the loop in the file, never the edges", async () => {
    const { page, cwd } = await openPage("loadouts/Mine", { files: { ".pi/pi-materia.json": CONFIG } });
    const exit = page.locator('[data-part="edge loop-exit:workItemIteration:exit:Socket-4:always"]');
    await exit.click();
    await page.getByRole("combobox", { name: "Target" }).selectOption("Socket-1");
    await save(page);
    expect(filed(cwd, "Mine")).toEqual({
      ...LOOP,
      loops: {
        workItemIteration: {
          ...LOOP.loops.workItemIteration,
          exits: [{ id: "exit:Socket-4:always", from: "Socket-4", condition: "always", targetSocketId: "Socket-1" }],
        },
      },
    });
    expect(readFileSync(join(cwd, ".pi/pi-materia.json"), "utf8")).toContain("// kept");
    await exit.click();
    await page.keyboard.press("Delete");
    await save(page);
    const { sockets, loops } = filed(cwd, "Mine") as typeof LOOP; // what was written
    expect(sockets).toEqual(LOOP.sockets);
    expect(loops.workItemIteration).not.toHaveProperty("exits");
  });
});

describe("[E10] undo", () => {
  it("[E10] everything that was done is undone, to the letter", async () => {
    const { page, cwd } = await openPage("loadouts/Mine", { files: { ".pi/pi-materia.json": CONFIG } });
    const before = readFileSync(join(cwd, ".pi/pi-materia.json"), "utf8");
    await socket(page, "Socket-3").click();
    await page.getByRole("button", { name: "text", exact: true }).click();
    await page.getByRole("button", { name: "Delete edge 1" }).click();
    await page.getByRole("button", { name: "Delete Socket-3" }).click();
    await page.getByRole("button", { name: "Add Planner" }).click();
    await page.getByRole("button", { name: "Loop workItemIteration" }).click();
    await page.keyboard.press("Delete");
    expect(await page.getByText("Review and save…").getAttribute("aria-disabled")).toBeNull();
    const undo = page.getByRole("toolbar", { name: "Loadout" }).getByRole("button", { name: /^Undo/ });
    for (let step = 0; step < 5; step += 1) await undo.click();
    await expect.poll(() => undo.getAttribute("aria-disabled")).toBe("true");
    await expect
      .poll(() => page.getByRole("button", { name: "Review and save…" }).getAttribute("aria-disabled"))
      .toBe("true");
    for (let step = 0; step < 5; step += 1) await page.keyboard.press("Control+Shift+z");
    await expect.poll(() => socket(page, "Socket-3").count()).toBe(0);
    for (let step = 0; step < 5; step += 1) await page.keyboard.press("Control+z");
    await page.getByRole("tab", { name: "JSON" }).click();
    expect(JSON.parse(await page.getByRole("textbox", { name: "JSON of Mine" }).inputValue())).toEqual(LOOP);
    expect(readFileSync(join(cwd, ".pi/pi-materia.json"), "utf8")).toBe(before);
  });
});

describe("[E12] problems in place", () => {
  it("[E12, E16] an import with problems is shown where they are, and mended by a click", async () => {
    const { page } = await openPage("loadouts/Full-Auto");
    await page.getByRole("button", { name: "Rename, duplicate, import, export, delete" }).click();
    await page.getByRole("menuitem", { name: "Import…" }).click();
    const broken = {
      loadouts: {
        Broken: {
          ...LOOP,
          sockets: {
            ...LOOP.sockets,
            "Socket-3": { ...LOOP.sockets["Socket-3"], parse: "text" },
            "Socket-5": { materia: "Narate", edges: [{ when: "always", to: "end", maxTraversals: 0 }] },
          },
        },
      },
    };
    await page.getByRole("textbox", { name: "Or its text" }).fill(JSON.stringify(broken));
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await expect.poll(() => socket(page, "Socket-3").getAttribute("data-problem")).toBe("error");
    await expect.poll(() => socket(page, "Socket-5").getAttribute("data-problem")).toBe("error");
    await page.getByText("must be a whole number of at least 1").first().waitFor();
    await page.keyboard.press("F8");
    await page.getByRole("button", { name: "Set parse to json" }).first().click();
    await expect.poll(() => socket(page, "Socket-3").getAttribute("data-problem")).not.toBe("error");
    await page.getByRole("button", { name: "Use Narrate" }).first().click();
    await expect.poll(() => page.getByText("there is no materia").count()).toBe(0);
  });

  it("[E16] a bundled loadout can only be changed as a copy", async () => {
    const { page } = await openPage("loadouts/Full-Auto");
    await socket(page, "Socket-6").click();
    await expect
      .poll(() => page.getByRole("button", { name: "Delete Socket-6" }).getAttribute("aria-disabled"))
      .toBe("true");
    await page.getByRole("button", { name: "Duplicate to edit…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Duplicate" }).click();
    await page.getByRole("heading", { name: "Full-Auto-2" }).first().waitFor();
    await socket(page, "Socket-8").click();
    await page.getByRole("button", { name: "Delete Socket-8" }).click();
    await expect.poll(() => socket(page, "Socket-8").count()).toBe(0);
  });
});

describe("[E15] a file that changed since", () => {
  const theirs = CONFIG.replace('"Narrate"', '"Planner"');

  it("[E15] is not overwritten before a person has chosen", async () => {
    const { page, cwd } = await openPage("loadouts/Mine", { files: { ".pi/pi-materia.json": CONFIG } });
    const file = join(cwd, ".pi/pi-materia.json");
    await socket(page, "Socket-2").click();
    await page.getByRole("button", { name: "json", exact: true }).click();
    writeFileSync(file, theirs);
    await page.keyboard.press("Control+s");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This file changed since you opened it.").waitFor();
    await expect.poll(() => dialog.getByRole("button", { name: /^Save/ }).getAttribute("aria-disabled")).toBe("true");
    await dialog.getByRole("region", { name: "Before, theirs and mine" }).waitFor();
    expect(readFileSync(file, "utf8")).toBe(theirs);
    await dialog.getByRole("button", { name: "Take theirs" }).click();
    await expect.poll(() => socket(page, "Socket-5").textContent()).toContain("Planner");
  });

  it("[E15] also when it changes while the difference is read", async () => {
    const { page, cwd } = await openPage("loadouts/Mine", { files: { ".pi/pi-materia.json": CONFIG } });
    const file = join(cwd, ".pi/pi-materia.json");
    await socket(page, "Socket-2").click();
    await page.getByRole("button", { name: "json", exact: true }).click();
    await page.keyboard.press("Control+s");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("region", { name: "Difference in the file" }).waitFor();
    writeFileSync(file, theirs);
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.getByText("This file changed since you opened it.").waitFor();
    expect(readFileSync(file, "utf8")).toBe(theirs);
    await dialog.getByRole("button", { name: "Keep mine" }).click();
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("is saved.").waitFor();
    expect(filed(cwd, "Mine")).toEqual({
      ...LOOP,
      sockets: { ...LOOP.sockets, "Socket-2": { ...LOOP.sockets["Socket-2"], parse: "json" } },
    });
  });
});
