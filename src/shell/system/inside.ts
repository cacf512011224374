import { existsSync, realpathSync } from "node:fs";
import { sep } from "node:path";

/** [N4] Whether a path lies below a folder when all links are followed; agents may have left links anywhere. */
export function isInside(folder: string, path: string): boolean {
  try {
    return realpathSync(path).startsWith(realpathSync(folder) + sep);
  } catch {
    return false;
  }
}

/** Whether a path may be read: it lies inside, or there is nothing to read yet. */
export function isInsideOrAbsent(folder: string, path: string): boolean {
  return isInside(folder, path) || !existsSync(path);
}
