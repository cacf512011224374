import { closeSync, constants, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { emptyPackingContext, packTimeline, type PackingContext } from "../../../../core/view/bookmark/pack.ts";
import type { CastTimeline } from "../../../../core/view/now/trail.ts";
import type { CastLayout } from "../../layout.ts";
import type { ChainHead } from "../journal/chain.ts";
import { digestFileStart } from "./file-digest.ts";
import { firstSeal, sealBookmark, type BookmarksEnd } from "./sealed-lines.ts";

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
export function createBookmarkWriter(of: BookmarkContext, journalBytes: number, found?: FoundBookmarks): BookmarkWriter {
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
