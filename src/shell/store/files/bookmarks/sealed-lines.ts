import { createHmac, timingSafeEqual } from "node:crypto";
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import type { PackedTimeline } from "../../../../core/view/bookmark/pack.ts";
import { MAX_FILE_BYTES, readRegularFile } from "../../../system/regular-file.ts";
import { VERSION } from "../../../version.ts";
import type { ChainHead } from "../journal/chain.ts";

/** To be raised with every change of what a state or a trail holds: a bookmark of before would be taken for one of today. */
export const BOOKMARK_FORMAT = 1;

/** [J28] A cast as it stood at a place of its journal. */
export interface Bookmark {
  /** The journal up to there: its bytes and their digest, the end of its chain, and whose line is the last. */
  readonly bytes: number;
  readonly digest: number;
  readonly head: ChainHead;
  readonly epoch: number;
  readonly pack: PackedTimeline;
}

/** The end of a file of bookmarks. */
export interface BookmarksEnd {
  /** The seal of the last one, and the bytes of all. */
  readonly seal: string;
  readonly bytes: number;
}

/** What the first line of a cast is sealed with: no line of another cast or version fits behind it, nor where `cast.json` has changed since. */
export function firstSeal(castFile: string, castId: string): string {
  return `${VERSION} ${BOOKMARK_FORMAT} ${castId} ${crc32(readRegularFile(castFile, MAX_FILE_BYTES.castFile))}`;
}

/** A bookmark as a line, sealed together with the one before it: only this user can write one that is read. */
export function sealBookmark(
  bookmark: Bookmark,
  key: string,
  before: string,
): { readonly text: string; readonly seal: string } {
  const body = deflateRawSync(JSON.stringify(bookmark), { level: 1, memLevel: 4, windowBits: 13 }).toString("base64");
  const seal = sealOf(body, key, before);
  return { text: `${body} ${seal}\n`, seal };
}

/** [J28] Line after line as long as the seals fit, each of which needs all before it; what comes behind one that does not is as if it were not there. */
export function readSealedLines(text: string, key: string, first: string, take: (bookmark: Bookmark) => void): BookmarksEnd {
  let seal = first;
  let bytes = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", bytes)) {
    const [body = "", said = ""] = text.slice(bytes, end).split(" ");
    const right = sealOf(body, key, seal);
    if (!isSameSeal(said, right)) break;
    take(JSON.parse(inflateRawSync(Buffer.from(body, "base64")).toString("utf8")) as Bookmark); // sealed as one
    seal = right;
    bytes = end + 1;
  }
  return { seal, bytes };
}

function sealOf(body: string, key: string, before: string): string {
  return createHmac("sha256", key).update(`bookmark ${before}\n${body}`).digest("base64url");
}

function isSameSeal(said: string, right: string): boolean {
  const [a, b] = [Buffer.from(said), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
