import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { referenceText } from "../../scripts/reference-text.ts";

it("[C23] the reference is what the command table and the schemas say", () => {
  expect(readFileSync(new URL("../../docs/reference.md", import.meta.url), "utf8")).toBe(referenceText());
});
