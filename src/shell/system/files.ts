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
import * as v from "valibot";
import { parseJson } from "../../core/model/json.ts";

const MIB = 1024 * 1024;

/** [D22] The longest file of each kind that is read whole. */
export const MAX_FILE_BYTES = {
  /** Configuration, rehearsals, trust: files that people write. */
  config: 8 * MIB,
  castFile: 64 * MIB,
  /** A journal or a transcript: a larger one would not fit into memory. */
  journal: 256 * MIB,
} as const;

/** [D22] Reads a regular file up to a limit. Anything else is an error: reading a planted pipe or device would never end. */
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

/** Opens a file for reading, and only a regular one. */
export function openRegularFile(file: string, flags = 0): number {
  // Check first: opening a device may have effects.
  const found = statSync(file);
  if (!found.isFile()) throw notRegularError(found);
  // Do not block on a pipe that replaced the file.
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags);
  const opened = fstatSync(fd);
  if (opened.isFile()) return fd;
  closeSync(fd);
  throw notRegularError(opened);
}

/** What a call gives; another value if it throws, because the file or process is gone or cannot be read. */
export function valueOr<T, F>(read: () => T, otherwise: F): T | F {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** A small file that this program wrote; undefined if it is missing, or not as written. */
export function readStoredJson<T>(schema: v.GenericSchema<unknown, T>, file: string, most: number): T | undefined {
  const read = v.safeParse(schema, parseJson(valueOr(() => readRegularText(file, most), "")));
  return read.success ? read.output : undefined;
}

/** A failure to tidy up, or to write what may be lost, is harmless. */
export function ignoreLocalErrors(work: () => unknown): void {
  valueOr(work, undefined);
}

/** The file at a path, links followed; undefined if it cannot be seen. */
export function tryStat(path: string): BigIntStats | undefined {
  // It throws for a circular link, or a folder without permission.
  return valueOr(() => statSync(path, { bigint: true, throwIfNoEntry: false }), undefined);
}

/** Some files report size 0 and have content. A growing file is read to its size at the start, or slightly beyond. */
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

/** [D7] A new file is durable only after its folder is synced. Systems that cannot sync a folder do not need it. */
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

/** Renames a finished file if the name is still free. */
export function linkIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (thrown) {
    if (hasErrorCode(thrown, "EEXIST")) return false;
    if (!hasErrorCode(thrown, "EPERM") && !hasErrorCode(thrown, "ENOTSUP") && !hasErrorCode(thrown, "EOPNOTSUPP"))
      throw thrown;
  }
  // A file system without links: an exclusive copy is as safe, though not atomic.
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (thrown) {
    if (hasErrorCode(thrown, "EEXIST")) return false;
    throw thrown;
  }
}

/** Describes a system error in plain words, with its code. */
export function errorText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
  const words = code === undefined ? undefined : TEXT_BY_CODE[code];
  return words === undefined ? thrown.message : `${words} (${code})`;
}

export function isMissingFile(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && (thrown.code === "ENOENT" || thrown.code === "ENOTDIR");
}

export function hasErrorCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}

/** Whether the storage itself fails. */
export function isDiskError(thrown: unknown): boolean {
  return (
    thrown instanceof Error && "code" in thrown && /^(ENOSPC|EDQUOT|EROFS|EIO|EMFILE|ENFILE)$/.test(String(thrown.code))
  );
}

const TEXT_BY_CODE: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission is denied",
  EPERM: "the system does not permit it",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "a part of the path is a file, not a folder",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  ELOOP: "its links lead in a circle",
  ENOTREGULAR: "it is not a regular file",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open on this machine",
  EEXIST: "it exists already",
  EADDRINUSE: "the port is in use",
  ECONNREFUSED: "nothing answers at this address",
};
