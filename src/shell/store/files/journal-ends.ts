import { closeSync, fstatSync, readSync } from "node:fs";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { isMissingFile, errorText } from "../../system/system-error.ts";
import { openRegularFile } from "../../system/files.ts";
import type { StopCondition, JournalEnds } from "../cast-store.ts";
import { lineEpoch, lineEventJson } from "./journal-chain.ts";
import { parseEventJson } from "./read-journal.ts";

const BLOCK = 8_192;
const LINE_END = 0x0a;
/** Beyond this nobody looks for a last event: a journal may be larger than memory. */
const MAX_SEARCH_BYTES = 64 * 1024 * 1024;

/** The two ends of a journal, without its middle: the first event, and the last ones back to where `enough` is content. */
export function readJournalEnds(file: string, enough: StopCondition): JournalEnds {
  try {
    const fd = openRegularFile(file);
    try {
      const { size } = fstatSync(fd);
      const first = firstEvent(fd, size);
      return { ...(first ? { first } : {}), ...lastEvents(fd, size, enough) };
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    return { last: [], unread: 0, problem: errorText(thrown) };
  }
}

/** Whether not even its first line was written to the end, or nothing at all. */
export function isJournalEmpty(file: string): boolean {
  try {
    const fd = openRegularFile(file);
    try {
      return firstLine(fd, fstatSync(fd).size) === undefined;
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    return isMissingFile(thrown);
  }
}

function firstEvent(fd: number, size: number): CastEvent | undefined {
  const line = firstLine(fd, size);
  return line && parseLine(line);
}

function firstLine(fd: number, size: number): Buffer | undefined {
  for (let length = BLOCK; ; length *= 8) {
    const bytes = readRange(fd, 0, Math.min(length, size));
    const end = bytes.indexOf(LINE_END);
    if (end !== -1) return bytes.subarray(0, end);
    if (length >= size || length > MAX_SEARCH_BYTES) return undefined;
  }
}

function lastEvents(fd: number, size: number, enough: StopCondition): Pick<JournalEnds, "last" | "unread"> {
  for (let length = BLOCK; ; length *= 8) {
    const start = Math.max(0, size - length);
    // What stands before the first line break may be the end of a longer line; what stands behind the last one is torn.
    const pieces = splitLines(readRange(fd, start, size));
    const torn = pieces.at(-1)?.length === 0 ? 0 : 1;
    const { last, unread, content } = readBackwards(dropStaleLines(pieces.slice(start === 0 ? 0 : 1, -1)), enough);
    if (content || start === 0 || length > MAX_SEARCH_BYTES) return { last, unread: unread + torn };
  }
}

/** [J29] Epochs only rise: a lower one behind a higher was written by an owner that had been given up. */
function dropStaleLines(lines: readonly Buffer[]): readonly Buffer[] {
  let highest = 0;
  return lines.filter((line) => {
    const epoch = lineEpoch(line);
    // A line without one is of the first format, or damaged; that is not judged here.
    if (epoch === undefined) return true;
    highest = Math.max(highest, epoch);
    return epoch === highest;
  });
}

/** From the end on, no farther than is wanted: a listing reads thousands of journals. */
function readBackwards(lines: readonly Buffer[], enough: StopCondition) {
  const found: CastEvent[] = [];
  let unread = 0;
  // Asked each time the number has doubled: asking at every line would cost the square of them.
  let ask = 1;
  for (const line of lines.toReversed()) {
    const event = parseLine(line);
    if (event) found.push(event);
    else unread += 1;
    if (found.length < ask) continue;
    const last = found.toReversed();
    if (enough(last)) return { last, unread, content: true };
    ask = found.length * 2;
  }
  const last = found.toReversed();
  return { last, unread, content: enough(last) };
}

function parseLine(line: Buffer): CastEvent | undefined {
  const event = parseEventJson(lineEventJson(line), null);
  return typeof event === "string" ? undefined : event;
}

/** What stands between line ends, and behind the last one. */
function splitLines(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; ;) {
    const end = bytes.indexOf(LINE_END, from);
    if (end === -1) return [...lines, bytes.subarray(from)];
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
}

function readRange(fd: number, from: number, to: number): Buffer {
  const buffer = Buffer.allocUnsafe(to - from);
  const read = readSync(fd, buffer, 0, buffer.length, from);
  return buffer.subarray(0, read);
}
