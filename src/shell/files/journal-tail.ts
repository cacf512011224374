import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { parseEvent } from "../../core/cast/event.ts";
import type { CastEvent } from "../../core/cast/event.ts";
import { problemText } from "./problem.ts";

const BLOCK = 8_192;
/** Beyond this nobody looks for a last event: a journal may be larger than memory. */
const FARTHEST = 64 * 1024 * 1024;

/** The two ends of a journal, without its middle: the first event, and the last ones back to where `enough` is content. */
export function journalEnds(file: string, enough: (events: readonly CastEvent[]) => boolean): { first?: CastEvent; last: readonly CastEvent[]; problem?: string } {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch (thrown) {
    return { last: [], problem: problemText(thrown) };
  }
  try {
    const { size } = fstatSync(fd);
    const first = firstEvent(fd, size);
    return { ...(first ? { first } : {}), last: lastEvents(fd, size, enough) };
  } finally {
    closeSync(fd);
  }
}

function firstEvent(fd: number, size: number): CastEvent | undefined {
  for (let length = BLOCK; ; length *= 8) {
    const text = readPart(fd, 0, Math.min(length, size));
    const end = text.indexOf("\n");
    if (end !== -1) return eventOf(text.slice(0, end));
    if (length >= size) return undefined;
  }
}

function lastEvents(fd: number, size: number, enough: (events: readonly CastEvent[]) => boolean): readonly CastEvent[] {
  for (let length = BLOCK; ; length *= 8) {
    const start = Math.max(0, size - length);
    // What stands before the first line break may be the end of a longer line; what stands behind the last one is torn.
    const lines = readPart(fd, start, size).split("\n").slice(start === 0 ? 0 : 1, -1);
    const events = lines.flatMap((line) => eventOf(line) ?? []);
    if (start === 0 || length > FARTHEST || enough(events)) return events;
  }
}

function eventOf(line: string): CastEvent | undefined {
  try {
    const event = parseEvent(JSON.parse(line));
    return typeof event === "string" ? undefined : event;
  } catch {
    return undefined;
  }
}

function readPart(fd: number, from: number, to: number): string {
  const buffer = Buffer.alloc(to - from);
  const read = readSync(fd, buffer, 0, buffer.length, from);
  return buffer.toString("utf8", 0, read);
}
