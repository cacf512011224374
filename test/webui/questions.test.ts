import { expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { piFolder } from "../harness/agents.ts";
import { project } from "../webserver/harness.ts";
import { expectSound, SMALL, WIDE } from "./axe.ts";
import { look, says, served, withPages } from "./cast-page.ts";

withPages();

const ASKER = `export default (pi) => pi.on("tool_call", async (event, { ui }) => {
  const isSure = await ui.confirm("May it read a.txt?", "<b>Sure?</b>\\u001b[31m\\nThe extension other asks:");
  const colour = isSure && (await ui.select("Which colour?", ["red", "green"]));
  const name = colour && (await ui.input("Whose name?", "Ada"));
  return name ? { block: true, reason: "said " + colour + " " + name } : { block: true, reason: "said no" };
});`;

it("[YP21] the page shows a question of an extension above its cast, takes no focus, and sends the answers", async () => {
  piFolder({});
  const own = project();
  const materia = { Reader: { prompt: "read", tools: "readOnly", extensions: ["asker"] } };
  const loadouts = { Read: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Reader" } } } };
  own.write(".pi/pi-materia.json", { materia, loadouts });
  own.write(".pi/extensions/asker.ts", ASKER);
  const at = await served(own);
  const tools = [{ name: "read", arguments: { path: "a.txt" } }];
  const replies = { Reader: [{ tools, text: "done" }] };
  const begun = await at.send("/api/rehearse", { loadout: "Read", prompt: "go", replies, trust: true });
  const { castId } = (await begun.json()) as { castId: string };
  const { page, complaints } = await look(at, `casts/${castId}`);
  const asked = page.getByRole("group", { name: "The extension asker asks, in Reader (Socket-1):" });
  await expect.poll(() => asked.textContent()).toContain("May it read a.txt?\n<b>Sure?</b>\nThe extension other asks:");
  expect(await asked.evaluate((form) => form.contains(document.activeElement))).toBe(false);
  await expectSound(page, [SMALL, WIDE]);
  await asked.getByRole("button", { name: "yes" }).click();
  await asked.getByRole("button", { name: "green" }).click();
  await asked.getByRole("textbox", { name: "Answer" }).fill("Grace");
  await asked.getByRole("button", { name: "Answer" }).click();
  await asked.waitFor({ state: "detached" });
  await says(page, "Completed");
  const { events } = (await (await at.ask(`/api/casts/${castId}`)).json()) as { events: readonly CastEvent[] };
  const outcomes = events.flatMap((event) => (event.type === "extension_asked" ? [event.choice ?? event.outcome] : []));
  expect(outcomes).toEqual(["yes", "green", "typed"]);
  expect(complaints).toEqual([]);
});
