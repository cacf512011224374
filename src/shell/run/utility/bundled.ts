import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLED_SCRIPT_NAMES, bundledScriptFile } from "../../../core/catalog/utilities.ts";

/** The file of a bundled utility. Throws where there is none, with what the author of the materia can do. */
export function bundledUtilityPath(script: string): string {
  const file = bundledScriptFile(script);
  if (!file) throw new Error(`no bundled utility has this name; there are ${BUNDLED_SCRIPT_NAMES.join(", ")}`);
  return join(utilitiesFolder(), file);
}

let utilitiesFolderPath: string | undefined;

/** The sources lie deeper in the package than a bundle in `dist`, so the folder is looked for upwards. */
function utilitiesFolder(): string {
  utilitiesFolderPath ??= findUpwards(dirname(fileURLToPath(import.meta.url)));
  return utilitiesFolderPath;
}

function findUpwards(folder: string): string {
  const candidate = join(folder, "utilities");
  if (existsSync(candidate)) return candidate;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("the folder of bundled utilities is missing; reinstall pi-materia");
  return findUpwards(parent);
}
