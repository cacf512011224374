import { useEffect, useMemo, type ReactElement, type RefObject } from "react";
import { layoutGraph } from "../../../../../../core/view/draw/layout.ts";
import { COMPACT, REGULAR, scaled, withItemLine } from "../../../../../../core/view/draw/measure/metrics.ts";
import type { ShownCastFile } from "../../../../../../core/wire/casts.ts";
import { textScale, useWidth } from "../../../browser/use-width.ts";
import { GraphView } from "../../../graph/graph-view.tsx";
import type { GraphPart } from "../../../graph/marks.ts";
import type { GraphHandle } from "../../../graph/frame/use-handle.ts";
import { playMarks, playRoom } from "./play-marks.ts";
import type { Play } from "./use-play.ts";
import { classesOf } from "../../../browser/classes.ts";
import editorSheet from "../look/editor.module.css";

const css = classesOf(editorSheet);

/** The rehearsal on the canvas of the editor. A socket leads to its latest step. */
export function PlayCanvas({
  play,
  castFile,
  handle,
}: {
  readonly play: Play;
  readonly castFile: ShownCastFile;
  readonly handle: RefObject<GraphHandle | null>;
}): ReactElement {
  const { graph, layout } = castFile;
  const width = useWidth();
  const compact = width !== "large";
  const drawing = useMemo(
    () =>
      layoutGraph(graph, {
        metrics: scaled(withItemLine(compact ? COMPACT : REGULAR), textScale()),
        labelOf: (way, runs) => playRoom(graph, way, runs),
        ...(layout ? { layout } : {}),
      }),
    [graph, layout, compact],
  );
  const marks = useMemo(() => playMarks(graph, drawing, play), [graph, drawing, play.replay, play.visits, play.seq]);
  const here = play.visits[play.step]?.socket;
  const selected = useMemo<readonly GraphPart[]>(() => (here ? [{ kind: "socket", id: here }] : []), [here]);
  useEffect(() => {
    if (here) handle.current?.reveal(here);
  }, [here, handle]);
  return (
    <div data-canvas className={css("canvas")}>
      <GraphView
        graph={graph}
        drawing={drawing}
        label={`Rehearsal of ${graph.name}, step ${play.step + 1} of ${play.visits.length}`}
        marks={marks}
        selected={selected}
        onSelect={(part) => {
          const step = play.visits.findLastIndex(({ socket }) => socket === part?.id);
          if (step !== -1) play.go(step);
        }}
        compact={compact}
        grows={width === "small"}
        whole
        handle={handle}
      />
    </div>
  );
}
