import { useState } from "react";
import type { TimelineRow } from "../../../../../../core/view/watch/rows.ts";
import type { VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import { useKeys } from "../../../browser/keys.ts";

/** The moment of the cast that is looked at, and the visit that is read. */
export interface Moment {
  /** The number of the event after which the cast is shown; null follows it live. */
  readonly at: number | null;
  /** The index of a visit that somebody chose to read. */
  readonly chosen: number | null;
  readonly goLive: () => void;
  readonly goTo: (seq: number) => void;
  readonly goToVisit: (index: number) => void;
  /** Reads a visit without leaving the moment. */
  readonly read: (index: number) => void;
}

export function useMoment(visits: readonly VisitRecord[], lastSeq: number): Moment {
  const [at, setAt] = useState<number | null>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  return {
    at,
    chosen,
    goLive: () => {
      setAt(null);
      setChosen(null);
    },
    goTo: (to) => {
      setAt(Math.max(1, Math.min(to, lastSeq)));
      setChosen(null);
    },
    goToVisit: (index) => {
      const target = visits[Math.max(0, Math.min(index, visits.length - 1))];
      if (!target) return;
      // The visit as it ended, before the cast went on from it.
      setAt(target.leftBy === null ? Math.min(target.lastSeq, lastSeq) : target.leftBy - 1);
      setChosen(target.index);
    },
    read: setChosen,
  };
}

/** Brackets from visit to visit, braces from row to row of the timeline. */
export function useMomentKeys(
  { at, goLive, goToVisit }: Moment,
  { here, last, rows }: { readonly here: number; readonly last: number; readonly rows: readonly TimelineRow[] },
): void {
  const stepRow = (by: -1 | 1): void => {
    const row = rows.findIndex(({ visits }) => visits.some(({ index }) => index === here));
    const target = rows[row + by]?.visits[0];
    if (target) goToVisit(target.index);
  };
  useKeys({
    "[": () => goToVisit(here - 1),
    "]": () => goToVisit(here + 1),
    "shift+{": () => stepRow(-1),
    "shift+}": () => stepRow(1),
    home: () => goToVisit(0),
    end: () => goToVisit(last),
    f: goLive,
    escape: () => (at === null ? false : goLive()),
  });
}
