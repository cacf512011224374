import { useEffect, useMemo, useState } from "react";
import { visitEndSeq } from "../../../core/view/progress/playback.ts";
import { useKeysOutsideDialogs } from "../browser/keyboard.ts";
import { useCast } from "../cast-replay/use-cast.ts";

export type RehearsalPlayback = ReturnType<typeof useRehearsalPlayback>;

const STEP_MS = 900;

/** The playback of a rehearsal; one step is one visit. */
export function useRehearsalPlayback(castId: string, onClose: () => void) {
  const load = useCast(castId);
  const { castFile = null, replay = null, version = 0 } = load.kind === "loaded" ? load : {};
  const issues = load.kind === "loading" ? [] : load.issues;
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
