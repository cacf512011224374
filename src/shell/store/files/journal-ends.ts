import { fstatSync } from "node:fs";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { isMissingFile, errorText, openRegularFile, withFile } from "../../system/files.ts";
import type { HasEnoughEvents, JournalEnds } from "../cast-store.ts";
import { lineEpoch, lineEventJson } from "./journal-chain.ts";
import { readBlock, splitLines } from "./line-reader.ts";
import { parseEventJson } from "./read-journal.ts";

/** Mostly enough, and small enough that Node takes it from its pool: a listing reads thousands of journals. */
const BLOCK = 2_048;
const LINE_END = 0x0a;
/** Beyond this size the last event is not searched: a journal may be larger than memory. */
const MAX_SEARCH_BYTES = 64 * 1024 * 1024;

interface FileJournalEnds extends JournalEnds {
  /** The journal is missing, or has not one whole line. */
  readonly isEmpty: boolean;
}

/** Both ends of a journal without its middle: the first event, and the last ones back to where `enough` is satisfied. */
export function readJournalEnds(file: string, enough: HasEnoughEvents): FileJournalEnds {
  try {
    return withFile(openRegularFile(file), (fd) => {
      const { size } = fstatSync(fd);
      const line = firstLine(fd, size);
      return { first: line && parseLine(line), isEmpty: line === undefined, ...lastEvents(fd, size, enough) };
    });
  } catch (thrown) {
    return { last: [], unread: 0, isEmpty: isMissingFile(thrown), problem: errorText(thrown) };
  }
}

function firstLine(fd: number, size: number): Buffer | undefined {
  for (let length = BLOCK; ; length *= 8) {
    const bytes = readBlock(fd, 0, Math.min(length, size));
    const end = bytes.indexOf(LINE_END);
    if (end !== -1) return bytes.subarray(0, end);
    if (length >= size || length > MAX_SEARCH_BYTES) return undefined;
  }
}

function lastEvents(fd: number, size: number, enough: HasEnoughEvents): Pick<JournalEnds, "last" | "unread"> {
  for (let length = BLOCK; ; length *= 8) {
    const start = Math.max(0, size - length);
    const bytes = readBlock(fd, start, size - start);
    const end = bytes.lastIndexOf(LINE_END) + 1;
    // Text before the first line break may be the end of a longer line; text after the last one is torn.
    const lines = splitLines(bytes.subarray(0, end)).slice(start === 0 ? 0 : 1);
    const torn = end === bytes.length ? 0 : 1;
    const { last, unread, content } = readBackwards(dropStaleLines(lines), enough);
    if (content || start === 0 || length > MAX_SEARCH_BYTES) return { last, unread: unread + torn };
  }
}

/** [J29] Epochs only rise: an evicted owner wrote any lower epoch after a higher one. */
function dropStaleLines(lines: readonly Buffer[]): readonly Buffer[] {
  let highest = 0;
  return lines.filter((line) => {
    const epoch = lineEpoch(line);
    // A line without an epoch is damaged; parsing it reports that.
    if (epoch === undefined) return true;
    highest = Math.max(highest, epoch);
    return epoch === highest;
  });
}

/** Reads from the end, only as far as needed: a listing reads thousands of journals. */
function readBackwards(lines: readonly Buffer[], enough: HasEnoughEvents) {
  const found: CastEvent[] = [];
  let unread = 0;
  // Checked each time the number has doubled: a check at every line would be quadratic.
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
  const event = parseEventJson(lineEventJson(line));
  return typeof event === "string" ? undefined : event;
}
