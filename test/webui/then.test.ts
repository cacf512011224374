import { expect, it } from "vitest";
import { withPages } from "./cast-page.ts";
import { filed, openPage, save } from "./editor-page.ts";

withPages();

const LOADOUT = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "Auto-Plan", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
    "Socket-3": {
      materia: "Auto-Eval",
      advance: { when: "satisfied" },
      edges: [
        { when: "satisfied", to: "Socket-2" },
        { when: "not_satisfied", to: "Socket-2", maxTraversals: 2 },
      ],
    },
  },
  loops: { each: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" } } },
};

it("[G30] what follows the last traversal is chosen in the editor and stands in the saved file", async () => {
  const { page, cwd, complaints } = await openPage("loadouts/Mine", {
    files: { ".pi/pi-materia.json": { loadouts: { Mine: LOADOUT } } },
  });
  const edge = page.locator('[data-part="edge edge:Socket-3:2"]');
  await edge.first().click({ force: true });
  await page.getByRole("combobox", { name: "After the limit" }).selectOption("next item");
  await expect.poll(() => edge.first().textContent()).toContain("then next");
  await save(page);
  expect(filed(cwd, "Mine")).toMatchObject({
    sockets: { "Socket-3": { edges: [{}, { when: "not_satisfied", to: "Socket-2", maxTraversals: 2, then: "next" }] } },
  });
  expect(complaints).toEqual([]);
});
