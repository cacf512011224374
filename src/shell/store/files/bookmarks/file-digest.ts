import { closeSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { openRegularFile } from "../../../system/regular-file.ts";

const BLOCK_BYTES = 256 * 1024;

/** The digest of the first bytes of a file; nothing where it has fewer. */
export function digestFileStart(file: string, bytes: number): number | undefined {
  const fd = openRegularFile(file);
  try {
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, bytes));
    let digest = 0;
    for (let from = 0; from < bytes;) {
      const read = readSync(fd, block, 0, Math.min(BLOCK_BYTES, bytes - from), from);
      if (read === 0) return undefined;
      digest = crc32(block.subarray(0, read), digest);
      from += read;
    }
    return digest;
  } finally {
    closeSync(fd);
  }
}
