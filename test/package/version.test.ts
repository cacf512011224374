import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { VERSION } from "../../src/shell/system/package.ts";

it("[K4] the version is that of package.json", () => {
  const file = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  expect(VERSION).toBe(file.version);
});
