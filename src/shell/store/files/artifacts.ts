import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Artifacts } from "../../ports.ts";
import { hasCode, isMissing, problemText } from "../../system/problem.ts";
import { syncFolder } from "../../system/sync.ts";
import type { Writing } from "../cast-store.ts";
import type { Layout } from "../layout.ts";

/** Files of a cast's visits. Every text passes `redact` on its way to the disk. */
export interface FileArtifacts extends Artifacts {
  /** [D7] What was written since the last time reaches the disk before a line that speaks of it. */
  readonly sync: () => void;
}

export function fileArtifacts(layout: Layout, { redact = unchanged, durability = "write" }: Writing): FileArtifacts {
  const unsynced = new Set<string>();
  /** The folder that was made or found last: of one visit several files are written. */
  let there = "";
  const isSynced = durability === "sync";
  const put = (file: string, folder: string, flags: "w" | "a", text: string): string | undefined => {
    const known = folder === there;
    try {
      if (!known) for (const changed of makeFolder(folder)) if (isSynced) unsynced.add(changed);
      there = folder;
      writeText(file, flags, redact(text), isSynced);
      if (isSynced) unsynced.add(folder);
      return undefined;
    } catch (thrown) {
      there = "";
      // Somebody has removed the folder since.
      if (known && isMissing(thrown)) return put(file, folder, flags, text);
      return `an artifact cannot be written: ${problemText(thrown)}`;
    }
  };
  return {
    folder: layout.folder,
    pathOf: layout.visitFile,
    write: async (socket, visit, name, text) =>
      put(layout.visitFile(socket, visit, name), layout.visitFolder(socket, visit), "w", text),
    append: async (socket, visit, name, text) =>
      put(layout.visitFile(socket, visit, name), layout.visitFolder(socket, visit), "a", text),
    sync: () => {
      for (const folder of unsynced) syncFolder(folder);
      unsynced.clear();
    },
  };
}

const unchanged = (text: string): string => text;

function writeText(file: string, flags: "w" | "a", text: string, isSynced: boolean): void {
  const fd = openSync(file, flags, 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    if (isSynced) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** One call where its parent is there, as for most visits. Answers with the folders that hold something new. */
function makeFolder(folder: string): readonly string[] {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return [dirname(folder)];
  } catch (thrown) {
    if (hasCode(thrown, "EEXIST")) return [];
    if (!isMissing(thrown)) throw thrown;
  }
  return [...makeFolder(dirname(folder)), ...makeFolder(folder)];
}
