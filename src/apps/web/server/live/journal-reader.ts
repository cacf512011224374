import { closeSync, existsSync, fstatSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { isMissing } from "../../../../shell/system/problem.ts";
import { openRegular } from "../../../../shell/system/regular-file.ts";

const BLOCK = 64 * 1024;
/** No event is so long; a file without line breaks would fill the memory. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** What stands in a journal behind a place, read in blocks; the place moves on by whole lines. */
export interface JournalReader {
  /** The next lines with the number of the first; none where there is nothing new. */
  readonly read: () => Reading;
}

export type Reading =
  | { readonly kind: "lines"; readonly first: number; readonly lines: readonly string[] }
  | { readonly kind: "nothing" }
  /** The file is gone, or shorter than what was read of it. */
  | { readonly kind: "lost" };

/** [N12] The number of a line is the `seq` of its event, so that lines are counted to find the place, not parsed. */
export function journalReader(file: string, after: number): JournalReader {
  let offset = 0;
  let line = 0;
  const pass = (bytes: Buffer): number => {
    let end = 0;
    while (line < after) {
      const found = bytes.indexOf(0x0a, end);
      if (found === -1) break;
      end = found + 1;
      line += 1;
    }
    return end;
  };
  const read = (fd: number): Reading => {
    for (let length = BLOCK; ;) {
      const { size } = fstatSync(fd);
      if (size < offset) return { kind: "lost" };
      const bytes = readBlock(fd, offset, Math.min(length, size - offset));
      const end = bytes.lastIndexOf(0x0a) + 1;
      if (end === 0) {
        // Either the line goes on behind this block, or it is still being written.
        if (length > LONGEST_LINE) return { kind: "lost" };
        if (offset + bytes.length < size) length *= 4;
        // A listener that has seen more lines than there are has seen another file.
        else return { kind: line < after && size === offset ? "lost" : "nothing" };
        continue;
      }
      const passed = pass(bytes.subarray(0, end));
      offset += end;
      if (passed === end) continue;
      const lines = bytes.subarray(passed, end).toString("utf8").split("\n").slice(0, -1);
      const first = line + 1;
      line += lines.length;
      return { kind: "lines", first, lines };
    }
  };
  return {
    read: () => {
      let fd: number;
      try {
        fd = openRegular(file);
      } catch (thrown) {
        // What is no journal, a pipe or a folder in its place, is not the one that was read.
        if (!isMissing(thrown)) return { kind: "lost" };
        // A cast has its folder a moment before it has a journal.
        return { kind: offset === 0 && after === 0 && existsSync(dirname(file)) ? "nothing" : "lost" };
      }
      try {
        return read(fd);
      } finally {
        closeSync(fd);
      }
    },
  };
}

function readBlock(fd: number, from: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.subarray(0, readSync(fd, buffer, 0, length, from));
}
