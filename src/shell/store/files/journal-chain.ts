import { crc32 } from "node:zlib";
import type { CastEvent } from "../../../core/cast/state/event.ts";

/** The end of the chain: the next line is chained to it. */
export interface ChainHead {
  readonly seq: number;
  readonly crc: number;
}

/** [J25] The first line is chained to the cast id: lines of another cast never fit. */
export function firstChainHead(castId: string): ChainHead {
  return { seq: 0, crc: crc32(castId) };
}

/** Formats lines of a journal: each event with its owner's epoch and a digest that is chained to the line before. */
export function encodeLines(events: readonly CastEvent[], head: ChainHead, epoch: number) {
  let { seq, crc } = head;
  let text = "";
  for (const event of events) {
    const body = `${JSON.stringify(event).slice(0, -1)},"epoch":${epoch}`;
    crc = crc32(body, crc);
    text += `${body},"crc":"${crcHex(crc)}"}\n`;
    seq = event.seq;
  }
  return { text, head: { seq, crc } };
}

/** `,"crc":"01234567"}` */
const TAIL_LENGTH = 18;
const CRC = Buffer.from(',"crc":"');
const CLOSE = Buffer.from('"}');
const EPOCH = Buffer.from(',"epoch":');
const MAX_EPOCH_DIGITS = 9;

export type LineCheck =
  /** The line is valid; `bytes` now hold the JSON of its event up to this offset. */
  | { readonly kind: "event"; readonly until: number }
  /** A late write of an evicted owner. */
  | { readonly kind: "stale" }
  /** The line follows line `keep`: an evicted owner wrote the lines in between. */
  | { readonly kind: "superseding"; readonly keep: number }
  | { readonly kind: "damaged"; readonly why: string };

export type JournalChain = ReturnType<typeof createJournalChain>;

/** Checks line after line whether it belongs to the journal. A line is a range of `bytes`. */
export function createJournalChain(castId: string) {
  const first = firstChainHead(castId).crc;
  /** The digest after each valid line. */
  const heads = createDigestList(first);
  /** The start of each epoch, and where an evicted owner would continue. */
  const begun = new Map<number, number>();
  const givenUp = new Map<number, number>();
  let epoch = 0;
  let last = first;

  /** Used only for a refusal: the line that a later owner continued from. */
  const goesOnFrom = (body: Buffer, crc: number): number => {
    for (let at = heads.size() - 2; at >= (begun.get(epoch) ?? 0); at -= 1)
      if (crc32(body, heads.at(at)) === crc) return at;
    return -1;
  };
  const isLate = (body: Buffer, of: number, crc: number): boolean => {
    const next = [...begun.keys()].filter((each) => each > of).toSorted((a, b) => a - b)[0] ?? epoch;
    const from = givenUp.get(of) ?? heads.at(begun.get(next) ?? 0);
    if (crc32(body, from) !== crc) return false;
    givenUp.set(of, crc);
    return true;
  };

  /** Overwrites the epoch and digest of a valid line: nobody reads them again. */
  const verify = (bytes: Buffer, from: number, to: number): LineCheck => {
    const read = readTail(bytes, from, to);
    if (!read) return { kind: "damaged", why: "it has no digest" };
    const body = bytes.subarray(from, to - TAIL_LENGTH);
    if (read.epoch < epoch)
      return isLate(body, read.epoch, read.crc) ? { kind: "stale" } : { kind: "damaged", why: DIGEST_MISMATCH };
    if (crc32(body, last) === read.crc) {
      if (read.epoch > epoch) {
        // Unless some of its lines were skipped: then it would continue from those.
        if (!givenUp.has(epoch)) givenUp.set(epoch, last);
        epoch = read.epoch;
        begun.set(epoch, heads.size() - 1);
      }
      last = read.crc;
      heads.push(last);
      // Restores the event: its closing brace replaces the comma before epoch and digest.
      bytes[read.at] = BRACE;
      return { kind: "event", until: read.at + 1 };
    }
    const keep = read.epoch > epoch ? goesOnFrom(body, read.crc) : -1;
    return keep === -1 ? { kind: "damaged", why: DIGEST_MISMATCH } : { kind: "superseding", keep };
  };
  /** A line that a later owner continued from before. */
  const skipLine = (bytes: Buffer, from: number, to: number): void => {
    const read = readTail(bytes, from, to);
    if (read) givenUp.set(read.epoch, read.crc);
  };
  return { verify, skipLine, head: (): ChainHead => ({ seq: heads.size() - 1, crc: last }) };
}

/** Digests in four bytes each: a list of numbers would take twice the memory. */
function createDigestList(first: number) {
  let row = new Uint32Array(1024);
  row[0] = first;
  let size = 1;
  return {
    at: (index: number): number => row[index] ?? first,
    size: (): number => size,
    push: (crc: number): void => {
      if (size === row.length) {
        const longer = new Uint32Array(2 * size);
        longer.set(row);
        row = longer;
      }
      row[size] = crc;
      size += 1;
    },
  };
}

const DIGEST_MISMATCH = "its digest does not fit";

/** The event of a line without its predecessors: for the ends of a journal. */
export function lineEventJson(line: Buffer): string {
  const read = readTail(line, 0, line.length);
  return read ? `${line.toString("utf8", 0, read.at)}}` : line.toString("utf8");
}

export function lineEpoch(line: Buffer): number | undefined {
  return readTail(line, 0, line.length)?.epoch;
}

const BRACE = 0x7d;

/** `,"epoch":1,"crc":"01234567"}` at the end of a line, parsed as bytes: text would cost more than the digest. */
function readTail(bytes: Buffer, start: number, to: number) {
  const end = to - TAIL_LENGTH;
  if (end < start || !matchesAt(bytes, CRC, end) || !matchesAt(bytes, CLOSE, to - CLOSE.length)) return undefined;
  const crc = parseDigits(bytes, end + CRC.length, to - CLOSE.length, 16);
  let from = end;
  while (from > start && isDigit(bytes[from - 1])) from -= 1;
  const at = from - EPOCH.length;
  if (crc === -1 || from === end || end - from > MAX_EPOCH_DIGITS || at < start || !matchesAt(bytes, EPOCH, at))
    return undefined;
  return { at, epoch: parseDigits(bytes, from, end, 10), crc };
}

function matchesAt(line: Buffer, word: Buffer, at: number): boolean {
  for (let index = 0; index < word.length; index += 1) if (line[at + index] !== word[index]) return false;
  return true;
}

function isDigit(byte = 0): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** -1 if there is a character other than digits. */
function parseDigits(line: Buffer, from: number, to: number, base: 10 | 16): number {
  let number = 0;
  for (let at = from; at < to; at += 1) {
    const byte = line[at] ?? 0;
    if (byte >= 0x30 && byte <= 0x39) number = number * base + byte - 0x30;
    else if (base === 16 && byte >= 0x61 && byte <= 0x66) number = number * base + byte - 0x57;
    else return -1;
  }
  return number;
}

/** By bytes: `toString` of such numbers is slow. */
function crcHex(crc: number): string {
  return `${HEX_BYTES[crc >>> 24]}${HEX_BYTES[(crc >>> 16) & 255]}${HEX_BYTES[(crc >>> 8) & 255]}${HEX_BYTES[crc & 255]}`;
}

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
