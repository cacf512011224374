import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isInside } from "../../system/inside.ts";
import type { ArtifactBytes, ByteRange } from "../cast-store.ts";

/** A part of a regular file below a folder; nothing where there is none. */
export function readFileRange(
  folder: string,
  path: string,
  { from = 0, maxBytes: most = Infinity }: ByteRange,
): ArtifactBytes | undefined {
  if (!isInside(folder, path)) return undefined;
  let fd: number;
  try {
    // Without following a link that took the file's place just now, and without waiting at a pipe.
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.max(0, Math.min(most, stat.size - from)));
    const read = readSync(fd, bytes, 0, bytes.length, from);
    return { bytes: bytes.subarray(0, read), size: stat.size, changedAt: stat.mtimeMs };
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
