import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  writeSync,
} from "node:fs";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { errorText, syncFolder, ignoreLocalErrors } from "../../system/files.ts";
import { redactEvent } from "../../secrets/redact-event.ts";
import type { Redactor } from "../../secrets/redact.ts";
import type { Durability } from "../cast-store.ts";
import { encodeLines, type ChainHead } from "./journal-chain.ts";

export interface JournalWriterOptions {
  readonly folder: string;
  readonly file: string;
  readonly epoch: number;
  /** The present end of the journal. */
  readonly head: ChainHead;
  readonly durability: Durability;
  readonly redact: Redactor;
}

export type JournalWriter = ReturnType<typeof openJournalWriter>;

const JOURNAL_GONE = "cannot write the journal: it is gone";

/** Opened with its first line: a cast that never started has no journal. */
export function openJournalWriter(writing: JournalWriterOptions) {
  const { durability } = writing;
  let { head } = writing;
  let fd: number | undefined;
  let isClosed = false;
  const encode = createByteEncoder();
  const opened = (): number => {
    if (isClosed) throw new Error("it is closed");
    if (fd !== undefined) return fd;
    fd = openSync(writing.file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
    if (durability === "sync") syncFolder(writing.folder);
    return fd;
  };
  return {
    /** Appends all or none in one write; returns a problem if that failed. */
    append: (events: readonly CastEvent[], after: number): string | undefined => {
      if (after !== head.seq) return `the journal is at event ${head.seq}, not at ${after}`;
      let before: number | undefined;
      let size = 0;
      try {
        const { text, head: reached } = encodeRedacted(events, head, writing);
        const bytes = encode(text);
        size = bytes.length;
        const found = fstatSync(opened());
        // The file has no name any more: the cast was removed, and nobody would read this write.
        if (found.nlink === 0 && !existsSync(writing.file)) return JOURNAL_GONE;
        before = found.size;
        // A disk that fills up may accept a part of the bytes.
        for (let done = 0; done < bytes.length;) done += writeSync(opened(), bytes, done);
        if (durability === "sync") fdatasyncSync(opened());
        head = reached;
        return undefined;
      } catch (thrown) {
        if (fd !== undefined && before !== undefined) undoPartialWrite(fd, before, size);
        return `cannot write the journal: ${errorText(thrown)}`;
      }
    },
    close: (): void => {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      isClosed = true;
    },
  };
}

/** Most text holds no secret, and is not parsed. */
function encodeRedacted(events: readonly CastEvent[], head: ChainHead, writing: JournalWriterOptions) {
  const { redact } = writing;
  const first = encodeLines(events, head, writing.epoch);
  if (redact(first.text) === first.text) return first;
  const clean = events.map((event) => redactEvent(event, redact));
  return encodeLines(clean, head, writing.epoch);
}

const SHARED_BYTES = 64 * 1024;
/** The most bytes of a UTF-16 unit in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** Encodes most texts into one shared buffer: a new one for each write takes longer than the encoding. */
function createByteEncoder(): (text: string) => Buffer {
  let shared: Buffer | undefined;
  return (text) => {
    if (text.length * MAX_UNIT_BYTES > SHARED_BYTES) return Buffer.from(text);
    shared ??= Buffer.allocUnsafeSlow(SHARED_BYTES);
    return shared.subarray(0, shared.write(text));
  };
}

/** Cuts a partial write, unless another process has appended: its lines must stay. */
function undoPartialWrite(fd: number, before: number, size: number): void {
  // It stays as a torn last line, and a resume cuts it.
  ignoreLocalErrors(() => {
    if (fstatSync(fd).size <= before + size) ftruncateSync(fd, before);
  });
}
