import { useMemo, type ReactElement } from "react";
import { durationText, countedText } from "../../../../../../core/view/numbers.ts";
import { workerStretches } from "../../../../../../core/view/watch/moves.ts";
import type { TimelineProps } from "./panel.tsx";
import type { TimeScale } from "./scale.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import timelineSheet from "./timeline.module.css";

const workerRowCss = bindClassNames(timelineSheet, baseSheet);

/** [B28] Which worker drove the cast when; nothing of a cast that no fleet drives. */
export function WorkerRow({
  cast,
  view,
  scale,
  aligned,
}: TimelineProps & { readonly scale: TimeScale; readonly aligned: boolean }): ReactElement | null {
  const { replay, version } = cast;
  const stretches = useMemo(() => workerStretches(replay.events()), [replay, version]);
  if (stretches.length === 0) return null;
  const nowMs = view.latest.elapsedMs;
  const parts = stretches.map(({ worker, seq }, index) => {
    const next = stretches[index + 1];
    const [from, to] = [replay.workedAt(seq), next ? replay.workedAt(next.seq) : nowMs];
    const came = index === 0 ? "began on" : "moved to";
    return { worker, seq, from, length: to - from, text: `${came} ${worker} at ${durationText(from)}` };
  });
  const moves = parts.length - 1;
  return (
    <>
      <div className={workerRowCss("row-label")}>
        <span className={workerRowCss("row-number")} />
        <span className={workerRowCss("cut")}>{moves === 0 ? "Worker" : `Worker, ${countedText(moves, "move")}`}</span>
      </div>
      <ol className={workerRowCss(aligned ? "lane worker-list" : "lane")} aria-label="Workers">
        {parts.map(({ worker, seq, from, length, text }) => (
          <li
            key={seq}
            className={workerRowCss("worker-stretch")}
            title={text}
            style={
              aligned ? undefined : { left: `${Math.max(0, scale.positionPercent(from))}%`, width: `${scale.lengthPercent(length)}%` }
            }
          >
            <button type="button" onClick={() => view.goTo(seq)} aria-label={text}>
              <span className={workerRowCss("cut")}>{worker}</span>
            </button>
          </li>
        ))}
      </ol>
      <div className={workerRowCss("cost")} />
    </>
  );
}
