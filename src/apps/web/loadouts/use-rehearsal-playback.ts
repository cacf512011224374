import { useEffect, useMemo, useRef, useState } from "react";
import type { Issue } from "../../../core/model/issue.ts";
import {
  createPlayback,
  visitEndSeq,
  type CastPlayback,
  type TimelineVisit,
} from "../../../core/view/progress/playback.ts";
import type { CastFileView } from "../../../core/wire/casts.ts";
import { useKeysOutsideDialogs } from "../browser/keyboard.ts";
import { getCast } from "../net/api.ts";
import { followCast } from "../net/follow.ts";

/** The playback of a rehearsal; one step is one visit. */
export interface RehearsalPlayback {
  readonly castId: string;
  readonly castFile: CastFileView | null;
  readonly issues: readonly Issue[];
  readonly replay: CastPlayback | null;
  /** All visits so far. */
  readonly visits: readonly TimelineVisit[];
  /** The shown step, from 0, and its last event. */
  readonly step: number;
  readonly seq: number;
  readonly isPlaying: boolean;
  readonly goToStep: (step: number) => void;
  readonly togglePlaying: () => void;
}

const STEP_MS = 900;

export function useRehearsalPlayback(castId: string, onClose: () => void): RehearsalPlayback {
  const { castFile, replay, issues, version } = useRehearsalEvents(castId);
  const [step, setStep] = useState(0);
  const [isPlaying, setPlaying] = useState(true);
  const visits = useMemo(() => replay?.visitsAt(replay.lastSeq()) ?? [], [replay, version]);
  const last = Math.max(0, visits.length - 1);
  const isOver = replay?.events().at(-1)?.type === "cast_ended";
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (step >= last && isOver) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => setStep((before) => Math.min(before + 1, last)), STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, step, last, isOver]);
  const go = (to: number): void => {
    setPlaying(false);
    setStep(Math.max(0, Math.min(to, last)));
  };
  const turn = (): void => {
    if (!isPlaying && step >= last) setStep(0);
    setPlaying(!isPlaying);
  };
  useKeysOutsideDialogs({
    "[": () => go(step - 1),
    "]": () => go(step + 1),
    p: turn,
    escape: onClose,
  });
  const visit = visits[step];
  const seq = replay && visit ? visitEndSeq(visit, replay.lastSeq()) : 0;
  return { castId, castFile, issues, replay, visits, step, seq, isPlaying, goToStep: go, togglePlaying: turn };
}

interface RehearsalEvents {
  readonly castFile: CastFileView | null;
  readonly replay: CastPlayback | null;
  readonly issues: readonly Issue[];
  readonly version: number;
}

const NO_EVENTS: RehearsalEvents = { castFile: null, replay: null, issues: [], version: 0 };

/** Follows the events until the rehearsal ends. */
function useRehearsalEvents(castId: string): RehearsalEvents {
  const [events, setEvents] = useState<RehearsalEvents>(NO_EVENTS);
  const stop = useRef<() => void>(() => undefined);
  useEffect(() => {
    const control = new AbortController();
    const fail = (issues: readonly Issue[]): void => setEvents((before) => ({ ...before, issues }));
    const open = async (): Promise<void> => {
      const answer = await getCast(castId, control.signal);
      if (control.signal.aborted) return undefined;
      if (!answer.ok) return fail(answer.issues);
      const { castFile } = answer.value;
      const replay = createPlayback({ ...castFile, data: castFile.state });
      answer.value.events.forEach(replay.push);
      setEvents({ castFile, replay, issues: answer.value.issues, version: 0 });
      if (replay.events().at(-1)?.type === "cast_ended") return undefined;
      stop.current = followCast(castId, {
        after: replay.lastSeq,
        onEvent: (event) => {
          replay.push(event);
          setEvents((before) => ({ ...before, version: before.version + 1 }));
          if (event.type === "cast_ended") stop.current();
        },
        onIssue: (issue) => fail([issue]),
      });
      return undefined;
    };
    void open();
    return () => {
      control.abort();
      stop.current();
      setEvents(NO_EVENTS);
    };
  }, [castId]);
  return events;
}
