import { useEffect, useRef, useState } from "react";
import type { TimelineRow } from "../../../../../../core/view/watch/rows.ts";
import type { VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import { useKeys } from "../../../browser/keys.ts";
import { replaceSearchParams } from "../../../browser/route.ts";

/** The moment of the cast that is looked at, and the visit that is read. */
export interface ViewedMoment {
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

/** [W33] Where somebody stands in a cast is part of the address: `?visit=Socket-5%232` and `?at=123`. */
export function useViewedMoment(visits: readonly VisitRecord[], lastSeq: number, search: URLSearchParams): ViewedMoment {
  const [{ at, chosen }, setMoment] = useState(() => momentFromAddress(search, visits, lastSeq));
  const address = `${search.get("visit") ?? ""} ${search.get("at") ?? ""}`;
  const known = useRef(address);
  // Somebody came by a link or by Back; what is chosen here changes the address without being heard.
  useEffect(() => {
    if (known.current === address) return;
    known.current = address;
    setMoment(momentFromAddress(search, visits, lastSeq));
  }, [address]);
  useEffect(() => {
    const visit = chosen === null ? undefined : visits[chosen];
    const moment = { visit: visit ? visitName(visit) : null, at: at === null ? null : `${at}` };
    known.current = `${moment.visit ?? ""} ${moment.at ?? ""}`;
    // A dialog that the address asked for is open by now; a link that is sent on must not open it again.
    replaceSearchParams({ ...moment, do: null, tab: null, found: null });
  }, [at, chosen]);
  return {
    at,
    chosen,
    goLive: () => setMoment(LIVE_MOMENT),
    goTo: (to) => setMoment({ at: Math.max(1, Math.min(to, lastSeq)), chosen: null }),
    goToVisit: (index) => {
      const target = visits[Math.max(0, Math.min(index, visits.length - 1))];
      if (target) setMoment({ at: visitEndSeq(target, lastSeq), chosen: target.index });
    },
    read: (index) => setMoment((before) => ({ ...before, chosen: index })),
  };
}

const LIVE_MOMENT = { at: null, chosen: null } as const;

function momentFromAddress(
  search: URLSearchParams,
  visits: readonly VisitRecord[],
  lastSeq: number,
): { readonly at: number | null; readonly chosen: number | null } {
  const visit = visits.find((each) => visitName(each) === search.get("visit"));
  const at = Number(search.get("at"));
  const isMoment = Number.isInteger(at) && at >= 1 && at <= lastSeq;
  if (!visit) return isMoment ? { at, chosen: null } : LIVE_MOMENT;
  return { at: isMoment ? at : visit.to === null ? null : visitEndSeq(visit, lastSeq), chosen: visit.index };
}

function visitName({ socket, visit }: VisitRecord): string {
  return `${socket}#${visit}`;
}

/** The visit as it ended, before the cast went on from it. */
function visitEndSeq({ leftBy, lastSeq }: VisitRecord, last: number): number {
  return leftBy === null ? Math.min(lastSeq, last) : leftBy - 1;
}

/** Brackets from visit to visit, braces from row to row of the timeline. */
export function useVisitKeys(
  { at, goLive, goToVisit }: ViewedMoment,
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
