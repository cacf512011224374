import { realpathSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { MAX_FILE_BYTES, readRegularText } from "../system/regular-file.ts";

/** The files of a folder that are asked about; null where there is none. What lies outside the folder is none. */
export function readExpectedFiles(folder: string, names: readonly string[]): ReadonlyMap<string, string | null> {
  return new Map(names.map((name) => [name, readInside(folder, name)]));
}

function readInside(folder: string, name: string): string | null {
  try {
    const path = realpathSync(resolve(folder, name));
    if (!path.startsWith(join(folder, sep))) return null;
    return readRegularText(path, MAX_FILE_BYTES.config);
  } catch {
    return null;
  }
}
