import { readdirSync, watch as watchSystem } from "node:fs";
import { isOfThisKernel } from "../../process/process-owner.ts";
import { parentOf, parseCastId, type CastId } from "../../../core/model/ids.ts";
import { error, fail, ok, type Issue, type Result } from "../../../core/model/issue.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import { folderWatch, type FolderWatch } from "../../system/folder-watch.ts";
import { isMissing, problemText } from "../../system/problem.ts";
import type { CastStore, OwnedCast } from "../cast-store.ts";
import { begunSummary, tellsEnough, unbegunSummary } from "../summary.ts";
import { requestAbort } from "./abort-request.ts";
import { followEvents, followTranscript } from "./follow.ts";
import { hasNoLine, journalEnds } from "./journal/journal-ends.ts";
import { layoutIn, castLayout, type CastLayout } from "../layout.ts";
import { createCast, removeCasts, removedFolder } from "./new-cast.ts";
import { ownedCast, type OwnedCastParts } from "./owned-cast.ts";
import { SILENT_MS, claim, currentOwner, type Claim } from "./owner/claims.ts";
import type { BookmarkHabit, BookmarkKey } from "./bookmarks/open-bookmarks.ts";
import { currentCast } from "./cast/current-cast.ts";
import { asCurrent, castStamp, findCast, foldCast, loadedCast, readCastFile } from "./cast/read-cast.ts";
import { WITH_EVENTS } from "../loading.ts";
import { readPart } from "./regular-file.ts";

export interface FileStoreOptions {
  readonly watch?: FolderWatch;
  /** Without a key no bookmarks are made or read. */
  readonly bookmarks?: Partial<BookmarkHabit>;
}

/** Bytes of a journal from one bookmark to the next: less would cost more at each step, more would cost whoever reads on. */
const BOOKMARK_EVERY = 1024 * 1024;

const NO_KEY: BookmarkKey = { find: () => undefined, make: () => undefined };

/** Casts as folders below one folder. */
export function fileStore(root: string, options: FileStoreOptions = {}): CastStore {
  const { watch = everyFolder } = options;
  const bookmarks: BookmarkHabit = { key: NO_KEY, every: BOOKMARK_EVERY, ...options.bookmarks };
  const at = (castId: CastId): CastLayout => castLayout(root, castId);
  const summary = (castId: CastId): Promise<CastSummary | undefined> => summaryOf(at(castId), castId);
  return {
    place: root,
    placeOf: (castId) => at(castId).folder,
    find: async (text) => findCast(root, text),
    ids: async () => castIds(root),
    summary,
    list: async () => {
      const ids = castIds(root);
      if (!ids.ok) return ids;
      const casts: CastSummary[] = [];
      for (const castId of ids.value) casts.push(...[(await summary(castId)) ?? []].flat());
      return ok(casts);
    },
    owner: async (castId) => ownerOf(at(castId)),
    stamp: async (castId) => castStamp(at(castId)),
    describe: async (castId) => readCastFile(at(castId)),
    current: async (castId) =>
      ofCast(root, castId, () => mapped(currentCast(at(castId), castId, bookmarks.key), asCurrent)),
    load: async (castId) => ofCast(root, castId, () => mapped(foldCast(at(castId), castId, WITH_EVENTS), loadedCast)),
    fold: async (castId, folding) => foldCast(at(castId), castId, folding),
    ends: async (castId, enough) => journalEnds(at(castId).journal, enough),
    readArtifact: async (castId, { socket, visit, name }, part = {}) =>
      readPart(at(castId).folder, at(castId).visitFile(socket, visit, name), part),
    readValue: async (castId, digest) => {
      // It comes from a file that anybody may have planted; only what a digest looks like becomes a name.
      if (!/^[0-9a-f]{32}$/.test(digest)) return undefined;
      const { folder, value } = at(castId);
      // Items of earlier versions have their own.
      const part =
        readPart(at(parentOf(castId) ?? castId).folder, value(digest), {}) ??
        readPart(folder, layoutIn(folder).value(digest), {});
      return part && Buffer.from(part.bytes).toString("utf8");
    },
    readBrought: async (castId, name) => {
      const part = readPart(at(castId).folder, at(castId).brought(name), {});
      return part && Buffer.from(part.bytes).toString("utf8");
    },
    lastVisit: async (castId, socket) => lastVisit(at(castId).socketFolder(socket)),
    create: (cast, how) => createCast(root, cast, { how, bookmarks }),
    claim: (castId, how) => claimCast(root, castId, { how, bookmarks }),
    requestAbort: async (castId) => requestAbort(at(castId).abortRequest),
    remove: (casts) => removeCasts(root, casts),
    follow: (castId, after, wake) => {
      const file = readCastFile(at(castId));
      return followEvents(at(castId), file.ok ? file.value : undefined, { after, wake, watch });
    },
    followTranscript: (castId, visit, wake) => followTranscript(at(castId), visit, { wake, watch }),
    onListChange: (listener) => watch.on(root, listener),
    onCastChange: (castId, listener) => watch.on(at(castId).folder, listener),
    onOwnerChange: (castId, listener) => watch.on(at(castId).owner, listener),
  };
}

/** Nothing is read of what is no cast of this root. */
function ofCast<T>(root: string, castId: CastId, read: () => Result<T>): Result<T> {
  const found = findCast(root, castId);
  return found.ok ? read() : found;
}

function mapped<T, U>(result: Result<T>, change: (value: T) => U): Result<U> {
  return result.ok ? ok(change(result.value)) : result;
}

/** One watch of the system per folder in this process, however many stores are opened. */
const everyFolder: FolderWatch = folderWatch({
  watch: watchSystem,
  everySecond: (listener) => {
    const timer = setInterval(listener, 1_000);
    timer.unref();
    return () => clearInterval(timer);
  },
});

/** Newest first; ids sort by the time they were made. */
function castIds(root: string): Result<readonly CastId[]> {
  try {
    const names = readdirSync(root);
    return ok(
      names
        .flatMap((name) => parseCastId(name) ?? [])
        .toSorted()
        .toReversed(),
    );
  } catch (thrown) {
    if (isMissing(thrown)) return ok([]);
    return fail({
      ...error("unreadable_file", root, `the casts cannot be listed: ${problemText(thrown)}`),
      file: root,
    });
  }
}

/** What a listing shows of a cast, from the two ends of its journal: the middle may be long. */
async function summaryOf(layout: CastLayout, castId: CastId): Promise<CastSummary | undefined> {
  const ends = journalEnds(layout.journal, tellsEnough);
  const isOwned = async (): Promise<boolean> => ownerOf(layout) !== undefined;
  if (ends.first?.type === "cast_started") return begunSummary(castId, ends, isOwned);
  if (!hasNoLine(layout.journal)) return undefined;
  const file = readCastFile(layout);
  return file.ok ? unbegunSummary(file.value, await isOwned()) : undefined;
}

function ownerOf(layout: CastLayout): ReturnType<typeof currentOwner> {
  try {
    return currentOwner(layout);
  } catch {
    return undefined;
  }
}

function lastVisit(folder: string): number {
  try {
    return Math.max(0, ...readdirSync(folder).map(Number).filter(Number.isInteger));
  } catch {
    return 0;
  }
}

async function claimCast(
  root: string,
  castId: CastId,
  parts: Pick<OwnedCastParts, "how" | "bookmarks">,
): Promise<Result<OwnedCast>> {
  const layout = castLayout(root, castId);
  const mine = await claim(layout);
  if (mine.kind !== "mine") return fail(claimIssue(castId, mine));
  return ok(ownedCast({ castId, layout, removed: removedFolder(root, castId), mine, ...parts }));
}

/** [J22, D16] Why a cast could not be had. */
function claimIssue(castId: string, claimed: Exclude<Claim, { kind: "mine" }>): Issue {
  if (claimed.kind === "failed") return error("cannot_write", castId, claimed.problem);
  const hint = `stop it with "materia abort ${castId}", or wait for it`;
  const { owner } = claimed;
  if (!owner) return error("cast_is_owned", castId, "another process drives this cast", hint);
  const remote = isOfThisKernel(owner)
    ? ""
    : `; it is out of sight from here, and counts as gone ${SILENT_MS / 60_000} minutes after its last sign of life`;
  return error("cast_is_owned", castId, `process ${owner.pid} on ${owner.host} drives this cast${remote}`, hint);
}
