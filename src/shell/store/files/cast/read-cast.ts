import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import * as v from "valibot";
import { parseCastId, type CastId } from "../../../../core/model/ids.ts";
import { error, fail, ok, type Result } from "../../../../core/model/issue.ts";
import { oneLine } from "../../../../core/model/values/text.ts";
import { isInsideOrAbsent } from "../../../system/inside.ts";
import { isMissing, problemText } from "../../../system/problem.ts";
import { MOST_BYTES, readRegularText, statOf } from "../../../system/regular-file.ts";
import { CastFile, FORMAT } from "../../cast-file.ts";
import type { Trail } from "../../../../core/view/now/trail.ts";
import type { CurrentCast, Folded, Folding, LoadedCast } from "../../cast-store.ts";
import type { WithEvents } from "../../loading.ts";
import type { FoundBookmarks } from "../bookmarks/open-bookmarks.ts";
import { chainOf, foldJournal, type FoldedJournal } from "../journal/read-journal.ts";
import { homeOf, castLayout, type CastLayout } from "../../layout.ts";
import { withShared } from "./shared-parts.ts";

/** [C6] An id that is no id is refused before the disk is touched; a link that leads out of the root is no cast of it. */
export function findCast(root: string, text: string): Result<CastId> {
  const castId = parseCastId(text);
  if (castId === undefined) {
    const shown = oneLine(text, 60);
    const hint = `ids hold letters, digits, - and _; "materia casts" lists them`;
    return fail(error("bad_cast_id", shown, `"${shown}" is not a cast id`, hint));
  }
  if (isCast(root, castId)) return ok(castId);
  return unknownCast(castLayout(root, castId));
}

function unknownCast({ folder }: CastLayout): Result<never> {
  const castId = basename(folder);
  const message = `there is no cast "${castId}" under ${dirname(folder)}`;
  return fail(error("unknown_cast", castId, message, `"materia casts" lists them`));
}

function isCast(root: string, castId: CastId): boolean {
  const { folder, castFile, journal } = castLayout(root, castId);
  try {
    if (!existsSync(castFile) || dirname(realpathSync(folder)) !== realpathSync(homeOf(root, castId))) return false;
    return [castFile, journal].every((file) => isInsideOrAbsent(root, file));
  } catch {
    return false;
  }
}

export function readCastFile(layout: CastLayout): Result<CastFile> {
  const path = layout.castFile;
  const refused = (at: string, message: string, hint?: string): Result<never> =>
    fail({ ...error("bad_cast_file", at, message, hint), file: path });
  try {
    const parsed = v.safeParse(CastFile, withShared(JSON.parse(readRegularText(path, MOST_BYTES.castFile)), layout));
    if (parsed.success) return ok(parsed.output);
    const key = v.getDotPath(parsed.issues[0]) ?? "";
    const why =
      key === "versions.format" ? `it was written in another format than ${FORMAT}` : `its "${key}" is not as expected`;
    return refused(key, `cast.json cannot be used: ${why}`, "use the version that wrote it");
  } catch (thrown) {
    // A cast that was removed while somebody still had its id is no damaged one.
    if (isMissing(thrown) && !existsSync(layout.folder)) return unknownCast(layout);
    return refused("", `cast.json cannot be read: ${problemText(thrown)}`);
  }
}

/** A cast and the end of its journal, which its owner goes on from. */
export interface ReadCast<T> extends Folded<T> {
  readonly journal: JournalEnd;
}

export interface JournalEnd extends Omit<FoldedJournal<unknown>, "value"> {
  /** Set where it was read from a bookmark on. */
  readonly bookmarks?: FoundBookmarks;
}

/** What a cast was started with, before its journal is read. */
interface OpenedCast {
  readonly castId: CastId;
  readonly file: CastFile;
  readonly stamp: string;
}

export function openCast(layout: CastLayout, castId: CastId): Result<OpenedCast> {
  // Before it is read: what comes in between is new to whoever compares.
  const stamp = stampOf(layout);
  const file = readCastFile(layout);
  if (!file.ok) return file;
  if (file.value.castId !== castId)
    return fail({
      ...error("bad_cast_file", "castId", `cast.json is that of another cast, ${oneLine(file.value.castId, 60)}`),
      file: layout.castFile,
    });
  return ok({ castId, file: file.value, stamp });
}

/** [J1] A cast read from beginning to end. */
export function foldCast<T>(layout: CastLayout, castId: CastId, folding: Folding<T>): Result<ReadCast<T>> {
  const opened = openCast(layout, castId);
  return opened.ok ? foldOpened(layout, opened.value, folding) : opened;
}

export function foldOpened<T>(
  layout: CastLayout,
  { castId, file, stamp }: OpenedCast,
  { begin, step }: Folding<T>,
): Result<ReadCast<T>> {
  const start = (): T => begin(file);
  const folded = hasBegun(layout)
    ? foldJournal(layout.journal, file, start, ownEvents(castId, step))
    : ok({ value: start(), head: chainOf(file).head(), soundBytes: 0, tornBytes: 0 });
  if (!folded.ok) return folded;
  const { value, ...journal } = folded.value;
  return ok({ castId, file, value, tornBytes: journal.tornBytes, stamp, journal });
}

/** [J25] A journal that was begun for another cast is not read as this one's. */
export function ownEvents<T>(castId: CastId, step: Folding<T>["step"]): Folding<T>["step"] {
  return (value, event) => {
    if (event.type === "cast_started" && event.castId !== castId)
      throw new Error(`it belongs to another cast, ${oneLine(event.castId, 60)}`);
    return step(value, event);
  };
}

export function loadedCast({ value, ...cast }: ReadCast<WithEvents>): LoadedCast {
  const { events, trail } = value;
  return remembered({ ...standing(cast, trail), events }, cast.journal);
}

export function asCurrent({ value, ...cast }: ReadCast<Trail>): CurrentCast {
  return remembered(standing(cast, value), cast.journal);
}

function standing({ castId, file, tornBytes, stamp }: Omit<ReadCast<unknown>, "value">, trail: Trail): CurrentCast {
  return { castId, file, state: trail.state, trail, tornBytes, stamp };
}

/** Where the journals of casts end that were read: whoever goes on from one need not read it again. */
const journals = new WeakMap<CurrentCast, JournalEnd>();

function remembered<T extends CurrentCast>(cast: T, end: JournalEnd): T {
  journals.set(cast, end);
  return cast;
}

/** The end of its journal, if that is still as it was when the cast was read. */
export function unchangedEnd(cast: CurrentCast | undefined, layout: CastLayout): JournalEnd | undefined {
  return cast && cast.stamp === stampOf(layout) ? journals.get(cast) : undefined;
}

/** No time of a change can be chosen by who plants a file. A link, or a cast behind one, has no stamp: it is read. */
export function castStamp({ folder, castFile }: CastLayout): string | undefined {
  try {
    if (!lstatSync(folder).isDirectory()) return undefined;
    const found = lstatSync(castFile, { bigint: true });
    const { dev, ino, size, mtimeNs, ctimeNs } = found;
    return found.isFile() ? [dev, ino, size, mtimeNs, ctimeNs].join(" ") : undefined;
  } catch {
    return undefined;
  }
}

/** A journal only grows, and its torn end is cut only before it grows: the same size and time are the same text. */
function stampOf({ folder, castFile, journal }: CastLayout): string {
  const stats = [castFile, journal].map(statOf);
  return [folder, ...stats.map((stat) => (stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : "none"))].join(" ");
}

/** A cast that was killed before its first event has neither a journal nor the files of a visit. */
function hasBegun({ journal, sockets }: CastLayout): boolean {
  return existsSync(journal) || existsSync(sockets);
}
