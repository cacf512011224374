import { closeSync, constants, ftruncateSync, openSync, rmSync, writeSync, readSync } from "node:fs";
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import {
  emptyPackingContext,
  packTimeline,
  type PackingContext,
  type PackedTimeline,
} from "../../../core/cast/bookmark.ts";
import type { CastTimeline } from "../../../core/cast/timeline.ts";
import type { CastLayout } from "../layout.ts";
import type { ChainHead } from "./journal-chain.ts";
import { createHmac, timingSafeEqual } from "node:crypto";
import { MAX_FILE_BYTES, readRegularFile, openRegularFile } from "../../system/files.ts";
import { VERSION } from "../../system/package.ts";

/** The key that seals this user's bookmarks; undefined if there is none. */
export interface BookmarkKey {
  readonly find: () => string | undefined;
  /** Created if there is none. */
  readonly make: () => string | undefined;
}

/** The bookmarks that a cast was read from. */
export interface FoundBookmarks extends BookmarksEnd {
  /** The reference for the next bookmark. */
  readonly packed: () => PackingContext;
  /** Offset of the last bookmark in the journal. */
  readonly journalBytes: number;
}

/** The key of the seals, and the bytes of the journal between two bookmarks. */
export interface BookmarkSettings {
  readonly key: BookmarkKey;
  readonly intervalBytes: number;
}

export interface BookmarkContext extends BookmarkSettings {
  readonly castId: string;
  readonly layout: CastLayout;
  readonly epoch: number;
}

/** Writes bookmarks as the owner's journal grows. */
export interface BookmarkWriter {
  /** Called for each write to the journal with its bytes, its offset and the new end of the chain. */
  readonly onJournalWrite: (bytes: Buffer, at: number, head: ChainHead) => void;
  /** [J28] Writes a bookmark of the present state if one is due. It never fails: the journal is complete without it. */
  readonly writeIfDue: (trail: CastTimeline) => void;
}

/** Continues after `size` bytes of the journal and the bookmarks that were read. */
export function createBookmarkWriter(
  of: BookmarkContext,
  journalBytes: number,
  found?: FoundBookmarks,
): BookmarkWriter {
  let [bytes, last] = [journalBytes, found?.journalBytes ?? 0];
  let head: ChainHead | undefined;
  /** Digest of the whole journal; for an existing journal computed on first use. */
  let digest = journalBytes === 0 ? 0 : undefined;
  let packed: PackingContext | undefined;
  let seal = found?.seal;
  let behind = found?.bytes ?? 0;
  let isOver = false;
  const bookmark = (trail: CastTimeline, at: ChainHead): void => {
    const key = of.key.make();
    digest ??= digestFileStart(of.layout.journal, bytes);
    if (key === undefined || digest === undefined) throw new Error("no bookmark can be made");
    const from = seal ?? firstSeal(of.layout.castFile, of.castId);
    const next = packTimeline(trail, packed ?? found?.packed() ?? emptyPackingContext(trail));
    const line = sealBookmark({ bytes, digest, head: at, epoch: of.epoch, pack: next.pack }, key, from);
    // An existing file that was not read belongs to another user or version.
    if (behind === 0) rmSync(of.layout.bookmarks, { force: true });
    writeAtOffset(of.layout.bookmarks, behind, line.text);
    [packed, seal, last, behind] = [next.packed, line.seal, bytes, behind + line.text.length];
  };
  return {
    onJournalWrite: (written, at, reached) => {
      // Another process wrote in between: one of the two was evicted.
      if (at !== bytes) isOver = true;
      bytes += written.length;
      head = reached;
      if (digest !== undefined) digest = crc32(written, digest);
    },
    writeIfDue: (trail) => {
      if (isOver || head === undefined || bytes - last < of.intervalBytes || trail.state.seq !== head.seq) return;
      try {
        bookmark(trail, head);
      } catch {
        isOver = true;
      }
    },
  };
}

/** Follows no planted link, and does not block on a pipe. */
const OPEN_FLAGS = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function writeAtOffset(file: string, bytes: number, text: string): void {
  const fd = openSync(file, OPEN_FLAGS, 0o600);
  try {
    ftruncateSync(fd, bytes);
    writeSync(fd, text, bytes);
  } finally {
    closeSync(fd);
  }
}

/** Increase it with every change of the state or the timeline: older bookmarks would be misread. */
export const BOOKMARK_FORMAT = 5;

/** [J28] The state of a cast at an offset of its journal. */
export interface Bookmark {
  /** The journal up to there: size and digest, the end of its chain, and the epoch of the last line. */
  readonly bytes: number;
  readonly digest: number;
  readonly head: ChainHead;
  readonly epoch: number;
  readonly pack: PackedTimeline;
}

/** The end of a file of bookmarks. */
export interface BookmarksEnd {
  /** The seal of the last bookmark, and the size of the file. */
  readonly seal: string;
  readonly bytes: number;
}

/** The first line is sealed with the cast, the version and `cast.json`: lines of another cast or version never fit. */
export function firstSeal(castFile: string, castId: string): string {
  return `${VERSION} ${BOOKMARK_FORMAT} ${castId} ${crc32(readRegularFile(castFile, MAX_FILE_BYTES.castFile))}`;
}

/** A bookmark as a line, sealed together with the one before: only this user can write valid ones. */
export function sealBookmark(
  bookmark: Bookmark,
  key: string,
  before: string,
): { readonly text: string; readonly seal: string } {
  const body = deflateRawSync(JSON.stringify(bookmark), { level: 1, memLevel: 4, windowBits: 13 }).toString("base64");
  const seal = sealOf(body, key, before);
  return { text: `${body} ${seal}\n`, seal };
}

/** [J41] Reads lines as long as the seals fit; each seal depends on all before it. Lines after a broken seal are ignored. */
export function readSealedLines(
  text: string,
  key: string,
  first: string,
  take: (bookmark: Bookmark) => void,
): BookmarksEnd {
  let seal = first;
  let bytes = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", bytes)) {
    const [body = "", said = ""] = text.slice(bytes, end).split(" ");
    const right = sealOf(body, key, seal);
    if (!isSameSeal(said, right)) break;
    take(JSON.parse(inflateRawSync(Buffer.from(body, "base64")).toString("utf8")) as Bookmark); // sealed as one
    seal = right;
    bytes = end + 1;
  }
  return { seal, bytes };
}

function sealOf(body: string, key: string, before: string): string {
  return createHmac("sha256", key).update(`bookmark ${before}\n${body}`).digest("base64url");
}

function isSameSeal(said: string, right: string): boolean {
  const [a, b] = [Buffer.from(said), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const BLOCK_BYTES = 256 * 1024;

/** The digest of the first bytes of a file; undefined if it has fewer. */
export function digestFileStart(file: string, bytes: number): number | undefined {
  const fd = openRegularFile(file);
  try {
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, bytes));
    let digest = 0;
    for (let from = 0; from < bytes;) {
      const read = readSync(fd, block, 0, Math.min(BLOCK_BYTES, bytes - from), from);
      if (read === 0) return undefined;
      digest = crc32(block.subarray(0, read), digest);
      from += read;
    }
    return digest;
  } finally {
    closeSync(fd);
  }
}
