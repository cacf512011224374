import { useEffect, useRef, useState } from "react";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { NO_USAGE, type Usage } from "../../../core/cast/state/usage.ts";
import type { Issue } from "../../../core/model/issue.ts";
import { createPlayback, type CastPlayback } from "../../../core/view/progress/playback.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { getCast } from "../net/api.ts";
import { followCast, type CastListener } from "../net/follow.ts";
import type { CastFileView } from "../../../core/wire/casts.ts";
import { createProgressLog, type ProgressLog } from "./transcript.ts";

/** A cast in the page: its file, its events and the current activity of its agent. */
export interface WatchedCast {
  readonly castFile: CastFileView;
  readonly replay: CastPlayback;
  readonly progress: ProgressLog;
  readonly isAlive: boolean;
  /** The sockets of the casts of its items, by cast id. */
  readonly itemPlaces: ReadonlyMap<string, string>;
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
    const cast = subscribeToCast(id, { setLoad, onReset: () => setRound((before) => before + 1) });
    opened.current = cast;
    return () => {
      opened.current = null;
      cast.close();
    };
  }, [id, round]);
  return load;
}

interface CastSubscription {
  /** Fetches new events unless the stream is open. */
  readonly catchUp: () => Promise<void>;
  readonly close: () => void;
}

interface SubscriptionHandlers {
  readonly setLoad: (change: CastLoadState | ((before: CastLoadState) => CastLoadState)) => void;
  readonly onReset: () => void;
}

function subscribeToCast(id: string, { setLoad, onReset }: SubscriptionHandlers): CastSubscription {
  const control = new AbortController();
  const { signal } = control;
  const heard = { progress: createProgressLog(), itemPlaces: new Map<string, string>() };
  const { progress } = heard;
  let known: CastPlayback | null = null;
  let isHeard = true;
  let stop = (): void => undefined;
  const change = (part: Partial<WatchedCast>): void =>
    setLoad((before) => (before.kind === "loaded" ? { ...before, ...part } : before));
  const changed = oncePerFrame(signal, () =>
    setLoad((before) => (before.kind === "loaded" ? { ...before, version: before.version + 1 } : before)),
  );
  const take = (event: CastEvent): void => {
    if (!known || event.seq <= known.lastSeq()) return;
    known.push(event);
    if (event.type === "visit_started") progress.clear();
    progress.applyEvent(event);
    changed();
  };
  const listener: Omit<CastListener, "after"> = {
    ...progressListener(heard, changed),
    onEvent: take,
    onLive: (alive) => change({ isAlive: alive }),
    onReset,
    onIssue: (issue) => setLoad((before) => addIssue(before, issue)),
    onActiveChange: (now) => void (isHeard = now),
  };
  const open = async (): Promise<void> => {
    const answer = await getCast(id, signal);
    if (signal.aborted) return;
    if (!answer.ok) return setLoad({ kind: "refused", issues: answer.issues });
    const { castFile, events, live: alive, issues, summary } = answer.value;
    const replay = createPlayback({ ...castFile, data: castFile.state });
    for (const event of events) replay.push(event);
    known = replay;
    const isForeign = summary?.foreign === true;
    setLoad({ kind: "loaded", castFile, replay, ...heard, isAlive: alive, isForeign, issues, version: 0 });
    // After an unreadable event the rest makes no sense.
    if (!issues.some(({ code }) => code === "damaged_journal"))
      stop = followCast(id, { ...listener, after: replay.lastSeq });
  };
  void open();
  return {
    catchUp: async () => {
      if (isHeard) return;
      const answer = await getCast(id, signal);
      if (!answer.ok || signal.aborted) return;
      answer.value.events.forEach(take);
      change({ isAlive: answer.value.live });
    },
    close: () => {
      control.abort();
      stop();
    },
  };
}

/** The progress of its agents and of its items. */
function progressListener(
  { progress, itemPlaces }: { readonly progress: ProgressLog; readonly itemPlaces: Map<string, string> },
  changed: () => void,
): Pick<CastListener, "onProgress" | "onItem" | "onOpen"> {
  return {
    onProgress: (note) => {
      progress.push(note);
      changed();
    },
    onItem: ({ child, socket }) => {
      itemPlaces.set(child, socket);
      changed();
    },
    // A late listener receives the turn from its beginning.
    onOpen: progress.clear,
  };
}

/** Draw once for many events at the same time. */
function oncePerFrame(signal: AbortSignal, draw: () => void): () => void {
  let frame = 0;
  return () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (!signal.aborted) draw();
    });
  };
}

/** Report an issue only once. */
function addIssue(load: CastLoadState, issue: Issue): CastLoadState {
  if (load.kind !== "loaded" || load.issues.some(({ message }) => message === issue.message)) return load;
  return { ...load, issues: [...load.issues, issue] };
}
