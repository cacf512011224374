// A checkout has no page until it is built; the published package brings it.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const vite = `${root}node_modules/vite/bin/vite.js`;
if (!existsSync(`${root}dist/web/index.html`) && existsSync(vite)) {
  console.error("Building the page, once…");
  execFileSync(process.execPath, [vite, "build", "--logLevel", "warn"], { cwd: root, stdio: ["ignore", 2, 2] });
}
