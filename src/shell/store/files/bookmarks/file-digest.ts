import { closeSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { openRegular } from "../../../system/regular-file.ts";

const BLOCK = 256 * 1024;

/** The digest of the first bytes of a file; nothing where it has fewer. */
export function fileDigest(file: string, bytes: number): number | undefined {
  const fd = openRegular(file);
  try {
    const block = Buffer.allocUnsafe(Math.min(BLOCK, bytes));
    let digest = 0;
    for (let from = 0; from < bytes;) {
      const read = readSync(fd, block, 0, Math.min(BLOCK, bytes - from), from);
      if (read === 0) return undefined;
      digest = crc32(block.subarray(0, read), digest);
      from += read;
    }
    return digest;
  } finally {
    closeSync(fd);
  }
}
