import { failWith, suggest, typed, error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import * as v from "valibot";
import { parseCastId, type CastId } from "../../../core/model/ids.ts";
import { oneLine } from "../../../core/model/text.ts";
import { isInsideOrAbsent } from "../../system/folders.ts";
import { isMissingFile, errorText, MAX_FILE_BYTES, readRegularFileText, tryStat, valueOr } from "../../system/files.ts";
import { CastFile, CAST_FORMAT } from "../cast-file.ts";
import type { CastTimeline } from "../../../core/cast/timeline.ts";
import {
  currentFrom,
  loadedFrom,
  type CurrentCast,
  type FoldedCast,
  type CastFold,
  type LoadedCast,
  TIMELINE,
  TIMELINE_WITH_EVENTS,
} from "../cast-store.ts";
import { firstChainHead } from "./journal-chain.ts";
import { foldJournal, type FoldedJournal } from "./read-journal.ts";
import { parentFolderOf, castLayout, type CastLayout } from "../layout.ts";
import { restoreSharedParts } from "./values.ts";

/** [C6] An invalid id is refused before the disk is read; a link that leads out of the root is no cast of it. */
export function findCast(root: string, text: string): Result<CastId> {
  const castId = parseCastId(text);
  if (castId === undefined) {
    const shown = oneLine(text, 60);
    const hint = suggest`ids hold letters, digits, - and _; ${typed`casts`} lists them`;
    return failWith("bad_cast_id", shown, `"${shown}" is not a cast id`, hint);
  }
  if (isCast(root, castId)) return ok(castId);
  return unknownCastIssue(castLayout(root, castId));
}

function unknownCastIssue({ folder }: CastLayout): Result<never> {
  const castId = basename(folder);
  const message = `there is no cast "${castId}" under ${dirname(folder)}`;
  return failWith("unknown_cast", castId, message, suggest`${typed`casts`} lists them`);
}

function isCast(root: string, castId: CastId): boolean {
  const { folder, castFile, journal } = castLayout(root, castId);
  const isHere = (): boolean =>
    existsSync(castFile) && dirname(realpathSync(folder)) === realpathSync(parentFolderOf(root, castId));
  return valueOr(isHere, false) && [castFile, journal].every((file) => isInsideOrAbsent(root, file));
}

export function readCastFile(layout: CastLayout): Result<CastFile> {
  const path = layout.castFile;
  const refused = (at: string, message: string, hint?: string): Result<never> =>
    fail({ ...error("bad_cast_file", at, message, hint), file: path });
  try {
    const parsed = v.safeParse(
      CastFile,
      restoreSharedParts(JSON.parse(readRegularFileText(path, MAX_FILE_BYTES.castFile)), layout),
    );
    if (parsed.success) return ok(parsed.output);
    const key = v.getDotPath(parsed.issues[0]) ?? "";
    const why = key === "versions.format" ? `its format is not ${CAST_FORMAT}` : `its "${key}" is not as expected`;
    return refused(key, `cast.json is invalid: ${why}`, "use the version that wrote it");
  } catch (thrown) {
    // A cast that was removed while its id was in use is not damaged.
    if (isMissingFile(thrown) && !existsSync(layout.folder)) return unknownCastIssue(layout);
    return refused("", `cannot read cast.json: ${errorText(thrown)}`);
  }
}

/** A cast and the end of its journal, where its owner continues. */
export interface CastReading<T> extends FoldedCast<T> {
  readonly journal: JournalEnd;
}

export type JournalEnd = Omit<FoldedJournal<unknown>, "value">;

/** [J1] A cast with all its events. */
export function foldCast<T>(layout: CastLayout, castId: CastId, folding: CastFold<T>): Result<CastReading<T>> {
  // Taken before the read: later changes then differ for callers that compare.
  const stamp = journalStamp(layout);
  const read = readCastFile(layout);
  if (!read.ok) return read;
  const file = read.value;
  if (file.castId !== castId) {
    const message = `cast.json belongs to another cast, ${oneLine(file.castId, 60)}`;
    return fail({ ...error("bad_cast_file", "castId", message), file: layout.castFile });
  }
  const { begin, step } = folding;
  const start = (): T => begin(file);
  const folded =
    existsSync(layout.journal) || existsSync(layout.sockets)
      ? foldJournal(layout.journal, file.castId, start, rejectForeignEvents(castId, step))
      : ok({ value: start(), head: firstChainHead(file.castId), soundBytes: 0, tornBytes: 0 });
  if (!folded.ok) return folded;
  const { value, ...journal } = folded.value;
  return ok({ castId, file, value, tornBytes: journal.tornBytes, stamp, journal });
}

/** [J25] A journal that was started for another cast is refused. */
function rejectForeignEvents<T>(castId: CastId, step: CastFold<T>["step"]): CastFold<T>["step"] {
  return (value, event) => {
    if (event.type === "cast_started" && event.castId !== castId)
      throw new Error(`it belongs to another cast, ${oneLine(event.castId, 60)}`);
    return step(value, event);
  };
}

/** Reads nothing that is no cast of this root. */
export function readCurrentCast(root: string, layout: CastLayout, castId: CastId): Result<CurrentCast> {
  const found = findCast(root, castId);
  const folded = found.ok ? foldCast(layout, castId, TIMELINE) : found;
  return folded.ok ? ok(toCurrentCast(folded.value)) : folded;
}

export function loadCast(root: string, layout: CastLayout, castId: CastId): Result<LoadedCast> {
  const found = findCast(root, castId);
  const folded = found.ok ? foldCast(layout, castId, TIMELINE_WITH_EVENTS) : found;
  if (!folded.ok) return folded;
  const { journal, ...cast } = folded.value;
  return ok(rememberEnd(loadedFrom(cast), journal));
}

export function toCurrentCast({ journal, ...cast }: CastReading<CastTimeline>): CurrentCast {
  return rememberEnd(currentFrom(cast), journal);
}

/** Ends of journals that were read: an owner that continues one need not read it again. */
const journalEndOf = new WeakMap<CurrentCast, JournalEnd>();

function rememberEnd<T extends CurrentCast>(cast: T, end: JournalEnd): T {
  journalEndOf.set(cast, end);
  return cast;
}

/** The end of its journal, if the journal is unchanged since. */
export function unchangedJournalEnd(cast: CurrentCast | undefined, layout: CastLayout): JournalEnd | undefined {
  return cast && cast.stamp === journalStamp(layout) ? journalEndOf.get(cast) : undefined;
}

/** A planted file cannot choose its change time. A link, or a cast behind one, has no stamp and is always read. */
export function castFileStamp({ folder, castFile }: CastLayout): string | undefined {
  return valueOr(() => {
    if (!lstatSync(folder).isDirectory()) return undefined;
    const found = lstatSync(castFile, { bigint: true });
    const { dev, ino, size, mtimeNs, ctimeNs } = found;
    return found.isFile() ? [dev, ino, size, mtimeNs, ctimeNs].join(" ") : undefined;
  }, undefined);
}

/** A journal only grows, and a torn end is cut only before it grows: equal size and time mean equal text. */
function journalStamp({ folder, castFile, journal }: CastLayout): string {
  const stats = [castFile, journal].map(tryStat);
  return [folder, ...stats.map((stat) => (stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : "none"))].join(" ");
}
