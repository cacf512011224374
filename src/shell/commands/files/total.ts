import type { FileChange } from "../../../core/model/values/checkpoint.ts";

/** Files and lines in all; a file that is no text counts as a file alone. */
export function totalChanges(files: readonly FileChange[]) {
  const sum = (key: "added" | "removed") => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return { changed: files.length, added: sum("added"), removed: sum("removed") };
}
