import { expect, it } from "vitest";
import { project } from "../webserver/harness.ts";
import { begin, look, says, served, withPages } from "./cast-page.ts";

withPages();

const edges = [
  { when: "satisfied", to: "end" },
  { when: "not_satisfied", to: "Socket-1", maxTraversals: 2 },
];
const conf = {
  materia: { Say: { type: "person", question: "May “{{request}}” go out?" } },
  loadouts: {
    Ship: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Say", edges },
      },
    },
  },
};

it("[Q8, W50] a person says no with a reason and the cast goes back, says yes and it ends", async () => {
  const own = project();
  own.write("../config/pi/pi-materia/materia.json", conf);
  const at = await served(own);
  const id = await begin(
    at,
    { Build: [{ text: "first try\n\n```js\na ?? 1\n```" }, { text: "second try" }] },
    { loadout: "Ship" },
  );
  const { page, complaints } = await look(at, `casts/${id}`);
  await says(page, "May “Add a greeting” go out?");
  expect(await page.getByText("Say waits for you:").locator("..").textContent()).toContain("go out?");
  await page.getByRole("button", { name: "Answer…" }).click();
  const dialog = page.getByRole("dialog", { name: "Say asks you" });
  await expect.poll(() => dialog.textContent()).toContain("May “Add a greeting” go out?");
  await expect.poll(() => dialog.getByRole("button", { name: "No" }).getAttribute("aria-disabled")).toBe("true");
  await dialog.getByRole("textbox").fill("there is no test");
  await dialog.getByRole("button", { name: "No" }).click();
  await dialog.waitFor({ state: "detached" });
  await says(page, /second try/);
  await page.getByRole("button", { name: "Answer…" }).click();
  await dialog.getByRole("button", { name: "Yes" }).click();
  await says(page, "Completed");
  expect(complaints).toEqual([]);
});
