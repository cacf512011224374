import { useMemo, type ReactElement } from "react";
import { COMPACT_METRICS, scaleMetrics, type DrawnLine } from "../../../core/view/layout/drawing.ts";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import { line } from "../../../core/view/line.ts";
import { createPlayback } from "../../../core/view/progress/playback.ts";
import type { CastResponse } from "../../../core/wire/casts.ts";
import { textScale } from "../browser/display.ts";
import type { EdgeMark, GraphPart, SocketMark } from "../graph/graph-marks.ts";
import { GraphView } from "../graph/graph-view.tsx";
import { bindSheets } from "../ui/classes.ts";
import compareSheet from "./compare.module.css";

const css = bindSheets(compareSheet);

/** [W52] Both graphs, drawn alike, with the counts of each; a socket that the other visited more or less often says so. */
export function ComparedGraphs({ casts }: { readonly casts: readonly [CastResponse, CastResponse] }): ReactElement {
  const sides = useMemo(() => casts.map(drawCast), [casts]);
  return (
    <div className={css("graphs")}>
      {sides.map((side, index) => (
        // The index is the key: both sides may be the same cast.
        <section key={index} className={css("panel graph-side")} aria-label={`Graph of the ${SIDE_NAMES[index]} cast`}>
          <GraphView
            graph={side.graph}
            drawing={side.drawing}
            marks={marksOf(side, sides[1 - index])}
            label={`${side.graph.name}, ${SIDE_NAMES[index]} cast`}
            onSelect={showVisitsOf}
            compact
            fitWhole
          />
        </section>
      ))}
    </div>
  );
}

const SIDE_NAMES = ["first", "second"] as const;

/** The first visit of the socket, in the list below. */
function showVisitsOf(part: GraphPart | null): void {
  const row = part?.kind === "socket" && document.querySelector(`[data-sockets*="${CSS.escape(`${part.id}#`)}"]`);
  if (row) row.scrollIntoView({ block: "center" });
}

type DrawnCast = ReturnType<typeof drawCast>;

function drawCast({ castFile, events }: CastResponse) {
  const playback = createPlayback({ ...castFile, data: castFile.state });
  for (const event of events) playback.push(event);
  const { graph, stitches, layout } = castFile;
  const drawing = layoutGraph(graph, {
    metrics: scaleMetrics(COMPACT_METRICS, textScale()),
    longestLabelOf: (way) => [`${labelOf(way)} 999×`],
    stitches,
    ...(layout ? { layout } : {}),
  });
  const counts = new Map<string, number>();
  const count = (id: string): void => void counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const { socket } of playback.visitsAt(playback.lastSeq())) count(socket);
  for (const { id } of playback.waysTakenAt(playback.lastSeq())) count(id);
  return { graph, drawing, counts };
}

function marksOf({ drawing, counts, graph }: DrawnCast, other: DrawnCast | undefined) {
  const socketMark = (id: string): SocketMark => {
    const visits = counts.get(id) ?? 0;
    const there =
      other?.graph.sockets[id]?.materia === graph.sockets[id]?.materia ? (other?.counts.get(id) ?? 0) : visits;
    return {
      state: visits === 0 ? "todo" : "visited",
      visits: visits === 0 ? "–" : `${visits}×`,
      ...(there === visits ? {} : { tag: `other ${there}×` }),
    };
  };
  const edgeMark = (way: DrawnLine): EdgeMark => {
    const taken = counts.get(way.id) ?? 0;
    const text = [labelOf(way), ...(taken > 0 ? [`${taken}×`] : [])].filter((part) => part !== "").join(" ");
    return { visits: taken > 0 ? "visited" : "unvisited", label: text === "" ? [] : [line(text)] };
  };
  return {
    sockets: new Map(drawing.sockets.map(({ id }) => [id, socketMark(id)])),
    edges: new Map(drawing.edges.map(({ way }) => [way.id, edgeMark(way)])),
  };
}

function labelOf(way: DrawnLine): string {
  return way.via === "items" ? "work items" : way.label;
}
