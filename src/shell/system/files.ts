import {
  type BigIntStats,
  type Stats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  statSync,
  fsyncSync,
  writeSync,
  copyFileSync,
  linkSync,
} from "node:fs";
import { hasErrorCode } from "./system-error.ts";

const MIB = 1024 * 1024;

/** [D22] The longest file of each kind that is read whole. */
export const MAX_FILE_BYTES = {
  /** Configuration, rehearsals, trust: what people and tools write by hand. */
  config: 8 * MIB,
  castFile: 64 * MIB,
  /** A journal or a transcript: beyond this nobody could hold what it folds to. */
  journal: 256 * MIB,
  bookmarks: 64 * MIB,
} as const;

/**
 * [D22] A file as a whole, if it is a regular one and not too long; anything else is an error of the system like a missing file.
 * What stands at a path may have been planted: a pipe or a device would be read for ever.
 */
export function readRegularFile(file: string, most: number): Buffer {
  const fd = openRegularFile(file);
  try {
    const { size } = fstatSync(fd);
    if (size > most) throw tooLongError(most);
    return readUpTo(fd, size, most);
  } finally {
    closeSync(fd);
  }
}

export function readRegularText(file: string, most: number): string {
  return readRegularFile(file, most).toString("utf8");
}

/** Open for reading, and certainly a regular file. */
export function openRegularFile(file: string, flags = 0): number {
  // Looked at first: merely opening a device may do something.
  const found = statSync(file);
  if (!found.isFile()) throw notRegularError(found);
  // Without waiting at a pipe that took its place in between.
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags);
  const opened = fstatSync(fd);
  if (opened.isFile()) return fd;
  closeSync(fd);
  throw notRegularError(opened);
}

/** What stands at a path, links followed; nothing where nothing can be seen. */
export function tryStat(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A link in a circle, or a folder that may not be entered.
    return undefined;
  }
}

/** Some files say that they are empty and are not; one that grows meanwhile is read to where it stood or a little behind. */
function readUpTo(fd: number, size: number, most: number): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (let room = size + 1; ; room = 64 * 1024) {
    const part = Buffer.allocUnsafe(room);
    const read = readSync(fd, part, 0, room, null);
    length += read;
    if (length > most) throw tooLongError(most);
    parts.push(part.subarray(0, read));
    if (read === 0 || length === size) return parts.length === 1 ? part.subarray(0, read) : Buffer.concat(parts);
  }
}

function notRegularError(found: Stats): Error {
  const code = found.isDirectory() ? "EISDIR" : "ENOTREGULAR";
  return Object.assign(new Error("it is not a regular file"), { code });
}

function tooLongError(most: number): Error {
  return Object.assign(new Error(`it is longer than ${most / MIB} MB`), { code: "EFBIG" });
}

/** [D7] A new file is safe only when its folder knows of it. Some systems cannot sync a folder; they need no telling. */
export function syncFolder(folder: string): void {
  try {
    withOpenFile(folder, "r", fsyncSync);
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && /^(EISDIR|EPERM|EINVAL|EACCES)$/.test(String(thrown.code))))
      throw thrown;
  }
}

export function writeFileSynced(file: string, text: string): void {
  withOpenFile(file, "w", (fd) => {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  });
}

function withOpenFile(path: string, flags: string, use: (fd: number) => void): void {
  const fd = openSync(path, flags, 0o600);
  try {
    use(fd);
  } finally {
    closeSync(fd);
  }
}

export function syncFile(file: string): void {
  withOpenFile(file, "r", fsyncSync);
}

/** Gives a finished file its name, if that is still free. */
export function linkIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (thrown) {
    if (hasErrorCode(thrown, "EEXIST")) return false;
    if (!hasErrorCode(thrown, "EPERM") && !hasErrorCode(thrown, "ENOTSUP") && !hasErrorCode(thrown, "EOPNOTSUPP"))
      throw thrown;
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
