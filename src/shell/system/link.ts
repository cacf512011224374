import { constants, copyFileSync, linkSync } from "node:fs";
import { hasErrorCode } from "./problem.ts";

/** Gives a finished file its name, if that is still free. */
export function linkIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (thrown) {
    if (hasErrorCode(thrown, "EEXIST")) return false;
    if (!hasErrorCode(thrown, "EPERM") && !hasErrorCode(thrown, "ENOTSUP") && !hasErrorCode(thrown, "EOPNOTSUPP")) throw thrown;
  }
  // A file system without links: a copy under a free name is as exclusive, if not as sudden.
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (thrown) {
    if (hasErrorCode(thrown, "EEXIST")) return false;
    throw thrown;
  }
}
