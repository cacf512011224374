// Folders of at most ten source files: a larger one holds a second idea that has no name yet.
// Lengths of files and functions are rules of the linter.
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const MOST = 10;
const root = fileURLToPath(new URL("..", import.meta.url));
const counts = new Map();
for (const entry of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
  const folder = relative(root, entry.parentPath);
  counts.set(folder, (counts.get(folder) ?? 0) + 1);
}
const crowded = [...counts].filter(([, count]) => count > MOST);
for (const [folder, count] of crowded) console.error(`sizes: ${folder} holds ${count} source files; at most ${MOST}`);
console.log(`sizes: ${counts.size} folders, ${crowded.length} problems`);
process.exitCode = crowded.length > 0 ? 1 : 0;
