import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

let root: string | undefined;

/** A file of the package. Searches upwards: the sources are deeper than the bundle in `dist`. */
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

/** A test keeps it equal to package.json: reading that file at every start would cost time. */
export const VERSION = "0.1.0";
