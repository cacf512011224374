import { closeSync, readSync } from "node:fs";
import { type CastEvent, parseEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { error, fail, ok, type Issue, type Result } from "../../../core/model/issue.ts";
import { errorText, openRegularFile, valueOr } from "../../system/files.ts";
import { MAX_LINE_BYTES } from "./line-reader.ts";
import { createJournalChain, type JournalChain, type ChainHead, type LineCheck } from "./journal-chain.ts";

export interface FoldedJournal<T> {
  readonly value: T;
  readonly head: ChainHead;
  /** Bytes up to the end of the last complete line; a resume cuts the file there. */
  readonly soundBytes: number;
  readonly tornBytes: number;
}

type FoldStep<T> = (value: T, event: CastEvent) => T;

/** [J1] The events of a journal, one after another. Damage is reported with its line, and nothing is guessed. */
export function foldJournal<T>(
  file: string,
  castId: CastId,
  begin: () => T,
  step: FoldStep<T>,
): Result<FoldedJournal<T>> {
  let fd: number;
  try {
    fd = openRegularFile(file);
  } catch (thrown) {
    return fail(unreadableIssue(file, thrown));
  }
  try {
    let passedOver: SkippedLines = [];
    for (;;) {
      const done = runFoldPass({ fd, castId, passedOver }, begin(), step);
      if (done.kind === "folded") return ok(done.folded);
      if (done.kind === "damaged") {
        const message = `line ${done.line} of the journal is damaged: ${done.why}`;
        return fail({ ...error("damaged_journal", `line ${done.line}`, message, `materia doctor ${castId}`), file });
      }
      // [J29] A later owner continued from before these lines: read again without them.
      passedOver = [...passedOver, done.lines];
    }
  } catch (thrown) {
    return fail(unreadableIssue(file, thrown));
  } finally {
    closeSync(fd);
  }
}

/** First and last line of each skipped range. */
type SkippedLines = readonly (readonly [first: number, last: number])[];

type FoldPass<T> =
  | { readonly kind: "folded"; readonly folded: FoldedJournal<T> }
  | { readonly kind: "damaged"; readonly line: number; readonly why: string }
  | { readonly kind: "again"; readonly lines: readonly [number, number] };

function runFoldPass<T>(
  { fd, castId, passedOver }: { readonly fd: number; readonly castId: CastId; readonly passedOver: SkippedLines },
  begin: T,
  step: FoldStep<T>,
): FoldPass<T> {
  const chain = createJournalChain(castId);
  let value = begin;
  let line = 0;
  let belonging = 0;
  /** For each skipped line the number of valid ones before it. */
  const foreign: number[] = [];
  let stop: FoldPass<T> | undefined;
  const passed = (): true => {
    foreign.push(belonging);
    return true;
  };
  const damaged = (why: string): false => {
    stop = { kind: "damaged", line, why };
    return false;
  };
  const take = (bytes: Buffer, from: number, to: number): boolean => {
    line += 1;
    if (passedOver.some(([first, last]) => line >= first && line <= last)) {
      chain.skipLine(bytes, from, to);
      return passed();
    }
    const check = chain.verify(bytes, from, to);
    if (check.kind === "stale") return passed();
    if (check.kind === "damaged") return damaged(check.why);
    if (check.kind === "superseding") {
      // The line after the valid ones that are kept.
      const first = check.keep + 1 + foreign.filter((before) => before <= check.keep).length;
      stop = { kind: "again", lines: [first, line - 1] };
      return false;
    }
    const event = parseEventJson(bytes.toString("utf8", from, check.until));
    if (typeof event === "string") return damaged(event);
    belonging += 1;
    try {
      value = step(value, event);
      return true;
    } catch (thrown) {
      return damaged(errorText(thrown));
    }
  };
  const { soundBytes, torn } = forEachLine(fd, take);
  if (stop) return stop;
  if (isCompleteLine(chain, torn)) return { kind: "damaged", line: line + 1, why: "its line end is missing" };
  return { kind: "folded", folded: { value, head: chain.head(), soundBytes, tornBytes: torn.length } };
}

/** Only an interrupted write leaves a last line without its end; a complete event with text after it was changed. */
function isCompleteLine(chain: JournalChain, torn: Buffer): boolean {
  if (torn.length < 2) return false;
  const check: LineCheck = chain.verify(torn, 0, torn.length - 1);
  return check.kind === "event" || check.kind === "stale";
}

export function parseEventJson(json: string): CastEvent | string {
  return valueOr(() => parseEvent(JSON.parse(json)), "it is not JSON");
}

const BLOCK = 64 * 1024;
const LINE_END = 0x0a;

/** Reads lines in blocks, until `take` returns false. It must not keep a line: all use the same buffer. */
function forEachLine(fd: number, take: (bytes: Buffer, from: number, to: number) => boolean) {
  let bytes: Buffer = Buffer.allocUnsafe(BLOCK);
  /** Bytes of a line that continues in the next block; they are at the start of the buffer. */
  let kept = 0;
  let soundBytes = 0;
  for (;;) {
    if (bytes.length < kept + BLOCK / 2) bytes = Buffer.concat([bytes.subarray(0, kept)], bytes.length * 2);
    const size = readSync(fd, bytes, kept, bytes.length - kept, soundBytes + kept);
    if (size === 0) return { soundBytes, torn: bytes.subarray(0, kept) };
    const full = bytes.subarray(0, kept + size);
    let from = 0;
    // The kept bytes contain no line end.
    for (let end = full.indexOf(LINE_END, kept); end !== -1; end = full.indexOf(LINE_END, from)) {
      if (!take(full, from, end)) return { soundBytes, torn: Buffer.alloc(0) };
      soundBytes += end + 1 - from;
      from = end + 1;
    }
    bytes.copyWithin(0, from, full.length);
    kept = full.length - from;
    // [D22] Another kind of file in the journal's place may have no line end at all.
    if (kept > MAX_LINE_BYTES) throw new Error("a line is too long");
  }
}

function unreadableIssue(file: string, thrown: unknown): Issue {
  return { ...error("missing_journal", "", `cannot read the journal: ${errorText(thrown)}`), file };
}
