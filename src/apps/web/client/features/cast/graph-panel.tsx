import { useEffect, useMemo, useRef, useState, type ReactElement } from "react";
import type { GraphDrawing } from "../../../../../core/view/draw/drawing.ts";
import { layoutGraph } from "../../../../../core/view/draw/layout.ts";
import { COMPACT_METRICS, REGULAR_METRICS, scaleMetrics, withItemLineRoom } from "../../../../../core/view/draw/measure/metrics.ts";
import { stitchNumber } from "../../../../../core/view/draw/routes.ts";
import { positionText } from "../../../../../core/view/now/board.ts";
import { countedText } from "../../../../../core/view/numbers.ts";
import { GraphView } from "../../graph/graph-view.tsx";
import { GraphLegend } from "../../graph/legend.tsx";
import type { GraphPart } from "../../graph/marks.ts";
import type { GraphHandle } from "../../graph/frame/use-handle.ts";
import { Button } from "../../parts/controls/button.tsx";
import { textScale, type ScreenWidth } from "../../browser/use-width.ts";
import type { CastPanelProps, CastView } from "./state/use-cast-view.ts";
import type { WatchedCast } from "./state/use-cast.ts";
import { castMarks, longestCastLabel } from "./state/marks.ts";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "../../parts/marks/marks.module.css";
import castSheet from "./cast.module.css";

const css = bindClassNames(castSheet, marksSheet, baseSheet);

/** The panel is too narrow for the titles of bands to stand beside the sockets. */
const NARROW_METRICS = { ...REGULAR_METRICS, band: COMPACT_METRICS.band };

export function CastGraphPanel(
  props: CastPanelProps & { readonly width: ScreenWidth; readonly onOpen: () => void },
): ReactElement {
  const { cast, view, width, onOpen } = props;
  const { graph } = cast.castFile;
  // Large letters fit only where the sockets say less.
  const compact = width !== "large" || textScale() >= 1.5;
  const handle = useRef<GraphHandle>(null);
  const [legend, setLegend] = useState(false);
  const drawing = useCastDrawing(cast, compact);
  const marks = useMemo(
    () => castMarks(drawing, view),
    [drawing, view.trail, view.visits, view.waysTaken, view.board, view.at, view.seq, cast.version],
  );
  const read = view.visit?.socket;
  const selected = useMemo<readonly GraphPart[]>(() => (read ? [{ kind: "socket", id: read }] : []), [read]);
  const position = view.board.position;
  // The graph goes along with what is looked at.
  useEffect(() => {
    if (position) handle.current?.reveal(position.socket);
  }, [position?.socket]);
  const sockets = countedText(drawing.sockets.length, "socket");
  return (
    <section className={css("panel graph-panel")} aria-label="Graph">
      <div className={css("panel-head")}>
        <h2>Graph</h2>
        <span className={css("grow")} />
        <Button look="bare" aria-pressed={legend} onClick={() => setLegend(!legend)}>
          Legend
        </Button>
        <Button
          look="bare"
          off={position ? null : "The cast is nowhere in the graph"}
          onClick={() => position && handle.current?.center(position.socket)}
        >
          Center on now
        </Button>
      </div>
      {legend && (
        <div className={css("legend-row")}>
          <GraphLegend />
        </div>
      )}
      <div className={css("graph-wrap")}>
        <GraphView
          graph={graph}
          drawing={drawing}
          marks={marks}
          selected={selected}
          label={`${graph.name}, ${sockets}${position ? `, ${position.atWork ? positionText(position) : `now at ${position.socket}`}` : ""}`}
          onSelect={(part) => readLatestVisit(view, part)}
          onOpen={onOpen}
          compact={compact}
          fullHeight={width !== "large"}
          fitWhole={cast.castFile.layout !== undefined}
          handle={handle}
        />
      </div>
    </section>
  );
}

function useCastDrawing(cast: WatchedCast, compact: boolean): GraphDrawing {
  const { graph, stitches, layout } = cast.castFile;
  return useMemo(
    () =>
      layoutGraph(graph, {
        metrics: scaleMetrics(withItemLineRoom(compact ? COMPACT_METRICS : NARROW_METRICS), textScale()),
        longestLabelOf: (way, runs) => longestCastLabel(way, runs, stitchNumber(way, stitches)),
        stitches,
        ...(layout ? { layout } : {}),
      }),
    [graph, stitches, layout, compact],
  );
}

/** A socket is read where it was visited last. */
function readLatestVisit(view: CastView, part: GraphPart | null): void {
  if (part?.kind !== "socket") return;
  const latest = view.visits.findLast(({ socket }) => socket === part.id);
  if (latest) view.read(latest.index);
}
