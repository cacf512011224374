import { existsSync, realpathSync, statSync, readdirSync } from "node:fs";
import { sep, join, relative } from "node:path";
import { valueOr } from "./files.ts";

/** [N4] Whether a path is inside a folder after resolving links: agents may have planted links. */
export function isInside(folder: string, path: string): boolean {
  return valueOr(() => realpathSync.native(path).startsWith(join(realpathSync.native(folder), sep)), false);
}

/** The path without links; as given if nothing is there. */
export function realPathOrSame(path: string): string {
  return valueOr(() => realpathSync(path), path);
}

/** Whether a path may be read: it is inside, or does not exist yet. */
export function isInsideOrAbsent(folder: string, path: string): boolean {
  return isInside(folder, path) || !existsSync(path);
}

export function namesIn(folder: string): readonly string[] {
  return valueOr(() => readdirSync(folder), []);
}

export function folderExists(path: string): boolean {
  return valueOr(() => statSync(path).isDirectory(), false);
}

/** Makes files with these rights withheld, independent of how this process was started. */
export function withUmask(mask: number, make: () => void): void {
  const before = process.umask(mask);
  try {
    make();
  } finally {
    process.umask(before);
  }
}

const MAX_ENTRIES = 20_000;
const MAX_NAMES = 20;
const SKIPPED_FOLDERS = new Set([".git", ".jj", "node_modules"]);

/** Files below a folder that changed after a time. The search is bounded: a hint for people and agents, not a proof. */
export function filesChangedSince(folder: string, since: number, except: string): readonly string[] {
  const found: string[] = [];
  const open = [folder];
  let seen = 0;
  for (let at = open.pop(); at !== undefined && seen < MAX_ENTRIES && found.length < MAX_NAMES; at = open.pop()) {
    for (const entry of valueOr(() => readdirSync(at, { withFileTypes: true }), [])) {
      seen += 1;
      const path = join(at, entry.name);
      if (SKIPPED_FOLDERS.has(entry.name) || path === except || except.startsWith(`${path}/`)) continue;
      if (entry.isDirectory()) open.push(path);
      // File times are coarse: the same time may mean later.
      else if (entry.isFile() && valueOr(() => statSync(path).mtimeMs >= since, false))
        found.push(relative(folder, path));
    }
  }
  return found.slice(0, MAX_NAMES).toSorted();
}
