import { useEffect, useRef, useState } from "react";
import type { CastEvent } from "../../../../../../core/cast/state/event.ts";
import type { Issue } from "../../../../../../core/model/issue.ts";
import { openReplay, type Replay } from "../../../../../../core/view/watch/replay.ts";
import { useCasts } from "../../../data/use-casts.ts";
import { followCast, getCast, type CastListener } from "../../../net/api.ts";
import type { ShownCastFile } from "../../../../../../core/wire/casts.ts";
import { openProgressLog, type ProgressLog } from "./progress.ts";

/** A cast as the page knows it: what it was started with, its events so far, and what its agent does right now. */
export interface KnownCast {
  readonly castFile: ShownCastFile;
  readonly replay: Replay;
  readonly progress: ProgressLog;
  readonly alive: boolean;
  /** Where the casts of its items are, by their ids. */
  readonly itemPlaces: ReadonlyMap<string, string>;
  /** [S10] Whether it was begun by somebody else, or on another machine. */
  readonly isForeign: boolean;
  readonly issues: readonly Issue[];
  /** Grows with every change of the above, which keep their identity. */
  readonly version: number;
}

export type CastLoad =
  | { readonly kind: "loading" }
  | { readonly kind: "refused"; readonly issues: readonly Issue[] }
  | ({ readonly kind: "loaded" } & KnownCast);

export function useCast(id: string): CastLoad {
  const [load, setLoad] = useState<CastLoad>({ kind: "loading" });
  const [round, setRound] = useState(0);
  const opened = useRef<OpenCast | null>(null);
  const summary = useCasts().casts.find(({ castId }) => castId === id);
  // Where other windows are heard instead, the list of casts says that there is more to read.
  useEffect(() => void opened.current?.catchUp(), [summary]);
  useEffect(() => {
    const cast = openCast(id, { setLoad, onReset: () => setRound((before) => before + 1) });
    opened.current = cast;
    return () => {
      opened.current = null;
      cast.close();
    };
  }, [id, round]);
  return load;
}

interface OpenCast {
  /** Reads what has happened since, unless it is heard. */
  readonly catchUp: () => Promise<void>;
  readonly close: () => void;
}

interface Opening {
  readonly setLoad: (change: CastLoad | ((before: CastLoad) => CastLoad)) => void;
  readonly onReset: () => void;
}

function openCast(id: string, { setLoad, onReset }: Opening): OpenCast {
  const control = new AbortController();
  const { signal } = control;
  const heard = { progress: openProgressLog(), itemPlaces: new Map<string, string>() };
  const { progress } = heard;
  let known: Replay | null = null;
  let isHeard = true;
  let stop = (): void => undefined;
  const change = (part: Partial<KnownCast>): void =>
    setLoad((before) => (before.kind === "loaded" ? { ...before, ...part } : before));
  const changed = onceAFrame(signal, () =>
    setLoad((before) => (before.kind === "loaded" ? { ...before, version: before.version + 1 } : before)),
  );
  const take = (event: CastEvent): void => {
    if (!known || event.seq <= known.lastSeq()) return;
    known.push(event);
    if (event.type === "visit_started") progress.clear();
    progress.count(event);
    changed();
  };
  const listener: Omit<CastListener, "after"> = {
    ...agentListener(heard, changed),
    onEvent: take,
    onLive: (alive) => change({ alive }),
    onReset,
    onIssue: (issue) => setLoad((before) => withIssue(before, issue)),
    onHeard: (now) => void (isHeard = now),
  };
  const open = async (): Promise<void> => {
    const answer = await getCast(id, signal);
    if (signal.aborted) return;
    if (!answer.ok) return setLoad({ kind: "refused", issues: answer.issues });
    const { castFile, events, live: alive, issues, summary } = answer.value;
    const replay = openReplay({ ...castFile, data: castFile.state });
    for (const event of events) replay.push(event);
    known = replay;
    const isForeign = summary?.foreign === true;
    setLoad({ kind: "loaded", castFile, replay, ...heard, alive, isForeign, issues, version: 0 });
    // What cannot be read on has no more to tell.
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
      change({ alive: answer.value.live });
    },
    close: () => {
      control.abort();
      stop();
    },
  };
}

/** What its agents are at, and those of its items. */
function agentListener(
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
    // Who joins a turn gets it from its beginning.
    onOpen: progress.clear,
  };
}

/** Many events of one moment are drawn once. */
function onceAFrame(signal: AbortSignal, draw: () => void): () => void {
  let frame = 0;
  return () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (!signal.aborted) draw();
    });
  };
}

/** The same fault, said again and again, is one problem to a person. */
function withIssue(load: CastLoad, issue: Issue): CastLoad {
  if (load.kind !== "loaded" || load.issues.some(({ message }) => message === issue.message)) return load;
  return { ...load, issues: [...load.issues, issue] };
}
