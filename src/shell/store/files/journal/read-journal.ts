import { closeSync, readSync } from "node:fs";
import { parseEvent } from "../../../../core/cast/state/event.ts";
import type { CastEvent } from "../../../../core/cast/state/event.ts";
import type { Graph } from "../../../../core/compile/graph.ts";
import { error, fail, ok } from "../../../../core/model/issue.ts";
import type { Issue, Result } from "../../../../core/model/issue.ts";
import { problemText } from "../../../system/problem.ts";
import { openRegular } from "../../../system/regular-file.ts";
import type { CastFile } from "../../cast-file.ts";
import { LONGEST_LINE } from "./line-reader.ts";
import { openChain, plainChain } from "./chain.ts";
import type { Chain, Head, Verdict } from "./chain.ts";

/** What a journal was started with decides how its lines are read. */
export type JournalOf = Pick<CastFile, "castId" | "versions" | "graph">;

export interface FoldedJournal<T> {
  readonly value: T;
  readonly head: Head;
  /** Bytes up to the end of the last whole line; a resume cuts the file there. */
  readonly soundBytes: number;
  readonly tornBytes: number;
}

/** [J1] The events of a journal, one after another. Damage is reported with its line, and nothing is guessed. */
export function foldJournal<T>(
  file: string,
  of: JournalOf,
  begin: () => T,
  step: (value: T, event: CastEvent) => T,
): Result<FoldedJournal<T>> {
  let fd: number;
  try {
    fd = openRegular(file);
  } catch (thrown) {
    return fail(unreadable(file, thrown));
  }
  try {
    let passedOver: PassedOver = [];
    for (;;) {
      const done = foldOnce({ fd, file, of, passedOver }, begin(), step);
      if (done.kind === "folded") return ok(done.folded);
      if (done.kind === "damaged") return fail(damage(file, of.castId, done));
      // [D16] A later owner went on from before these lines: read again, without them.
      passedOver = [...passedOver, done.lines];
    }
  } catch (thrown) {
    return fail(unreadable(file, thrown));
  } finally {
    closeSync(fd);
  }
}

export function chainOf({ castId, versions }: Pick<JournalOf, "castId" | "versions">): Chain {
  return versions.format === 1 ? plainChain() : openChain(castId);
}

/** First and last of each row of lines that do not count. */
type PassedOver = readonly (readonly [first: number, last: number])[];

interface Reading {
  readonly fd: number;
  readonly file: string;
  readonly of: JournalOf;
  readonly passedOver: PassedOver;
}

type FoldedOnce<T> =
  | { readonly kind: "folded"; readonly folded: FoldedJournal<T> }
  | { readonly kind: "damaged"; readonly line: number; readonly why: string }
  | { readonly kind: "again"; readonly lines: readonly [number, number] };

function foldOnce<T>(reading: Reading, begin: T, step: (value: T, event: CastEvent) => T): FoldedOnce<T> {
  const { fd, of, passedOver } = reading;
  const chain = chainOf(of);
  const checked = of.versions.format !== 1;
  /** The number of each line that belongs. */
  const belonging: number[] = [];
  let value = begin;
  let line = 0;
  let stop: FoldedOnce<T> | undefined;
  const damaged = (why: string): false => {
    stop = { kind: "damaged", line, why };
    return false;
  };
  const take = (bytes: Buffer): boolean => {
    line += 1;
    if (passedOver.some(([first, last]) => line >= first && line <= last)) {
      chain.passOver(bytes);
      return true;
    }
    const verdict = chain.verify(bytes);
    if (verdict.kind === "stale") return true;
    if (verdict.kind === "damaged") return damaged(verdict.why);
    if (verdict.kind === "superseding") {
      stop = { kind: "again", lines: [belonging[verdict.keep] ?? line, line - 1] };
      return false;
    }
    const event = eventOf(verdict.json, of.graph);
    if (typeof event === "string") return damaged(event);
    belonging.push(line);
    try {
      value = step(value, event);
      return true;
    } catch (thrown) {
      return damaged(problemText(thrown));
    }
  };
  const { soundBytes, torn } = eachLine(fd, take);
  if (stop) return stop;
  if (checked && isWhole(chain, torn)) return { kind: "damaged", line: line + 1, why: "its line end is gone" };
  return { kind: "folded", folded: { value, head: chain.head(), soundBytes, tornBytes: torn.length } };
}

/** Only a write that was cut off leaves a last line without its end; a whole one with something behind it was changed. */
function isWhole(chain: Chain, torn: Buffer): boolean {
  if (torn.length < 2) return false;
  const verdict: Verdict = chain.verify(torn.subarray(0, -1));
  return verdict.kind === "event" || verdict.kind === "stale";
}

/** Events of an earlier version become today's; some of them only with the graph of their cast. */
export function eventOf(json: string, graph: Graph | null): CastEvent | string {
  try {
    return parseEvent(JSON.parse(json), () => graph);
  } catch {
    return "it is not JSON";
  }
}

const BLOCK = 512 * 1024;

/**
 * Line after line, in blocks: a journal may be larger than memory. Stops where `take` does, which must not keep a line:
 * all of them are read into the same place.
 */
function eachLine(fd: number, take: (line: Buffer) => boolean): { soundBytes: number; torn: Buffer } {
  let bytes: Buffer = Buffer.allocUnsafe(BLOCK);
  /** Bytes of a line that goes on behind the last block; they stand at the beginning. */
  let kept = 0;
  let soundBytes = 0;
  for (;;) {
    if (bytes.length < kept + BLOCK / 2) bytes = Buffer.concat([bytes.subarray(0, kept)], bytes.length * 2);
    const size = readSync(fd, bytes, kept, bytes.length - kept, soundBytes + kept);
    if (size === 0) return { soundBytes, torn: bytes.subarray(0, kept) };
    const full = bytes.subarray(0, kept + size);
    let from = 0;
    // What was kept has no line end.
    for (let end = full.indexOf(0x0a, kept); end !== -1; end = full.indexOf(0x0a, from)) {
      if (!take(full.subarray(from, end))) return { soundBytes, torn: Buffer.alloc(0) };
      soundBytes += end + 1 - from;
      from = end + 1;
    }
    bytes.copyWithin(0, from, full.length);
    kept = full.length - from;
    // [D22] A file of another kind in the journal's place may have no line end at all.
    if (kept > LONGEST_LINE) throw new Error("one of its lines is too long");
  }
}

function unreadable(file: string, thrown: unknown): Issue {
  return { ...error("no_journal", "", `the journal cannot be read: ${problemText(thrown)}`), file };
}

function damage(file: string, castId: string, { line, why }: { readonly line: number; readonly why: string }): Issue {
  const message = `line ${line} of the journal is damaged: ${why}`;
  return { ...error("damaged_journal", `line ${line}`, message, `materia doctor ${castId}`), file };
}
