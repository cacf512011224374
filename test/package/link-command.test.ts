import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { newPlace } from "../harness/cli.ts";

const SCRIPT = fileURLToPath(new URL("../../scripts/link.ts", import.meta.url));

it("[C41] npm run link -- --remove finds the command with another PATH, and leaves that of another checkout", () => {
  const home = newPlace({});
  const [first, second] = [join(home, "first/bin"), join(home, "second/bin")];
  for (const folder of [first, second]) mkdirSync(folder, { recursive: true });
  const link = (prefix: string, ...words: readonly string[]) => {
    const PATH = [first, second, dirname(process.execPath)].join(":");
    const env = { ...process.env, HOME: home, PATH, npm_config_global_prefix: dirname(prefix) };
    return execFileSync(process.execPath, [SCRIPT, ...words], { env, encoding: "utf8" });
  };
  expect(link(first)).toContain(`Wrote ${join(first, "materia")}`);
  const other = readFileSync(join(first, "materia"), "utf8").replace("/bin/materia.mjs", "-2/bin/materia.mjs");
  writeFileSync(join(second, "materia"), other);
  expect(link(second, "--remove")).toBe(`Removed ${join(first, "materia")}.\n`);
  expect([first, second].map((folder) => existsSync(join(folder, "materia")))).toEqual([false, true]);
  expect(link(second, "--remove")).toBe("No command of this checkout was found.\n");
});
