import { useEffect, useRef, useState, type Dispatch, type SetStateAction } from "react";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { NO_USAGE, type Usage } from "../../../core/cast/state/usage.ts";
import type { Issue } from "../../../core/model/issue.ts";
import { createPlayback, type CastPlayback, type TimelineVisit } from "../../../core/view/progress/playback.ts";
import { useCasts, withIssue } from "../data/use-casts-and-fleet.ts";
import { getCast } from "../net/api.ts";
import { followCast, type CastListener } from "../net/follow.ts";
import type { OpenQuestion } from "../../../core/wire/stream.ts";
import type { CastFileView, CastResponse } from "../../../core/wire/casts.ts";
import { createProgressLog, type ProgressLog } from "./transcript.ts";
import type { ItemAttempt, ItemTimeline } from "../../../core/view/progress/timeline-rows.ts";

export interface WatchedCast {
  readonly castFile: CastFileView;
  readonly replay: CastPlayback;
  readonly progress: ProgressLog;
  readonly isAlive: boolean;
  readonly itemPlaces: ReadonlyMap<string, string>;
  /** [YP21] Of extensions, which wait for an answer. */
  readonly questions: readonly OpenQuestion[];
  /** [S13] Started by somebody else or on another machine. */
  readonly isForeign: boolean;
  readonly issues: readonly Issue[];
  /** Grows with every change of the fields above, which keep their identity. */
  readonly version: number;
}

/** A late listener hears the last turn again, also when the journal has counted it. */
export function runningTurnUsage({ replay, progress }: WatchedCast): Usage {
  return replay.timelineAt(replay.lastSeq()).state.phase.kind === "visiting" ? progress.turnUsage() : NO_USAGE;
}

export function playbackOf({ castFile, events }: Pick<CastResponse, "castFile" | "events">): CastPlayback {
  const replay = createPlayback({ ...castFile, data: castFile.state });
  events.forEach(replay.push);
  return replay;
}

export type CastLoadState =
  | { readonly kind: "loading" }
  | { readonly kind: "refused"; readonly issues: readonly Issue[] }
  | ({ readonly kind: "loaded" } & WatchedCast);

export function useCast(id: string): CastLoadState {
  const [load, setLoad] = useState<CastLoadState>({ kind: "loading" });
  const [round, setRound] = useState(0);
  const opened = useRef<CastSubscription | null>(null);
  const summary = useCasts().casts.find(({ castId }) => castId === id);
  // While other windows have the stream, the list of casts announces new events.
  useEffect(() => void opened.current?.catchUp(), [summary]);
  useEffect(() => {
    const cast = subscribeToCast(id, setLoad, () => setRound((before) => before + 1));
    opened.current = cast;
    return () => {
      opened.current = null;
      cast.close();
    };
  }, [id, round]);
  return load;
}

type CastSubscription = ReturnType<typeof subscribeToCast>;

function subscribeToCast(id: string, setLoad: Dispatch<SetStateAction<CastLoadState>>, onReset: () => void) {
  const control = new AbortController();
  const { signal } = control;
  const progress = createProgressLog();
  const itemPlaces = new Map<string, string>();
  let known: CastPlayback | null = null;
  let isHeard = true;
  let stop = (): void => undefined;
  const change = (part: (before: WatchedCast) => Partial<WatchedCast>): void =>
    setLoad((before) => (before.kind === "loaded" ? { ...before, ...part(before) } : before));
  const changed = oncePerFrame(signal, () => change(({ version }) => ({ version: version + 1 })));
  const take = (event: CastEvent): void => {
    if (!known || event.seq <= known.lastSeq()) return;
    known.push(event);
    if (event.type === "visit_started") progress.clear();
    progress.applyEvent(event);
    changed();
  };
  const listener: CastListener = {
    message: take,
    progress: (note) => {
      progress.push(note);
      changed();
    },
    item: ({ child, socket }) => {
      itemPlaces.set(child, socket);
      changed();
    },
    questions: ({ questions }) => change(() => ({ questions })),
    live: ({ live }) => change(() => ({ isAlive: live })),
    reset: onReset,
    onIssue: (issue) => change(({ issues }) => ({ issues: withIssue(issues, issue) })),
    // A late listener receives the turn from its beginning.
    onOpen: progress.clear,
    onActiveChange: (now) => void (isHeard = now),
  };
  const open = async (): Promise<void> => {
    const answer = await getCast(id, signal);
    if (signal.aborted) return;
    if (!answer.ok) return setLoad({ kind: "refused", issues: answer.issues });
    const parts = partsOf(answer.value);
    known = parts.replay;
    setLoad({ kind: "loaded", progress, itemPlaces, ...parts });
    // After an unreadable event the rest makes no sense.
    if (!parts.issues.some(({ code }) => code === "damaged_journal"))
      stop = followCast(id, parts.replay.lastSeq, listener);
  };
  void open();
  return {
    /** Fetches new events unless the stream is open. */
    catchUp: async () => {
      if (isHeard) return;
      const answer = await getCast(id, signal);
      if (!answer.ok || signal.aborted) return;
      answer.value.events.forEach(take);
      change(() => ({ isAlive: answer.value.live }));
    },
    close: () => {
      control.abort();
      stop();
    },
  };
}

function partsOf(answer: CastResponse): Omit<WatchedCast, "progress" | "itemPlaces"> {
  const { castFile, live: isAlive, issues, summary } = answer;
  const isForeign = summary?.foreign === true;
  return { castFile, replay: playbackOf(answer), isAlive, isForeign, issues, questions: [], version: 0 };
}

function oncePerFrame(signal: AbortSignal, draw: () => void): () => void {
  let frame = 0;
  return () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (!signal.aborted) draw();
    });
  };
}

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
  const replay = playbackOf(answer.value);
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
