import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { project } from "../webserver/harness.ts";
import { look, says, served, withPages } from "./cast-page.ts";

withPages();

it("[E29] what is changed in the settings is written into the file, and nothing else of it", async () => {
  const from = project();
  const file = join(from.cwd, ".pi/pi-materia.json");
  from.write(".pi/pi-materia.json", '{\n  // kept\n  "budget": { "maxTokens": 5, "maxCostUsd": 2 }\n}\n');
  const { page } = await look(await served(from), "casts");
  await page.getByRole("link", { name: "Settings" }).click();
  const tokens = page.getByRole("textbox", { name: "Tokens", exact: true });
  await expect.poll(() => tokens.inputValue()).toBe("5");
  await tokens.fill("many");
  await says(page, "Write an amount such as 200 k or 10 M, or nothing");
  await tokens.fill("1.5 M");
  const silence = page.getByRole("textbox", { name: "Silence of an agent" });
  await expect.poll(() => silence.inputValue()).toBe("15 min");
  await silence.fill("90 s");
  await page.getByRole("textbox", { name: "Cost" }).fill("");
  await page.getByRole("switch").click();
  await page.getByRole("combobox", { name: "Model", exact: true }).fill("anthropic/claude");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await says(page, "The settings are saved.");
  const text = readFileSync(file, "utf8");
  expect(text).toContain("// kept");
  expect(text).toContain('"budget": { "maxTokens": 1500000 }');
  expect(text).toContain('"agentSilenceMs": 90000');
  expect(text).toContain('"notify": false');
  expect(text).toContain('"model": "anthropic/claude"');
});
