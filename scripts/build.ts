// Builds what the package publishes: the command line, the Pi extension and the library as JavaScript, and the library's types.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const inRoot = (path: string): string => `${root}${path}`;

for (const part of ["cli.js", "pi.js", "index.js", "chunks", "types"])
  rmSync(inRoot(`dist/${part}`), { recursive: true, force: true });
await bundle(
  { cli: "src/apps/cli/start.ts", pi: "src/apps/pi/register.ts", index: "src/apps/library/index.ts" },
  inRoot("dist"),
);
// What goes into the bundle keeps its licence.
const { dependencies } = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};
const licences = Object.keys(dependencies).map((name) => {
  const folder = inRoot(`node_modules/${name}/`);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name}\n\n${file === undefined ? "MIT" : readFileSync(folder + file, "utf8").trim()}\n`;
});
writeFileSync(inRoot("dist/LICENSES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
execFileSync(process.execPath, [inRoot("node_modules/typescript/bin/tsc"), "-p", inRoot("tsconfig.build.json")], {
  stdio: "inherit",
});
