import { useEffect, useMemo, useRef, useState, type ReactElement } from "react";
import type { Drawing } from "../../../../../core/view/draw/drawing.ts";
import { layoutGraph } from "../../../../../core/view/draw/layout.ts";
import { COMPACT, REGULAR, scaled, withItemLine } from "../../../../../core/view/draw/measure/metrics.ts";
import { stitchOf } from "../../../../../core/view/draw/routes.ts";
import { visitWords } from "../../../../../core/view/now/board.ts";
import { countedText } from "../../../../../core/view/numbers.ts";
import { GraphView } from "../../graph/graph-view.tsx";
import { Legend } from "../../graph/legend.tsx";
import type { GraphPart } from "../../graph/marks.ts";
import type { GraphHandle } from "../../graph/frame/use-handle.ts";
import { Button } from "../../parts/controls/button.tsx";
import { textScale, type Width } from "../../browser/use-width.ts";
import type { CastPartProps, CastView } from "./state/use-cast-view.ts";
import type { KnownCast } from "./state/use-cast.ts";
import { castMarks, castRoom } from "./state/marks.ts";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "../../parts/marks/marks.module.css";
import castSheet from "./cast.module.css";

const css = classesOf(castSheet, marksSheet, baseSheet);

/** The panel is too narrow for the titles of bands to stand beside the sockets. */
const NARROW = { ...REGULAR, band: COMPACT.band };

export function GraphPanel(
  props: CastPartProps & { readonly width: Width; readonly onOpen: () => void },
): ReactElement {
  const { cast, view, width, onOpen } = props;
  const { graph } = cast.castFile;
  // Large letters fit only where the sockets say less.
  const compact = width !== "large" || textScale() >= 1.5;
  const handle = useRef<GraphHandle>(null);
  const [legend, setLegend] = useState(false);
  const drawing = useDrawing(cast, compact);
  const marks = useMemo(
    () => castMarks(drawing, view),
    [drawing, view.trail, view.visits, view.ways, view.board, view.at, view.seq, cast.version],
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
          <Legend />
        </div>
      )}
      <div className={css("graph-wrap")}>
        <GraphView
          graph={graph}
          drawing={drawing}
          marks={marks}
          selected={selected}
          label={`${graph.name}, ${sockets}${position ? `, ${position.atWork ? visitWords(position) : `now at ${position.socket}`}` : ""}`}
          onSelect={(part) => readLatest(view, part)}
          onOpen={onOpen}
          compact={compact}
          grows={width !== "large"}
          whole={cast.castFile.layout !== undefined}
          handle={handle}
        />
      </div>
    </section>
  );
}

function useDrawing(cast: KnownCast, compact: boolean): Drawing {
  const { graph, stitches, layout } = cast.castFile;
  return useMemo(
    () =>
      layoutGraph(graph, {
        metrics: scaled(withItemLine(compact ? COMPACT : NARROW), textScale()),
        labelOf: (way, runs) => castRoom(way, runs, stitchOf(way, stitches)),
        stitches,
        ...(layout ? { layout } : {}),
      }),
    [graph, stitches, layout, compact],
  );
}

/** A socket is read where it was visited last. */
function readLatest(view: CastView, part: GraphPart | null): void {
  if (part?.kind !== "socket") return;
  const latest = view.visits.findLast(({ socket }) => socket === part.id);
  if (latest) view.read(latest.index);
}
