// Builds what the package publishes: the command line, the Pi extension and the library as JavaScript, and the library's types.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const fromRoot = (path: string): string => `${root}${path}`;

for (const part of ["cli.js", "pi.js", "index.js", "chunks", "types"])
  rmSync(fromRoot(`dist/${part}`), { recursive: true, force: true });
await bundle(
  { cli: "src/apps/cli/start.ts", pi: "src/apps/pi/register.ts", index: "src/apps/library/index.ts" },
  fromRoot("dist"),
);
// What goes into the bundle keeps its licence.
const { dependencies } = JSON.parse(readFileSync(fromRoot("package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};
/** Bundled for one command only, so that an install need not bring them. */
const BUNDLED = ["@modelcontextprotocol/server", "@modelcontextprotocol/core", "@valibot/to-json-schema", "zod"];
const licences = [...Object.keys(dependencies), ...BUNDLED].map((name) => {
  const folder = fromRoot(`node_modules/${name}/`);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name}\n\n${file === undefined ? "MIT" : readFileSync(folder + file, "utf8").trim()}\n`;
});
writeFileSync(fromRoot("dist/LICENSES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
execFileSync(process.execPath, [fromRoot("node_modules/typescript/bin/tsc"), "-p", fromRoot("tsconfig.build.json")], {
  stdio: "inherit",
});
