import { existsSync, fstatSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { isMissingFile, openRegularFile, withFile } from "../../system/files.ts";

const BLOCK = 64 * 1024;
/** Longer than any event; a file without line breaks would fill the memory. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

type ReadOutcome =
  | { readonly kind: "lines"; readonly lines: readonly Buffer[] }
  | { readonly kind: "nothing" }
  /** The file is gone, or shorter than before. */
  | { readonly kind: "lost" };

/** Reads a growing file of lines in blocks; the position advances by whole lines. */
export function createLineReader(file: string) {
  let offset = 0;
  const read = (fd: number): ReadOutcome => {
    for (let length = BLOCK; ; length *= 4) {
      const { size } = fstatSync(fd);
      if (size < offset) return { kind: "lost" };
      const bytes = readBlock(fd, offset, Math.min(length, size - offset));
      const end = bytes.lastIndexOf(0x0a) + 1;
      if (end > 0) {
        offset += end;
        return { kind: "lines", lines: splitLines(bytes.subarray(0, end)) };
      }
      if (length > MAX_LINE_BYTES) return { kind: "lost" };
      // The line continues after this block, or is still being written.
      if (offset + bytes.length >= size) return { kind: "nothing" };
    }
  };
  return {
    read: (): ReadOutcome => {
      let fd: number;
      try {
        fd = openRegularFile(file);
      } catch (thrown) {
        // The folder of a cast exists a moment before its journal.
        const isYoung = isMissingFile(thrown) && offset === 0 && existsSync(dirname(file));
        return { kind: isYoung ? "nothing" : "lost" };
      }
      return withFile(fd, read);
    },
  };
}

/** Lines without their ends; all of them end with a line break. */
export function splitLines(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(0x0a, from);
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return lines;
}

export function readBlock(fd: number, from: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.subarray(0, readSync(fd, buffer, 0, length, from));
}
