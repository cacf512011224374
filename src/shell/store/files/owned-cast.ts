import { existsSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { failWith, issuesText, ok, type Result } from "../../../core/model/issue.ts";
import { errorText, readRegularFileText, syncFile, ignoreLocalErrors, valueOr } from "../../system/files.ts";
import { TIMELINE, type CurrentCast, type OwnedCast, type WriteOptions } from "../cast-store.ts";
import { createFileArtifacts } from "./artifacts.ts";
import type { ChainHead } from "./journal-chain.ts";
import { openJournalWriter, type JournalWriter } from "./write-journal.ts";
import { TRANSCRIPT_FILE, type CastLayout } from "../layout.ts";
import type { ClaimOutcome } from "./claims.ts";
import { foldCast, toCurrentCast, unchangedJournalEnd, type JournalEnd } from "./read-cast.ts";

/** A note names one process. */
const NOTE_BYTES = 4_096;
const TAKEN_OVER = "another process owns this cast now";

export interface OwnedCastOptions {
  readonly castId: CastId;
  readonly layout: CastLayout;
  /** The path of a discarded cast, so that no half of it is seen. */
  readonly removed: string;
  readonly claim: Extract<ClaimOutcome, { kind: "mine" }>;
  readonly writeOptions: WriteOptions;
  /** The end of the journal of a new cast; for others it is read. */
  readonly head?: ChainHead;
}

/** A cast of this process. Before each write it checks that it still owns the cast. */
export function createOwnedCast(options: OwnedCastOptions): OwnedCast {
  const { castId, layout, removed, claim: mine, writeOptions: how, head } = options;
  const { durability = "write", redact = (text: string) => text } = how;
  const artifacts = createFileArtifacts(layout, how);
  let writer: JournalWriter | undefined;
  const openAt = (from: ChainHead): void => {
    writer?.close();
    const { folder, journal: file } = layout;
    writer = openJournalWriter({ folder, file, epoch: mine.epoch, head: from, durability, redact });
  };
  if (head) openAt(head);
  /** Cuts a torn last line: appending to it would damage the next line. */
  const continueFrom = (end: JournalEnd): void => {
    if (end.tornBytes > 0) truncateSync(layout.journal, end.soundBytes);
    openAt(end.head);
  };
  const load = (loaded?: CurrentCast): Result<CurrentCast> => {
    const end = unchangedJournalEnd(loaded, layout);
    if (loaded && end) {
      continueFrom(end);
      return ok(loaded);
    }
    const cast = foldCast(layout, castId, TIMELINE);
    if (!cast.ok) return cast;
    continueFrom(cast.value.journal);
    return ok(toCurrentCast(cast.value));
  };
  const append = (events: readonly CastEvent[], after: number): string | undefined => {
    // The writer itself detects a removed journal.
    if (mine.isSuperseded()) return TAKEN_OVER;
    try {
      const read = writer ? undefined : load();
      if (read && !read.ok) return writeProblem(issuesText(read.issues));
      if (durability === "sync") syncFiles(events);
      return writer?.append(events, after);
    } catch (thrown) {
      return writeProblem(errorText(thrown));
    }
  };
  /** [D7] Files are on the disk before the line that refers to them; the agent's library writes the transcript. */
  const syncFiles = (events: readonly CastEvent[]): void => {
    artifacts.sync();
    // A new visit has no transcript yet.
    const transcripts = events.flatMap((event) =>
      "visit" in event && event.type !== "visit_started"
        ? [layout.visitFile(event.socket, event.visit, TRANSCRIPT_FILE)]
        : [],
    );
    for (const file of new Set(transcripts)) if (existsSync(file)) syncFile(file);
  };
  const guarded = async (write: () => Promise<string | undefined>): Promise<string | undefined> =>
    mine.isSuperseded() ? TAKEN_OVER : write();
  return {
    castId,
    epoch: mine.epoch,
    worktreesFolder: layout.worktreesFolder,
    load: async (loaded) => {
      try {
        return load(loaded);
      } catch (thrown) {
        return failWith("write_failed", "", `cannot claim the cast: ${errorText(thrown)}`);
      }
    },
    journal: { append: async (events, after) => append(events, after) },
    scratch: layout.scratch,
    artifacts: {
      ...artifacts,
      write: (...args) => guarded(() => artifacts.write(...args)),
      append: (...args) => guarded(() => artifacts.append(...args)),
      storeValue: async (value) =>
        mine.isSuperseded() ? { kind: "failed", problem: TAKEN_OVER } : artifacts.storeValue(value),
    },
    // Only a kill in the next moments would lose it, and a full disk stops the cast anyway.
    writeNote: async (name, text) => ignoreLocalErrors(() => writeFileSync(layout.note(name), text, { mode: 0o600 })),
    readNote: async (name) => valueOr(() => readRegularFileText(layout.note(name), NOTE_BYTES), undefined),
    heartbeat: async () => mine.heartbeat(),
    holdsClaim: async () => mine.holdsClaim(),
    isSuperseded: mine.isSuperseded,
    onAbortRequest: (listener) => onRequest(layout.abortRequest, listener),
    onReleaseRequest: (listener) => onRequest(layout.releaseRequest, listener),
    release: async () => {
      writer?.close();
      mine.release();
    },
    discard: async () => {
      writer?.close();
      // [C3] A cast that could not start leaves nothing behind: the next prune removes the rest.
      if (mine.holdsClaim())
        ignoreLocalErrors(() => {
          renameSync(layout.folder, removed);
          rmSync(removed, { recursive: true, force: true });
        });
      mine.release();
    },
  };
}

function writeProblem(why: string): string {
  return `cannot write the journal: ${why}`;
}

const POLL_MS = 100;

/** Asks the owner for something, on every call; on a full disk the request is lost. */
export function writeRequest(file: string): void {
  ignoreLocalErrors(() => writeFileSync(file, "", { mode: 0o600 }));
}

/** A signal would not do, since the owner may be Pi itself. Polls: not every file system reports new files. */
function onRequest(file: string, listener: () => void): () => void {
  // A request that an earlier owner has obeyed does not count.
  rmSync(file, { force: true });
  const timer = setInterval(() => {
    if (existsSync(file)) listener();
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
