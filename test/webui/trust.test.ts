import { describe, expect, it } from "vitest";
import { project } from "../webserver/harness.ts";
import { look, says, served, socket, withPages } from "./cast-page.ts";

withPages();

describe("a project that is not trusted", () => {
  it("[W35] is said everywhere, and running it asks with all that would run", async () => {
    const from = project();
    const commands = Array.from({ length: 12 }, (_, index) => ["sh", `run-${index}.sh`]);
    from.write(".pi/pi-materia.json", {
      activeLoadout: "Own",
      materia: Object.fromEntries(commands.map((command, index) => [`Run-${index}`, { type: "utility", command }])),
      loadouts: { Own: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } } },
    });
    const at = await served(from);
    const { page } = await look(at, "loadouts/Own");
    await socket(page, "Socket-1").waitFor();
    await says(page, "Nothing of it runs before you trust it.");
    await page.getByRole("button", { name: "Rehearse…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rehearse", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Trust this project?" });
    await question.waitFor();
    expect(await question.getByRole("list", { name: "It would run" }).getByRole("listitem").allInnerTexts()).toEqual(
      commands.map((command) => command.join(" ")),
    );
    await question.getByRole("button", { name: "Cancel" }).click();
    await says(page, /is not trusted as it is now/);
    await page.getByRole("dialog").getByRole("button", { name: "Rehearse", exact: true }).click();
    // The editor reads its file again after the yes; a late answer with the same text must not end the rehearsal.
    const late = Promise.withResolvers<void>();
    const read = page.waitForResponse(/\/api\/config\/project$/);
    await page.route(/\/api\/config\/project$/, async (route) => {
      await late.promise;
      await route.continue();
    });
    await question.getByRole("button", { name: "Trust this project" }).click();
    const opened = page.getByRole("link", { name: "Open it as a cast" });
    await opened.waitFor();
    late.resolve();
    await (await read).finished();
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
    );
    expect(await opened.count()).toBe(1);
    await expect.poll(() => page.getByText("Nothing of it runs before you trust it.").count()).toBe(0);
  });
});
