import { crc32 } from "node:zlib";
import type { CastEvent } from "../../../../core/cast/state/event.ts";

/** The end of what has been written: what the next line is chained to. */
export interface Head {
  readonly seq: number;
  readonly crc: number;
}

/** [J25] The first line is chained to the cast's id: lines of another cast fit nowhere. */
export function firstHead(castId: string): Head {
  return { seq: 0, crc: crc32(castId) };
}

export interface Encoded {
  readonly text: string;
  readonly head: Head;
}

/** Lines as they stand in a journal: each event with its owner's epoch and a digest that is chained to the line before. */
export function encodeLines(events: readonly CastEvent[], head: Head, epoch: number): Encoded {
  let { seq, crc } = head;
  let text = "";
  for (const event of events) {
    const body = `${JSON.stringify(event).slice(0, -1)},"epoch":${epoch}`;
    crc = crc32(body, crc);
    text += `${body},"crc":"${hex(crc)}"}\n`;
    seq = event.seq;
  }
  return { text, head: { seq, crc } };
}

/** `,"crc":"01234567"}` */
const TAIL = 18;
const CRC = Buffer.from(',"crc":"');
const CLOSE = Buffer.from('"}');
const EPOCH = Buffer.from(',"epoch":');
const LONGEST_EPOCH = 9;

export type Verdict =
  /** It belongs; this is its event as JSON. */
  | { readonly kind: "event"; readonly json: string }
  /** A late write of an owner that had been given up. */
  | { readonly kind: "stale" }
  /** It follows line `keep`: what stands between was written by an owner that had been given up by then. */
  | { readonly kind: "superseding"; readonly keep: number }
  | { readonly kind: "damaged"; readonly why: string };

/** Says of line after line whether it belongs to the journal. */
export interface Chain {
  readonly verify: (line: Buffer) => Verdict;
  /** A line that a later owner went on from before. */
  readonly passOver: (line: Buffer) => void;
  readonly head: () => Head;
}

/** A journal of the first format has neither epochs nor digests. */
export function plainChain(): Chain {
  let seq = 0;
  return {
    verify: (line) => {
      seq += 1;
      return { kind: "event", json: line.toString("utf8") };
    },
    passOver: () => undefined,
    head: () => ({ seq, crc: 0 }),
  };
}

export function openChain(castId: string): Chain {
  const first = firstHead(castId).crc;
  /** The digest behind each line that belongs. */
  const heads = [first];
  /** Where each epoch began, and where those that were given up would go on. */
  const begun = new Map<number, number>();
  const givenUp = new Map<number, number>();
  let epoch = 0;

  const belongs = (json: string, crc: number): Verdict => {
    heads.push(crc);
    return { kind: "event", json };
  };
  /** Only on the way to a refusal: which line a later owner went on from. */
  const goesOnFrom = (body: Buffer, crc: number): number => {
    for (let at = heads.length - 2; at >= (begun.get(epoch) ?? 0); at -= 1)
      if (crc32(body, heads[at] ?? 0) === crc) return at;
    return -1;
  };
  const isLate = (body: Buffer, of: number, crc: number): boolean => {
    const next = [...begun.keys()].filter((each) => each > of).toSorted((a, b) => a - b)[0] ?? epoch;
    const from = givenUp.get(of) ?? heads[begun.get(next) ?? 0] ?? first;
    if (crc32(body, from) !== crc) return false;
    givenUp.set(of, crc);
    return true;
  };

  const verify = (line: Buffer): Verdict => {
    const read = readTail(line);
    if (!read) return { kind: "damaged", why: "it has no digest" };
    const body = line.subarray(0, line.length - TAIL);
    const last = heads[heads.length - 1] ?? first;
    if (read.epoch < epoch)
      return isLate(body, read.epoch, read.crc) ? { kind: "stale" } : { kind: "damaged", why: UNFIT };
    if (crc32(body, last) === read.crc) {
      if (read.epoch > epoch) {
        // Unless lines of it were passed over: then it would go on from those.
        if (!givenUp.has(epoch)) givenUp.set(epoch, last);
        epoch = read.epoch;
        begun.set(epoch, heads.length - 1);
      }
      return belongs(jsonOf(line, read), read.crc);
    }
    const keep = read.epoch > epoch ? goesOnFrom(body, read.crc) : -1;
    return keep === -1 ? { kind: "damaged", why: UNFIT } : { kind: "superseding", keep };
  };
  const passOver = (line: Buffer): void => {
    const read = readTail(line);
    if (read) givenUp.set(read.epoch, read.crc);
  };
  return { verify, passOver, head: () => ({ seq: heads.length - 1, crc: heads.at(-1) ?? first }) };
}

const UNFIT = "its digest does not fit";

/** The event of a line without a look at what came before it: for the ends of a journal. */
export function unchainedJson(line: Buffer): string {
  const read = readTail(line);
  return read ? jsonOf(line, read) : line.toString("utf8");
}

export function epochOf(line: Buffer): number | undefined {
  return readTail(line)?.epoch;
}

interface Tail {
  /** Where the event ends and its epoch begins. */
  readonly at: number;
  readonly epoch: number;
  readonly crc: number;
}

/** The event as it was before its epoch and digest were put behind it. */
function jsonOf(line: Buffer, { at }: Tail): string {
  return `${line.toString("utf8", 0, at)}}`;
}

/** `,"epoch":1,"crc":"01234567"}` at the end of a line, by its bytes: making texts of them would cost more than the digest. */
function readTail(line: Buffer): Tail | undefined {
  const end = line.length - TAIL;
  if (!isAt(line, CRC, end) || !isAt(line, CLOSE, line.length - CLOSE.length)) return undefined;
  const crc = numberIn(line, end + CRC.length, line.length - CLOSE.length, 16);
  let from = end;
  while (isDigit(line[from - 1])) from -= 1;
  const at = from - EPOCH.length;
  if (crc === -1 || from === end || end - from > LONGEST_EPOCH || !isAt(line, EPOCH, at)) return undefined;
  return { at, epoch: numberIn(line, from, end, 10), crc };
}

function isAt(line: Buffer, word: Buffer, at: number): boolean {
  if (at < 0) return false;
  for (let index = 0; index < word.length; index += 1) if (line[at + index] !== word[index]) return false;
  return true;
}

function isDigit(byte = 0): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** -1 where something else than digits stands. */
function numberIn(line: Buffer, from: number, to: number, base: 10 | 16): number {
  let number = 0;
  for (let at = from; at < to; at += 1) {
    const byte = line[at] ?? 0;
    if (byte >= 0x30 && byte <= 0x39) number = number * base + byte - 0x30;
    else if (base === 16 && byte >= 0x61 && byte <= 0x66) number = number * base + byte - 0x57;
    else return -1;
  }
  return number;
}

/** By bytes: numbers of this size are slow to write in another base. */
function hex(crc: number): string {
  return `${BYTES[crc >>> 24]}${BYTES[(crc >>> 16) & 255]}${BYTES[(crc >>> 8) & 255]}${BYTES[crc & 255]}`;
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
