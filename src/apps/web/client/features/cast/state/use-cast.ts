import { useEffect, useRef, useState } from "react";
import type { Issue } from "../../../../../../core/model/issue.ts";
import { openReplay } from "../../../../../../core/view/watch/replay.ts";
import type { Replay } from "../../../../../../core/view/watch/replay.ts";
import { followCast, getCast } from "../../../net/api.ts";
import type { ShownCastFile } from "../../../../../../core/wire/casts.ts";
import { openProgress } from "./progress.ts";
import type { ProgressLog } from "./progress.ts";

/** A cast as the page knows it: what it was started with, its events so far, and what its agent does right now. */
export interface LoadedCast {
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
  | ({ readonly kind: "loaded" } & LoadedCast);

export function useCast(id: string): CastLoad {
  const [load, setLoad] = useState<CastLoad>({ kind: "loading" });
  const [round, setRound] = useState(0);
  const frame = useRef(0);
  useEffect(() => {
    const control = new AbortController();
    let stop = (): void => undefined;
    const open = async (): Promise<void> => {
      const answer = await getCast(id, control.signal);
      if (control.signal.aborted) return;
      if (!answer.ok) return setLoad({ kind: "refused", issues: answer.issues });
      const { castFile, events, live, issues, summary } = answer.value;
      const isForeign = summary?.foreign === true;
      const replay = openReplay({ ...castFile, data: castFile.state });
      for (const event of events) replay.push(event);
      const progress = openProgress();
      const itemPlaces = new Map<string, string>();
      const begun = { castFile, replay, progress, itemPlaces, alive: live, isForeign, issues, version: 0 };
      setLoad({ kind: "loaded", ...begun });
      // Many events of one moment are drawn once.
      const changed = (part: Partial<LoadedCast> = {}): void => {
        const draw = (): void => {
          frame.current = 0;
          setLoad((before) => (before.kind === "loaded" ? { ...before, version: before.version + 1 } : before));
        };
        if (part.alive !== undefined) setLoad((before) => (before.kind === "loaded" ? { ...before, ...part } : before));
        frame.current ||= requestAnimationFrame(draw);
      };
      // What cannot be read on has no more to tell.
      if (issues.some(({ code }) => code === "damaged_journal")) return;
      stop = followCast(id, {
        after: replay.lastSeq,
        onEvent: (event) => {
          replay.push(event);
          if (event.type === "visit_started") progress.clear();
          progress.count(event);
          changed();
        },
        onProgress: (note) => {
          progress.push(note);
          changed();
        },
        onLive: (alive) => changed({ alive }),
        onItem: ({ child, socket }) => {
          itemPlaces.set(child, socket);
          changed();
        },
        onReset: () => setRound((before) => before + 1),
        onIssue: (issue) => setLoad((before) => withIssue(before, issue)),
      });
    };
    void open();
    return () => {
      control.abort();
      stop();
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, [id, round]);
  return load;
}

/** The same fault, said again and again, is one problem to a person. */
function withIssue(load: CastLoad, issue: Issue): CastLoad {
  if (load.kind !== "loaded" || load.issues.some(({ message }) => message === issue.message)) return load;
  return { ...load, issues: [...load.issues, issue] };
}
