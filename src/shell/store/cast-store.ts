import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import * as v from "valibot";
import { startState } from "../../core/cast/state.ts";
import { parseCastId } from "../../core/model/ids.ts";
import type { CastId } from "../../core/model/ids.ts";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { oneLine } from "../../core/model/text.ts";
import { CastFile, FORMAT, startOf } from "./cast-file.ts";
import type { Durability } from "./journal.ts";
import { problemText } from "../system/problem.ts";
import { MOST_BYTES, readRegularText, statOf } from "../system/regular-file.ts";
import { readJournal } from "./read-journal.ts";
import type { ReadJournal } from "./read-journal.ts";
import { syncFolder, writeSynced } from "../system/sync.ts";

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

/** [C6] An id that is no id is refused before the disk is touched; a link that leads out of the root is no cast of it. */
export function castFolder(root: string, text: string): Result<CastFolder> {
  const castId = parseCastId(text);
  if (castId === undefined) {
    return fail(
      error(
        "bad_cast_id",
        oneLine(text, 60),
        `"${oneLine(text, 60)}" is not a cast id`,
        `ids hold letters, digits, - and _; "casts" lists them`,
      ),
    );
  }
  const runDir = resolve(root, castId);
  if (!isCast(runDir) || dirname(realpathSync(runDir)) !== realpathSync(root)) {
    return fail(error("unknown_cast", castId, `there is no cast "${castId}" under ${root}`, `"casts" lists them`));
  }
  return ok({ castId, runDir });
}

export function isCast(runDir: string): boolean {
  return existsSync(join(runDir, "cast.json"));
}

/** A cast with its journal. What has not changed since it was last read is not read again: a resume looks more than once. */
export function loadCast(root: string, text: string): Result<LoadedCast> {
  const folder = castFolder(root, text);
  if (!folder.ok) return folder;
  const stamp = stampOf(folder.value.runDir);
  if (latest?.stamp === stamp) return ok(latest.cast);
  const cast = readCast(folder.value);
  if (cast.ok) latest = { stamp, cast: cast.value };
  return cast;
}

let latest: { readonly stamp: string; readonly cast: LoadedCast } | undefined;

/** A journal only grows, and its torn end is cut only before it grows: the same size and time are the same text. */
function stampOf(runDir: string): string {
  const stats = [join(runDir, "cast.json"), journalFile(runDir)].map(statOf);
  return [runDir, ...stats.map((stat) => (stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : "none"))].join(" ");
}

function readCast(folder: CastFolder): Result<LoadedCast> {
  const { runDir } = folder;
  const file = readCastFile(runDir);
  if (!file.ok) return file;
  const journal = hasBegun(runDir) ? readJournal(journalFile(runDir), startOf(file.value)) : ok(unbegun(file.value));
  return journal.ok ? ok({ ...folder, file: file.value, journal: journal.value }) : journal;
}

/** A cast that was killed before its first event has neither a journal nor the files of a visit. */
function hasBegun(runDir: string): boolean {
  return existsSync(journalFile(runDir)) || existsSync(join(runDir, "sockets"));
}

function unbegun(file: CastFile): ReadJournal {
  return { events: [], state: startState(startOf(file)), soundBytes: 0, tornBytes: 0 };
}

export function readCastFile(runDir: string): Result<CastFile> {
  const path = join(runDir, "cast.json");
  try {
    const raw: unknown = JSON.parse(readRegularText(path, MOST_BYTES.castFile));
    const parsed = v.safeParse(CastFile, raw);
    if (parsed.success) return ok(parsed.output);
    const [first] = parsed.issues;
    const key = v.getDotPath(first) ?? "";
    const message =
      key === "versions.format" ? `it was written in another format than ${FORMAT}` : `its "${key}" is not as expected`;
    return fail({
      ...error("bad_cast_file", key, `cast.json cannot be used: ${message}`, "use the version that wrote it"),
      file: path,
    });
  } catch (thrown) {
    return fail({ ...error("bad_cast_file", "", `cast.json cannot be read: ${problemText(thrown)}`), file: path });
  }
}

/** Everything of a new cast up to its first event. Nothing of it exists before all checks have passed. */
export function createCast(
  root: string,
  file: CastFile,
  { brings = {}, durability = "write" }: NewCastOptions = {},
): Result<CastFolder> {
  const runDir = join(root, file.castId);
  const write = durability === "sync" ? writeSynced : writeFileSync;
  let made: string | undefined;
  try {
    made = mkdirSync(root, { recursive: true });
    mkdirSync(runDir);
    made ??= runDir;
    for (const [name, text] of Object.entries(brings)) write(join(runDir, name), text);
    const draft = join(runDir, "cast.json.draft");
    write(draft, `${JSON.stringify(file, undefined, 1)}\n`);
    renameSync(draft, join(runDir, "cast.json"));
    if (durability === "sync") for (const folder of [runDir, root, dirname(root)]) syncFolder(folder);
    return ok({ castId: file.castId, runDir });
  } catch (thrown) {
    // [C3] What could not begin leaves nothing behind.
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
    return fail({
      ...error(
        "cannot_write",
        "artifactDir",
        `the cast's folder cannot be made: ${problemText(thrown)}`,
        "choose another place with --artifacts",
      ),
      file: runDir,
    });
  }
}

interface NewCastOptions {
  /** Files that the cast brings with it, by name. */
  readonly brings?: Readonly<Record<string, string>>;
  readonly durability?: Durability;
}

/** Takes back a cast that could not begin. */
export function discardCast({ runDir }: CastFolder): void {
  rmSync(runDir, { recursive: true, force: true });
}

/** Sorts by time when sorted by name, to the millisecond; chance keeps two casts of one moment apart. */
export function newCastId(now: Date, chance: number): CastId {
  const stamp = now.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${digits(now.getUTCMilliseconds(), 2)}${digits(Math.floor(chance * 36 ** 4), 4)}` as CastId; // digits, letters and dashes
}

function digits(value: number, length: number): string {
  return value.toString(36).padStart(length, "0");
}

/** Whether a word has the form of the ids that are made here. */
export function looksLikeCastId(word: string): boolean {
  return /^\d{8}-\d{6}-[0-9a-z]{6}$/.test(word);
}

export function folderExists(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
