import { useEffect, useRef, useState } from "react";
import { createPlayback, type TimelineVisit } from "../../../core/view/progress/playback.ts";
import type { ItemAttempt, ItemTimeline } from "../../../core/view/progress/item-timelines.ts";
import { getCast } from "../net/api.ts";

/** [W45] A visit inside the cast of an item, in the time of its parent. */
export interface ItemVisit {
  readonly child: string;
  readonly visit: TimelineVisit;
}

/** What the casts of parallel items did, by cast id: their visits, and the ways they took. */
export interface ItemCasts {
  readonly visits: ReadonlyMap<string, readonly ItemVisit[]>;
  readonly ways: readonly { readonly id: string; readonly at: number }[];
}

type LoadedItem = { readonly visits: readonly ItemVisit[]; readonly ways: ItemCasts["ways"] };

const NO_ITEM_CASTS: ItemCasts = { visits: new Map(), ways: [] };
/** More would delay the page; their rows show attempts only. */
const MAX_ITEM_CASTS = 300;
const REQUESTS_AT_ONCE = 3;

/** Reads the cast of each attempt when it has moved on. */
export function useItemCasts(lanes: readonly ItemTimeline[], places: ReadonlyMap<string, string>): ItemCasts {
  const [loaded, setLoaded] = useState<ItemCasts>(NO_ITEM_CASTS);
  const known = useRef(new Map<string, { readonly state: string; readonly item: LoadedItem | null }>());
  // A cast that has just begun may not exist yet; the stream says when it does.
  const exists = ({ child, outcome }: ItemAttempt): boolean => outcome !== "running" || places.has(child);
  const attempts = lanes.flatMap((lane) => lane.attempts.filter(exists)).slice(0, MAX_ITEM_CASTS);
  const due = attempts.map(({ child, outcome, from }) => ({
    child,
    from,
    state: `${outcome} ${places.get(child) ?? ""}`,
  }));
  const key = due.map(({ child, state }) => `${child} ${state}`).join("\n");
  useEffect(() => {
    const control = new AbortController();
    const waiting = due.filter(({ child, state }) => known.current.get(child)?.state !== state);
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const item = await loadItem(next.child, next.from, control.signal);
        if (control.signal.aborted) return;
        known.current.set(next.child, { state: next.state, item });
      }
    };
    const loadAll = async (): Promise<void> => {
      if (waiting.length === 0) return;
      await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, work));
      if (!control.signal.aborted) setLoaded(joinItems(known.current));
    };
    void loadAll();
    return () => control.abort();
  }, [key]);
  return loaded;
}

async function loadItem(child: string, from: number, signal: AbortSignal): Promise<LoadedItem | null> {
  const answer = await getCast(child, signal);
  if (!answer.ok) return null;
  const { castFile, events } = answer.value;
  const replay = createPlayback({ ...castFile, data: castFile.state });
  for (const event of events) replay.push(event);
  const last = replay.lastSeq();
  return {
    visits: replay.visitsAt(last).map((visit) => ({
      child,
      visit: { ...visit, from: from + visit.from, to: visit.to === null ? null : from + visit.to },
    })),
    ways: replay.waysTakenAt(last).map(({ id, seq }) => ({ id, at: from + replay.workedAt(seq) })),
  };
}

function joinItems(items: ReadonlyMap<string, { readonly item: LoadedItem | null }>): ItemCasts {
  const all = [...items].flatMap(([child, { item }]) => (item ? [{ child, item }] : []));
  return {
    visits: new Map(all.map(({ child, item }) => [child, item.visits])),
    ways: all.flatMap(({ item }) => item.ways),
  };
}
