import * as v from "valibot";
import { wholeNumber } from "../model/values/number.ts";

/** Where in a visit something was found, as the reader's tabs are called. */
export const FoundIn = v.picklist(["output", "prompt", "tools", "handoff"]);
export type FoundIn = v.InferOutput<typeof FoundIn>;

/** [N36] One place that a search found. */
export const Found = v.object({
  castId: v.string(),
  request: v.string(),
  socket: v.string(),
  visit: wholeNumber(1),
  materia: v.string(),
  in: FoundIn,
  /** The words around it, and it itself. */
  before: v.string(),
  match: v.string(),
  after: v.string(),
});
export type Found = v.InferOutput<typeof Found>;

/** What was looked through, and why no further: all of it, or enough. */
export const SearchOver = v.object({ casts: wholeNumber(0), isCut: v.boolean() });
export type SearchOver = v.InferOutput<typeof SearchOver>;

const AROUND = 80;

/** The first place of a needle in a text, with the words around it; case does not count. */
export function excerptAround(text: string, needle: string): Pick<Found, "before" | "match" | "after"> | undefined {
  const lower = text.toLowerCase();
  // A letter that becomes two in lower case would move every place behind it.
  const at = lower.length === text.length ? lower.indexOf(needle.toLowerCase()) : text.indexOf(needle);
  if (at === -1) return undefined;
  const end = at + needle.length;
  const flat = (piece: string): string => piece.replaceAll(/\s+/g, " ");
  return {
    before: `${at > AROUND ? "…" : ""}${flat(text.slice(Math.max(0, at - AROUND), at))}`,
    match: text.slice(at, end),
    after: `${flat(text.slice(end, end + AROUND))}${end + AROUND < text.length ? "…" : ""}`,
  };
}
