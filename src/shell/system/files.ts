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
  copyFileSync,
  linkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { randomUUID } from "node:crypto";
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
  return withFile(openRegularFile(file), (fd) => {
    const { size } = fstatSync(fd);
    if (size > most) throw tooLongError(most);
    return readUpTo(fd, size, most);
  });
}

export function readRegularFileText(file: string, most: number): string {
  return readRegularFile(file, most).toString("utf8");
}

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

/** Closes an open file after its use. */
export function withFile<T>(fd: number, use: (fd: number) => T): T {
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
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
  const read = v.safeParse(schema, parseJson(valueOr(() => readRegularFileText(file, most), "")));
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
    syncFile(folder);
  } catch (thrown) {
    if (!["EISDIR", "EPERM", "EINVAL", "EACCES"].some((code) => hasErrorCode(thrown, code))) throw thrown;
  }
}

export function syncFile(file: string): void {
  withFile(openSync(file, "r"), fsyncSync);
}

/** Replaces a file as a whole: nobody reads half of it. */
export function replaceFile(file: string, text: string | Buffer, mode = 0o600): void {
  withDraft(file, { text, mode }, (draft) => renameSync(draft, file));
}

/** Creates a file as a whole; false if there is one already. */
export function createFile(file: string, text: string | Buffer, mode = 0o600): boolean {
  return withDraft(file, { text, mode }, (draft) => linkIfFree(draft, file));
}

function withDraft<T>(
  file: string,
  { text, mode }: { readonly text: string | Buffer; readonly mode: number },
  use: (draft: string) => T,
): T {
  const draft = `${file}.${randomUUID()}.draft`;
  try {
    writeFileSync(draft, text, { mode, flag: "wx" });
    return use(draft);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Renames a finished file if the name is still free. */
export function linkIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (thrown) {
    if (hasErrorCode(thrown, "EEXIST")) return false;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP"].some((code) => hasErrorCode(thrown, code))) throw thrown;
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

export function errorText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
  const words = code === undefined ? undefined : TEXT_BY_CODE[code];
  return words === undefined ? thrown.message : `${words} (${code})`;
}

export function isMissingFile(thrown: unknown): boolean {
  return hasErrorCode(thrown, "ENOENT") || hasErrorCode(thrown, "ENOTDIR");
}

export function hasErrorCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}

/** Whether the storage itself fails. */
export function isDiskError(thrown: unknown): boolean {
  return ["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE"].some((code) => hasErrorCode(thrown, code));
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
