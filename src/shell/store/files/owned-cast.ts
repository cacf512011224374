import { existsSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { problemText } from "../../system/problem.ts";
import { readRegularText } from "../../system/regular-file.ts";
import { syncFile } from "../../system/sync.ts";
import { FORMAT, type CastFile } from "../cast-file.ts";
import type { CurrentCast, OwnedCast, Writing } from "../cast-store.ts";
import { fileArtifacts } from "./artifacts.ts";
import { onAbortRequest } from "./abort-request.ts";
import type { Head } from "./journal/chain.ts";
import { openJournalWriter, type JournalWriter } from "./journal/write-journal.ts";
import type { CastLayout } from "../layout.ts";
import type { Claim } from "./owner/claims.ts";
import { openBookmarks, type BookmarkHabit, type BookmarkWriter } from "./bookmarks/open-bookmarks.ts";
import { currentCast } from "./cast/current-cast.ts";
import { asCurrent, unchangedEnd, type JournalEnd } from "./cast/read-cast.ts";

/** A note names one process. */
const NOTE_BYTES = 4_096;
const GIVEN_UP = "another process has taken this cast over meanwhile";

export interface OwnedCastParts {
  readonly castId: CastId;
  readonly layout: CastLayout;
  /** Where it goes when it is discarded, so that no half of it is ever seen. */
  readonly removed: string;
  readonly mine: Extract<Claim, { kind: "mine" }>;
  readonly how: Writing;
  readonly bookmarks: BookmarkHabit;
  /** The end of the journal of a new cast; that of any other is read. */
  readonly head?: Head;
}

type Begin = Pick<JournalEnd, "head" | "soundBytes" | "bookmarks">;

/** A cast of this process. Whatever it writes, it first looks whether the cast is still its own. */
export function ownedCast({ castId, layout, removed, mine, how, bookmarks, head }: OwnedCastParts): OwnedCast {
  const { durability = "write", redact = (text: string) => text } = how;
  const artifacts = fileArtifacts(layout, how);
  let writer: JournalWriter | undefined;
  let bookmarking: BookmarkWriter | undefined;
  const openAt = (format: number, { head: from, soundBytes, bookmarks: found }: Begin): void => {
    writer?.close();
    const { folder, journal: file } = layout;
    const { epoch } = mine;
    // Lines of the first format have no digests to go on from.
    bookmarking = format === 1 ? undefined : openBookmarks({ castId, layout, epoch, ...bookmarks }, soundBytes, found);
    const { wrote: onWritten } = bookmarking ?? { wrote: () => undefined };
    writer = openJournalWriter({ folder, file, format, epoch, head: from, durability, redact, onWritten });
  };
  if (head) openAt(FORMAT, { head, soundBytes: 0 });
  /** A line that was cut off in the middle of a write never counted; appending behind it would damage the next one. */
  const goOnFrom = (file: CastFile, end: JournalEnd): void => {
    if (end.tornBytes > 0) truncateSync(layout.journal, end.soundBytes);
    openAt(file.versions.format, end);
  };
  const load = (known?: CurrentCast): Result<CurrentCast> => {
    const end = unchangedEnd(known, layout);
    if (known && end) {
      goOnFrom(known.file, end);
      return ok(known);
    }
    const cast = currentCast(layout, castId, bookmarks.key);
    if (!cast.ok) return cast;
    goOnFrom(cast.value.file, cast.value.journal);
    return ok(asCurrent(cast.value));
  };
  const append = (events: readonly CastEvent[], after: number): string | undefined => {
    // The writer itself notices a journal that is gone.
    if (mine.isSuperseded()) return GIVEN_UP;
    try {
      const read = writer ? undefined : load();
      if (read && !read.ok) return unwritten(read.issues.map(({ message }) => message).join("; "));
      if (durability === "sync") syncFiles(events);
      return writer?.append(events, after);
    } catch (thrown) {
      return unwritten(problemText(thrown));
    }
  };
  /** [D7] What a line speaks of is on the disk before the line; the transcript is written by the agent's own library. */
  const syncFiles = (events: readonly CastEvent[]): void => {
    artifacts.sync();
    // A visit that begins has said nothing yet.
    const transcripts = events.flatMap((event) =>
      "visit" in event && event.type !== "visit_started"
        ? [layout.visitFile(event.socket, event.visit, "transcript.jsonl")]
        : [],
    );
    for (const file of new Set(transcripts)) if (existsSync(file)) syncFile(file);
  };
  const guarded = async (write: () => Promise<string | undefined>): Promise<string | undefined> =>
    mine.isSuperseded() ? GIVEN_UP : write();
  return {
    castId,
    epoch: mine.epoch,
    trees: layout.trees,
    load: async (known) => attempt(() => load(known)),
    journal: { append: async (events, after) => append(events, after) },
    bookmark: (trail) => bookmarking?.offer(trail),
    scratch: layout.scratch,
    artifacts: {
      ...artifacts,
      write: (...args) => guarded(() => artifacts.write(...args)),
      append: (...args) => guarded(() => artifacts.append(...args)),
      keepValue: async (value) =>
        mine.isSuperseded() ? { kind: "failed", problem: GIVEN_UP } : artifacts.keepValue(value),
    },
    keepNote: async (name, text) => keepNote(layout.note(name), text),
    readNote: async (name) => readNote(layout.note(name)),
    heartbeat: async () => mine.heartbeat(),
    holds: async () => mine.holds(),
    isSuperseded: mine.isSuperseded,
    onAbortRequest: (listener) => onAbortRequest(layout.abortRequest, listener),
    release: async () => {
      writer?.close();
      mine.release();
    },
    discard: async () => {
      writer?.close();
      if (mine.holds()) discard(layout.folder, removed);
      mine.release();
    },
  };
}

function unwritten(why: string): string {
  return `the journal cannot be written: ${why}`;
}

function attempt<T>(read: () => Result<T>): Result<T> {
  try {
    return read();
  } catch (thrown) {
    return fail(error("cannot_write", "", `the cast cannot be taken up: ${problemText(thrown)}`));
  }
}

/** Only a kill in the next moments would miss it, and a full disk stops the cast anyway. */
function keepNote(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch {
    return undefined;
  }
}

function readNote(file: string): string | undefined {
  try {
    return readRegularText(file, NOTE_BYTES);
  } catch {
    return undefined;
  }
}

/** [C3] What could not begin leaves nothing behind. */
function discard(folder: string, removed: string): void {
  try {
    renameSync(folder, removed);
    rmSync(removed, { recursive: true, force: true });
  } catch {
    // What is left of it is removed by the next prune.
  }
}
