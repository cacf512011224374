import * as v from "valibot";
import { wholeNumber } from "../model/values/number.ts";

/** Where in a visit something was found, as the reader's tabs are called. */
export const SearchHitPlace = v.picklist(["output", "prompt", "tools", "handoff"]);
export type SearchHitPlace = v.InferOutput<typeof SearchHitPlace>;

/** [N36] One place that a search found. */
export const SearchHit = v.object({
  castId: v.string(),
  request: v.string(),
  socket: v.string(),
  visit: wholeNumber(1),
  materia: v.string(),
  in: SearchHitPlace,
  /** The words around it, and it itself. */
  before: v.string(),
  match: v.string(),
  after: v.string(),
});
export type SearchHit = v.InferOutput<typeof SearchHit>;

/** What was looked through, and why no further: all of it, or enough. */
export const SearchEnd = v.object({ casts: wholeNumber(0), isCut: v.boolean() });
export type SearchEnd = v.InferOutput<typeof SearchEnd>;

const EXCERPT_MARGIN = 80;

/** The first place of a needle in a text, with the words around it; case does not count. */
export function excerptAround(text: string, needle: string): Pick<SearchHit, "before" | "match" | "after"> | undefined {
  const lower = text.toLowerCase();
  // A letter that becomes two in lower case would move every place behind it.
  const at = lower.length === text.length ? lower.indexOf(needle.toLowerCase()) : text.indexOf(needle);
  if (at === -1) return undefined;
  const end = at + needle.length;
  const flat = (piece: string): string => piece.replaceAll(/\s+/g, " ");
  return {
    before: `${at > EXCERPT_MARGIN ? "…" : ""}${flat(text.slice(Math.max(0, at - EXCERPT_MARGIN), at))}`,
    match: text.slice(at, end),
    after: `${flat(text.slice(end, end + EXCERPT_MARGIN))}${end + EXCERPT_MARGIN < text.length ? "…" : ""}`,
  };
}
