import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export function fromRoot(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** Whether what is built is what stands in the sources. It starts in a third of their time, and `npm test` builds first. */
export const IS_BUILT = isBuilt();

function isBuilt(): boolean {
  const built = statSync(fromRoot("dist/pi.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built === 0) return false;
  // A build of the page writes declarations of types, which no program contains.
  const sources = readdirSync(fromRoot("src"), { recursive: true, encoding: "utf8" }).filter(
    (name) => !name.endsWith(".d.ts"),
  );
  return sources.every((name) => statSync(fromRoot(join("src", name))).mtimeMs < built);
}
