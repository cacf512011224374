import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import * as v from "valibot";
import { parseCastId } from "../../core/model/ids.ts";
import type { CastId } from "../../core/model/ids.ts";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { oneLine } from "../../core/model/text.ts";
import { CastFile, FORMAT, startOf } from "./cast-file.ts";
import { problemText } from "./problem.ts";
import { readJournal } from "./read-journal.ts";
import type { ReadJournal } from "./read-journal.ts";

/** One cast on disk. */
export interface CastFolder {
  readonly castId: CastId;
  readonly runDir: string;
}

export interface LoadedCast extends CastFolder {
  readonly file: CastFile;
  readonly journal: ReadJournal;
}

export function journalFile(runDir: string): string {
  return join(runDir, "journal.jsonl");
}

/** [C6] An id that is no id is refused before the disk is touched; the folder lies inside the root by its form and is checked all the same. */
export function castFolder(root: string, text: string): Result<CastFolder> {
  const castId = parseCastId(text);
  if (castId === undefined) {
    return fail(error("bad_cast_id", oneLine(text, 60), `"${oneLine(text, 60)}" is not a cast id`, `ids hold letters, digits, - and _; "casts" lists them`));
  }
  const runDir = resolve(root, castId);
  if (!runDir.startsWith(resolve(root) + sep) || !isCast(runDir)) {
    return fail(error("unknown_cast", castId, `there is no cast "${castId}" under ${root}`, `"casts" lists them`));
  }
  return ok({ castId, runDir });
}

export function isCast(runDir: string): boolean {
  return existsSync(join(runDir, "cast.json"));
}

export function loadCast(root: string, text: string): Result<LoadedCast> {
  const folder = castFolder(root, text);
  if (!folder.ok) return folder;
  const file = readCastFile(folder.value.runDir);
  if (!file.ok) return file;
  const journal = readJournal(journalFile(folder.value.runDir), startOf(file.value));
  return journal.ok ? ok({ ...folder.value, file: file.value, journal: journal.value }) : journal;
}

export function readCastFile(runDir: string): Result<CastFile> {
  const path = join(runDir, "cast.json");
  try {
    const raw: unknown = JSON.parse(readFileSync(path, "utf8"));
    const parsed = v.safeParse(CastFile, raw);
    if (parsed.success) return ok(parsed.output);
    const [first] = parsed.issues;
    const key = v.getDotPath(first) ?? "";
    const message = key === "versions.format" ? `it was written in another format than ${FORMAT}` : `its "${key}" is not as expected`;
    return fail({ ...error("bad_cast_file", key, `cast.json cannot be used: ${message}`, "use the version that wrote it"), file: path });
  } catch (thrown) {
    return fail({ ...error("bad_cast_file", "", `cast.json cannot be read: ${problemText(thrown)}`), file: path });
  }
}

/** Everything of a new cast up to its first event. Nothing of it exists before all checks have passed. */
export function createCast(root: string, file: CastFile): Result<CastFolder> {
  const runDir = join(root, file.castId);
  try {
    mkdirSync(root, { recursive: true });
    mkdirSync(runDir);
    const draft = join(runDir, "cast.json.draft");
    writeFileSync(draft, `${JSON.stringify(file, undefined, 1)}\n`);
    renameSync(draft, join(runDir, "cast.json"));
    return ok({ castId: file.castId, runDir });
  } catch (thrown) {
    return fail({ ...error("cannot_write", "artifactDir", `the cast's folder cannot be made: ${problemText(thrown)}`, "choose another place with --artifacts"), file: runDir });
  }
}

/** Sorts by time when sorted by name; the tail keeps two casts of one second apart. */
export function newCastId(now: Date, chance: number): CastId {
  const stamp = now.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  const tail = Math.floor(chance * 36 ** 5).toString(36).padStart(5, "0");
  return `${stamp}-${tail}` as CastId; // digits, letters and dashes
}

export function folderExists(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
