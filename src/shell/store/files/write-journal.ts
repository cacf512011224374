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
import { errorText } from "../../system/system-error.ts";
import { redactEvent } from "../../secrets/redact-event.ts";
import type { Redactor } from "../../secrets/redact.ts";
import { syncFolder } from "../../system/files.ts";
import type { Durability } from "../cast-store.ts";
import { encodeLines, type EncodedLines, type ChainHead } from "./journal-chain.ts";

export interface JournalWriterOptions {
  readonly folder: string;
  readonly file: string;
  /** 1: lines without epoch and digest, as the cast began. */
  readonly format: number;
  readonly epoch: number;
  /** The end of what is there. */
  readonly head: ChainHead;
  readonly durability: Durability;
  readonly redact: Redactor;
  /** Told of what was written, where it begins in the file, and the end of the chain behind it. */
  readonly onWritten?: (bytes: Buffer, at: number, head: ChainHead) => void;
}

/** A journal that its owner appends to. */
export interface JournalWriter {
  /** All of them or none, as one write; a sentence where that failed. */
  readonly append: (events: readonly CastEvent[], after: number) => string | undefined;
  readonly close: () => void;
}

const JOURNAL_GONE = "the journal cannot be written: it is gone";

/** Opened with its first line, so that a cast that never began has no journal. */
export function openJournalWriter(writing: JournalWriterOptions): JournalWriter {
  const { durability } = writing;
  let { head } = writing;
  let fd: number | undefined;
  let isClosed = false;
  const opened = (): number => {
    if (isClosed) throw new Error("it is closed");
    if (fd !== undefined) return fd;
    fd = openSync(writing.file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
    if (durability === "sync") syncFolder(writing.folder);
    return fd;
  };
  return {
    append: (events, after) => {
      if (after !== head.seq) return `the journal stands at ${head.seq}, not at ${after}`;
      let before: number | undefined;
      let size = 0;
      try {
        const { text, head: reached } = encodeRedacted(events, head, writing);
        const bytes = Buffer.from(text);
        size = bytes.length;
        const found = fstatSync(opened());
        // A file without a name: the cast was removed, and what is written now nobody will ever read.
        if (found.nlink === 0 && !existsSync(writing.file)) return JOURNAL_GONE;
        before = found.size;
        writeAll(opened(), bytes);
        if (durability === "sync") fdatasyncSync(opened());
        head = reached;
        writing.onWritten?.(bytes, before, reached);
        return undefined;
      } catch (thrown) {
        if (fd !== undefined && before !== undefined) undoPartialWrite(fd, before, size);
        return `the journal cannot be written: ${errorText(thrown)}`;
      }
    },
    close: () => {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      isClosed = true;
    },
  };
}

/** Most text holds no secret, and is not taken apart to look for one. */
function encodeRedacted(events: readonly CastEvent[], head: ChainHead, writing: JournalWriterOptions): EncodedLines {
  const { redact } = writing;
  const first = encodeEvents(events, head, writing);
  if (redact(first.text) === first.text) return first;
  const clean = events.map((event) => redactEvent(event, redact));
  return encodeEvents(clean, head, writing);
}

function encodeEvents(
  events: readonly CastEvent[],
  head: ChainHead,
  { format, epoch }: JournalWriterOptions,
): EncodedLines {
  if (format !== 1) return encodeLines(events, head, epoch);
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  return { text, head: { seq: head.seq + events.length, crc: 0 } };
}

function writeAll(fd: number, bytes: Buffer): void {
  // A disk that fills up may take a part and then refuse the rest.
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

/** What was half written goes, unless another process has written behind it: its lines are not ours to cut. */
function undoPartialWrite(fd: number, before: number, size: number): void {
  try {
    if (fstatSync(fd).size <= before + size) ftruncateSync(fd, before);
  } catch {
    // It stays as a torn last line, and is cut on resume.
  }
}
