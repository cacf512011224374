import { existsSync, mkdirSync, writeFileSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import type { Artifacts } from "../../ports.ts";
import { hasErrorCode, isMissingFile, errorText, syncFolder, valueOr, withFile } from "../../system/files.ts";
import type { WriteOptions, ArtifactBytes, ByteRange } from "../cast-store.ts";
import type { CastLayout } from "../layout.ts";
import { createValueWriter } from "./values.ts";
import { isInside } from "../../system/folders.ts";

/** Files of a cast's visits. Every text passes `redact` before it is written. */
export function createFileArtifacts(
  layout: CastLayout,
  { redact = (text) => text, durability = "write" }: WriteOptions,
): Artifacts & { readonly sync: () => void } {
  const unsynced = new Set<string>();
  /** The last folder: a visit writes several files. */
  let there = "";
  const isSynced = durability === "sync";
  // [D30] With a named encoding Node opens, writes and closes in one call, but ignores `flush`.
  const how = isSynced ? ({ flush: true } as const) : ({ encoding: "utf8" } as const);
  const keep = createValueWriter(layout, redact, isSynced);
  const put = (file: string, folder: string, flags: "w" | "a", text: string): string | undefined => {
    const isLastFolder = folder === there;
    try {
      if (!isLastFolder) for (const changed of makeFolder(folder, layout.folder)) if (isSynced) unsynced.add(changed);
      there = folder;
      writeFileSync(file, redact(text), { ...how, flag: flags, mode: 0o600 });
      if (isSynced) unsynced.add(folder);
      return undefined;
    } catch (thrown) {
      there = "";
      // The folder was removed in between.
      if (isLastFolder && isMissingFile(thrown)) return put(file, folder, flags, text);
      return `cannot write an artifact: ${errorText(thrown)}`;
    }
  };
  return {
    folder: layout.folder,
    pathOf: layout.visitFile,
    write: async (socket, visit, name, text) =>
      put(layout.visitFile(socket, visit, name), layout.visitFolder(socket, visit), "w", text),
    append: async (socket, visit, name, text) =>
      put(layout.visitFile(socket, visit, name), layout.visitFolder(socket, visit), "a", text),
    storeValue: async (value) => {
      if (isSynced) unsynced.add(layout.values).add(layout.folder);
      return keep(value);
    },
    // [D7] Flushes files before the journal line that refers to them.
    sync: () => {
      for (const folder of unsynced) if (existsSync(folder)) syncFolder(folder);
      unsynced.clear();
    },
  };
}

/** One call if the parent folder exists, as for most visits. Returns the folders with new entries. A removed cast is not recreated. */
function makeFolder(folder: string, cast: string): readonly string[] {
  const parent = dirname(folder);
  try {
    mkdirSync(folder, { mode: 0o700 });
    return [parent];
  } catch (thrown) {
    // The agent's transcript starts before the first file, and creates both folders.
    if (hasErrorCode(thrown, "EEXIST")) return [dirname(folder), dirname(dirname(folder))];
    if (!isMissingFile(thrown) || parent === cast) throw thrown;
  }
  return [...makeFolder(parent, cast), ...makeFolder(folder, cast)];
}

export function readFileRange(
  folder: string,
  path: string,
  { from = 0, maxBytes: most = Infinity }: ByteRange,
): ArtifactBytes | undefined {
  // A missing file is common and must be cheap.
  if (!existsSync(path) || !isInside(folder, path)) return undefined;
  // Follows no link that replaced the file, and does not block on a pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const read = (fd: number): ArtifactBytes | undefined => {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.max(0, Math.min(most, stat.size - from)));
    const length = readSync(fd, bytes, 0, bytes.length, from);
    return { bytes: bytes.subarray(0, length), size: stat.size, changedAt: stat.mtimeMs };
  };
  return valueOr(() => withFile(openSync(path, flags), read), undefined);
}
