import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withFigures } from "../../scripts/figures-text.ts";

it("[C24] the figures of the README are those of the benchmark's results", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  expect(readme).toBe(withFigures(readme));
});
