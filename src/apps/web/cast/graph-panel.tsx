import { useEffect, useMemo, useRef, type ReactElement } from "react";
import {
  type GraphDrawing,
  type PlacedEdge,
  type RouteStyle,
  COMPACT_METRICS,
  REGULAR_METRICS,
  scaleMetrics,
  withItemLineRoom,
} from "../../../core/view/layout/drawing.ts";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import { positionText } from "../../../core/view/progress/board.ts";
import { GraphView, GraphLegend } from "../graph/graph-view.tsx";
import type { GraphPart, EdgeMark, LoopMark, GraphMarks, SocketMark } from "../graph/graph-marks.ts";
import { navigate } from "../browser/route.ts";
import { itemVisitHref } from "./timeline-rows.tsx";
import { ZoomButtons, type GraphHandle } from "../graph/viewport.tsx";
import { Button } from "../ui/buttons.tsx";
import { textScale, type ScreenWidth } from "../browser/display.ts";
import type { CastPanelProps, CastView } from "../cast-replay/use-cast-view.ts";
import type { WatchedCast } from "../cast-replay/use-cast.ts";
import { bindSheets } from "../ui/classes.ts";
import castSheet from "./cast.module.css";
import type { CastState } from "../../../core/cast/state/state.ts";
import { materiaOf } from "../../../core/compile/graph.ts";
import { stitchNumber, type DrawnWay } from "../../../core/view/graph/drawn-ways.ts";
import { progressCounts } from "../../../core/view/progress/item-progress.ts";
import { durationText, costText, itemsDoneText } from "../../../core/view/numbers.ts";
import { countOfLimitText } from "../../../core/cast/failure-text.ts";
import { titleText } from "../../../core/view/report/handoff-lines.ts";
import { line, toned, type Line } from "../../../core/view/line.ts";
import { currentTraversals } from "../../../core/view/progress/cast-path.ts";
import type { TimelineVisit } from "../../../core/view/progress/playback.ts";
import { withoutUndefined } from "../../../core/model/json.ts";
import { countedText } from "../../../core/model/text.ts";

const css = bindSheets(castSheet);

/** The panel is too narrow for titles of bands beside the sockets. */
const NARROW_METRICS = { ...REGULAR_METRICS, band: COMPACT_METRICS.band };

export function CastGraphPanel(
  props: CastPanelProps & { readonly width: ScreenWidth; readonly onOpen: () => void },
): ReactElement {
  const { cast, view, width, onOpen } = props;
  const { graph } = cast.castFile;
  // Large letters fit only with shorter socket texts.
  const compact = width !== "large" || textScale() >= 1.5;
  const handle = useRef<GraphHandle>(null);
  const drawing = useCastDrawing(cast, compact);
  const marks = useMemo(
    () => castMarks(drawing, view, cast.castFile.window !== undefined),
    [drawing, view.trail, view.visits, view.waysTaken, view.itemVisits, view.board, view.at, view.seq, cast.version],
  );
  const read = view.visit?.socket;
  const selected = useMemo<readonly GraphPart[]>(() => (read ? [{ kind: "socket", id: read }] : []), [read]);
  const position = view.board.position;
  // Scroll the graph to the shown visit.
  useEffect(() => {
    if (position) handle.current?.reveal(position.socket);
  }, [position?.socket]);
  const sockets = countedText(drawing.sockets.length, "socket");
  return (
    <section className={css("panel graph-panel")} aria-label="Graph">
      <div className={css("panel-head")}>
        <h2>Graph</h2>
        <span className={css("grow")} />
        {position && (
          <Button look="bare" onClick={() => handle.current?.center(position.socket)}>
            Center on now
          </Button>
        )}
        <ZoomButtons handle={handle} />
      </div>
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
          fitWhole={cast.castFile.layout !== undefined}
          handle={handle}
        />
      </div>
      <details className={css("legend-row")}>
        <summary>Legend</summary>
        <GraphLegend />
      </details>
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
        layout: layout ?? {},
      }),
    [graph, stitches, layout, compact],
  );
}

/** A click on a socket opens its last visit. */
function readLatestVisit(view: CastView, part: GraphPart | null): void {
  if (part?.kind !== "socket") return;
  const latest = view.visits.findLast(({ socket }) => socket === part.id);
  if (latest) return view.read(latest.index);
  const inItem = [...view.itemVisits.values()].flat().findLast(({ visit }) => visit.socket === part.id);
  if (inItem) navigate(itemVisitHref(inItem));
}

function castMarks(drawing: GraphDrawing, view: CastView, isItem: boolean): GraphMarks {
  const inItems = [...view.itemVisits.values()].flat().map(({ visit }) => visit);
  const bySocket = Map.groupBy([...view.visits, ...inItems], ({ socket }) => socket);
  const taken = Map.groupBy(view.waysTaken, ({ id }) => id);
  return {
    sockets: new Map(drawing.sockets.map(({ id }) => [id, socketMark(id, bySocket.get(id) ?? [], view)])),
    edges: new Map(
      drawing.edges.map((edge) => [edge.way.id, edgeMark(edge, view, taken.get(edge.way.id)?.length ?? 0)]),
    ),
    loops: new Map(drawing.loops.map(({ id }) => [id, loopMark(id, view, isItem)])),
  };
}

function socketMark(id: string, visits: readonly TimelineVisit[], view: CastView): SocketMark {
  const { graph } = view.trail.state;
  const socket = graph.sockets[id];
  const { position, status } = view.board;
  const working = view.workingItems.get(id) ?? 0;
  const isAt = view.workingItems.size > 0 && status === "running" ? working > 0 : position?.socket === id;
  const isHere = isAt && status !== "completed" && status !== "not_satisfied";
  const isPast = view.at !== null;
  const { state, tag } = isHere
    ? currentSocketMark(view, working)
    : ({ state: visits.length === 0 ? "todo" : "visited", tag: undefined } as const);
  if (visits.length === 0) return withoutUndefined({ state, isPast, visits: "–", tag });
  const cost = visits.reduce((sum, { usage }) => sum + usage.cost, 0);
  const worked = visits.reduce((sum, { from, to }) => sum + ((to ?? from) - from), 0);
  const isUtility = socket !== undefined && materiaOf(graph, socket).type === "utility";
  const figure = isUtility ? durationText(worked) : costText(cost);
  return withoutUndefined({ state, isPast, visits: `${visits.length}×`, figure, tag });
}

type StatusMark = { readonly state: "live" | "waiting" | "failed"; readonly tag: string };

const STATUS_MARKS: Readonly<Partial<Record<CastView["board"]["status"], StatusMark>>> = {
  waiting: { state: "waiting", tag: "Waiting for you" },
  failed: { state: "failed", tag: "Failed here" },
  aborted: { state: "failed", tag: "Aborted here" },
  interrupted: { state: "failed", tag: "Interrupted here" },
  sleeping: { state: "waiting", tag: "Waiting for the provider" },
  paused: { state: "waiting", tag: "Waiting for the provider" },
  queued: { state: "live", tag: "Waiting for a worker" },
};

function currentSocketMark({ at, board }: CastView, working: number): StatusMark {
  const now = `Now ${durationText(board.position?.ms ?? 0)}`;
  const { state, tag } = STATUS_MARKS[board.status] ?? { state: "live", tag: now };
  if (at !== null) return { state: state === "failed" ? "live" : state, tag: `At ${durationText(board.elapsedMs)}` };
  return { state, tag: working > 0 && board.status === "running" ? `${countedText(working, "item")} at work` : tag };
}

function edgeMark({ way, runs, stitch }: PlacedEdge, view: CastView, count: number): EdgeMark {
  const { state } = view.trail;
  const visits = way.id === view.waysTaken.at(-1)?.id ? "last" : count > 0 ? "visited" : "unvisited";
  if (way.via === "items") return { visits, label: [line(itemListText(way.loop ?? "", state))] };
  const item = way.via === "edge" && way.index !== undefined ? currentTraversals(state, way.from, way.index) : 0;
  const label = edgeLabelLines(way, runs, { count, item, stitch });
  return way.id === view.closedEdgeId ? { visits, label, problem: "error" } : { visits, label };
}

function itemListText(loop: string, { graph, data, pass }: CastState): string {
  const path = graph.loops[loop]?.items;
  const list = path?.length === 1 ? data[path[0] ?? ""] : undefined;
  const size = pass?.loop === loop ? pass.items.length : Array.isArray(list) ? list.length : null;
  return size === null ? "work items" : countedText(size, "work item");
}

function edgeLabelLines(
  way: DrawnWay,
  runs: RouteStyle,
  { count, item, stitch }: { readonly count: number; readonly item: number; readonly stitch: number | null },
): readonly Line[] {
  const times = count === 0 ? "" : `${count}×`;
  const words = edgeLabelText(way, runs, stitch);
  if (way.maxTraversals !== undefined) {
    const limit =
      item === 0
        ? toned("plain", `up to ${way.maxTraversals}`)
        : toned("strong", countOfLimitText(item, way.maxTraversals));
    return [line(words), line(limit, times === "" ? "" : ` · ${times}`)];
  }
  const strong = toned("strong", times);
  const lines = runs === "lane" ? [line(words), line(strong)] : [words === "" ? line(times) : line(words, " ", strong)];
  return lines.filter(({ length }) => length > 0);
}

function edgeLabelText(way: DrawnWay, runs: RouteStyle, stitch: number | null): string {
  const own = way.label === "" && runs === "lane" ? "always" : way.label;
  return [...(stitch === null ? [] : [`stitch ${stitch}`]), ...(own === "" ? [] : [own])].join(" · ");
}

/** Reserve room for the longest label, so that nothing moves while a cast runs. */
function longestCastLabel(way: DrawnWay, runs: RouteStyle, stitch: number | null): readonly string[] {
  if (way.via === "items") return ["99 work items"];
  const words = edgeLabelText(way, runs, stitch);
  if (way.maxTraversals !== undefined) return [words, `${way.maxTraversals} of ${way.maxTraversals} · 99×`];
  return runs === "lane" ? [words, "99×"] : [`${words} 99×`];
}

function loopMark(id: string, { trail, board, allVisits }: CastView, isItem: boolean): LoopMark {
  const { walk } = trail;
  const own = isItem ? allVisits[0]?.item : undefined;
  // The cast of an item knows nothing of the others.
  if (own) return { secondLine: line(`Item ${own.index + 1} of ${own.of} `, titleText(own.title, 200)) };
  if (!walk || walk.loop !== id || !board.walk) return {};
  const { item } = board;
  const inHand = trail.state.pass?.loop === id && item;
  return {
    items: board.walk,
    secondLine: inHand
      ? line(toned("strong", `Item ${item.number} of ${item.of} `), titleText(item.title, 200))
      : line(itemsDoneText(progressCounts(board.walk))),
  };
}
