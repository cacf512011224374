import type { ObservedVisit } from "./observed.ts";
import { ANY_VISITS } from "./test-file.ts";

/** Whether the visits went as expected; otherwise the first visit that could not be matched. */
export function comparePath(
  expected: readonly string[],
  visits: readonly Pick<ObservedVisit, "socket" | "materia">[],
): { readonly same: true } | { readonly same: false; readonly at: number } {
  let [at, visit, furthest] = [0, 0, 0];
  // Where the last "…" stands, and how many visits it has swallowed: a mismatch behind it gives it one more.
  let open: { readonly at: number; readonly visit: number } | undefined;
  for (;;) {
    const word = expected[at];
    const seen = visits[visit];
    furthest = Math.max(furthest, visit);
    if (word !== undefined && ANY_VISITS.includes(word)) {
      open = { at, visit };
      at += 1;
    } else if (word === undefined && seen === undefined) return { same: true };
    else if (seen && (word === seen.socket || word === seen.materia)) {
      at += 1;
      visit += 1;
    } else if (open && open.visit < visits.length) {
      open = { at: open.at, visit: open.visit + 1 };
      [at, visit] = [open.at + 1, open.visit];
    } else return { same: false, at: furthest };
  }
}
