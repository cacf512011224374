import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

let root: string | undefined;

/** A file that the package brings. The sources lie deeper than a bundle in `dist`, so its root is looked for upwards. */
export function packagePath(...parts: readonly string[]): string {
  root ??= findPackageRoot(dirname(fileURLToPath(import.meta.url)));
  return join(root, ...parts);
}

function findPackageRoot(folder: string): string {
  if (existsSync(join(folder, "utilities")) && existsSync(join(folder, "package.json"))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("the package's own files are missing; reinstall pi-materia");
  return findPackageRoot(parent);
}

/** Kept equal to package.json by a test: reading that file at every start would cost more than a test. */
export const VERSION = "0.1.0";
