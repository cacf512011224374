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
const EPOCH = ',"epoch":';

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
    const text = line.toString("utf8");
    const read = readTail(text);
    if (!read) return { kind: "damaged", why: "it has no digest" };
    const body = line.subarray(0, line.length - TAIL);
    const last = heads.at(-1) ?? first;
    if (read.epoch < epoch)
      return isLate(body, read.epoch, read.crc) ? { kind: "stale" } : { kind: "damaged", why: UNFIT };
    if (crc32(body, last) === read.crc) {
      if (read.epoch > epoch) {
        // Unless lines of it were passed over: then it would go on from those.
        if (!givenUp.has(epoch)) givenUp.set(epoch, last);
        epoch = read.epoch;
        begun.set(epoch, heads.length - 1);
      }
      return belongs(read.json, read.crc);
    }
    const keep = read.epoch > epoch ? goesOnFrom(body, read.crc) : -1;
    return keep === -1 ? { kind: "damaged", why: UNFIT } : { kind: "superseding", keep };
  };
  const passOver = (line: Buffer): void => {
    const read = readTail(line.toString("utf8"));
    if (read) givenUp.set(read.epoch, read.crc);
  };
  return { verify, passOver, head: () => ({ seq: heads.length - 1, crc: heads.at(-1) ?? first }) };
}

const UNFIT = "its digest does not fit";

/** The event of a line without a look at what came before it: for the ends of a journal. */
export function jsonOf(line: string): string {
  return readTail(line)?.json ?? line;
}

export function epochOf(line: string): number | undefined {
  return readTail(line)?.epoch;
}

interface Tail {
  readonly json: string;
  readonly epoch: number;
  readonly crc: number;
}

function readTail(text: string): Tail | undefined {
  const end = text.length - TAIL;
  if (!text.startsWith(',"crc":"', end) || !text.endsWith('"}')) return undefined;
  const digits = text.slice(-10, -2);
  if (!/^[0-9a-f]{8}$/.test(digits)) return undefined;
  const crc = Number.parseInt(digits, 16);
  const at = text.lastIndexOf(EPOCH, end);
  const epoch = text.slice(at + EPOCH.length, end);
  if (at === -1 || !/^\d{1,9}$/.test(epoch)) return undefined;
  return { json: `${text.slice(0, at)}}`, epoch: Number(epoch), crc };
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}
