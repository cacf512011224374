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

/** The key by which this user's bookmarks are known; nothing where there is none. */
export interface BookmarkKey {
  readonly find: () => string | undefined;
  /** Made where there is none. */
  readonly make: () => string | undefined;
}

/** The bookmarks that a cast was read by. */
export interface FoundBookmarks extends BookmarksEnd {
  /** What the next one can name. */
  readonly packed: () => PackingContext;
  /** Where in the journal the last one stands. */
  readonly journalBytes: number;
}

/** By what key bookmarks are sealed, and how many bytes of a journal are from one to the next. */
export interface BookmarkSettings {
  readonly key: BookmarkKey;
  readonly intervalBytes: number;
}

export interface BookmarkContext extends BookmarkSettings {
  readonly castId: string;
  readonly layout: CastLayout;
  readonly epoch: number;
}

/** The owner's side of bookmarks: they are made as its journal grows. */
export interface BookmarkWriter {
  /** Told of each write to the journal: what, where, and the end of the chain behind it. */
  readonly onJournalWrite: (bytes: Buffer, at: number, head: ChainHead) => void;
  /** [J28] Makes a bookmark of the cast as it now stands, where one is due. It never fails: the journal has everything. */
  readonly writeIfDue: (trail: CastTimeline) => void;
}

/** Goes on where the journal has so many bytes, behind the bookmarks that it was read by. */
export function createBookmarkWriter(
  of: BookmarkContext,
  journalBytes: number,
  found?: FoundBookmarks,
): BookmarkWriter {
  let [bytes, last] = [journalBytes, found?.journalBytes ?? 0];
  let head: ChainHead | undefined;
  /** Of all bytes of the journal; of one that was there already it is made when it is first wanted. */
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
    // What is there and was not read is another user's, or of another version.
    if (behind === 0) rmSync(of.layout.bookmarks, { force: true });
    writeAtOffset(of.layout.bookmarks, behind, line.text);
    [packed, seal, last, behind] = [next.packed, line.seal, bytes, behind + line.text.length];
  };
  return {
    onJournalWrite: (written, at, reached) => {
      // Somebody else has written in between: one of the two has been given up.
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

/** Never through a link that somebody planted, and without waiting at a pipe. */
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

/** To be raised with every change of what a state or a trail holds: a bookmark of before would be taken for one of today. */
export const BOOKMARK_FORMAT = 1;

/** [J28] A cast as it stood at a place of its journal. */
export interface Bookmark {
  /** The journal up to there: its bytes and their digest, the end of its chain, and whose line is the last. */
  readonly bytes: number;
  readonly digest: number;
  readonly head: ChainHead;
  readonly epoch: number;
  readonly pack: PackedTimeline;
}

/** The end of a file of bookmarks. */
export interface BookmarksEnd {
  /** The seal of the last one, and the bytes of all. */
  readonly seal: string;
  readonly bytes: number;
}

/** What the first line of a cast is sealed with: no line of another cast or version fits behind it, nor where `cast.json` has changed since. */
export function firstSeal(castFile: string, castId: string): string {
  return `${VERSION} ${BOOKMARK_FORMAT} ${castId} ${crc32(readRegularFile(castFile, MAX_FILE_BYTES.castFile))}`;
}

/** A bookmark as a line, sealed together with the one before it: only this user can write one that is read. */
export function sealBookmark(
  bookmark: Bookmark,
  key: string,
  before: string,
): { readonly text: string; readonly seal: string } {
  const body = deflateRawSync(JSON.stringify(bookmark), { level: 1, memLevel: 4, windowBits: 13 }).toString("base64");
  const seal = sealOf(body, key, before);
  return { text: `${body} ${seal}\n`, seal };
}

/** [J28] Line after line as long as the seals fit, each of which needs all before it; what comes behind one that does not is as if it were not there. */
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

/** The digest of the first bytes of a file; nothing where it has fewer. */
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
