import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { pagesWithFigures } from "../../scripts/figures-text.ts";

it("[C24] the figures of the README and the benchmark page are those of the benchmark's results", () => {
  for (const { file, text } of pagesWithFigures()) expect(readFileSync(file, "utf8")).toBe(text);
});
