import { useEffect, useMemo, type ReactElement, type RefObject } from "react";
import { layoutGraph } from "../../../../../../core/view/draw/layout.ts";
import { COMPACT_METRICS, REGULAR_METRICS, scaleMetrics, withItemLineRoom } from "../../../../../../core/view/draw/measure/metrics.ts";
import type { CastFileView } from "../../../../../../core/wire/casts.ts";
import { textScale, useScreenWidth } from "../../../browser/use-width.ts";
import { GraphView } from "../../../graph/graph-view.tsx";
import type { GraphPart } from "../../../graph/marks.ts";
import type { GraphHandle } from "../../../graph/frame/use-handle.ts";
import { rehearsalMarks, longestRehearsalLabel } from "./play-marks.ts";
import type { RehearsalPlayback } from "./use-play.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import editorSheet from "../look/editor.module.css";

const playCanvasCss = bindClassNames(editorSheet);

/** The rehearsal on the canvas of the editor. A socket leads to its latest step. */
export function RehearsalCanvas({
  play,
  castFile,
  handle,
}: {
  readonly play: RehearsalPlayback;
  readonly castFile: CastFileView;
  readonly handle: RefObject<GraphHandle | null>;
}): ReactElement {
  const { graph, layout } = castFile;
  const width = useScreenWidth();
  const compact = width !== "large";
  const drawing = useMemo(
    () =>
      layoutGraph(graph, {
        metrics: scaleMetrics(withItemLineRoom(compact ? COMPACT_METRICS : REGULAR_METRICS), textScale()),
        longestLabelOf: (way, runs) => longestRehearsalLabel(graph, way, runs),
        ...(layout ? { layout } : {}),
      }),
    [graph, layout, compact],
  );
  const marks = useMemo(() => rehearsalMarks(graph, drawing, play), [graph, drawing, play.replay, play.visits, play.seq]);
  const here = play.visits[play.step]?.socket;
  const selected = useMemo<readonly GraphPart[]>(() => (here ? [{ kind: "socket", id: here }] : []), [here]);
  useEffect(() => {
    if (here) handle.current?.reveal(here);
  }, [here, handle]);
  return (
    <div data-canvas className={playCanvasCss("canvas")}>
      <GraphView
        graph={graph}
        drawing={drawing}
        label={`Rehearsal of ${graph.name}, step ${play.step + 1} of ${play.visits.length}`}
        marks={marks}
        selected={selected}
        onSelect={(part) => {
          const step = play.visits.findLastIndex(({ socket }) => socket === part?.id);
          if (step !== -1) play.goToStep(step);
        }}
        compact={compact}
        fullHeight={width === "small"}
        fitWhole
        handle={handle}
      />
    </div>
  );
}
