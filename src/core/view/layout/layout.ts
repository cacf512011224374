import type { Graph } from "../../compile/graph.ts";
import { END, type SocketId } from "../../model/ids.ts";
import { applyManualPositions, boundingBox, placeSocketBoxes, fitLoopRegion } from "./manual-positions.ts";
import {
  type Box,
  type GraphDrawing,
  type PlacedSocket,
  type Point,
  REGULAR_METRICS,
  type LayoutMetrics,
} from "./drawing.ts";
import { placeEdges } from "./edges.ts";
import type { GridCell } from "./routes.ts";
import { isLabelInLoopHead } from "./lanes.ts";
import { placeColumns, rowFootHeight, rowHeadHeight, planLayout, placeRows, type LayoutOptions } from "./plan.ts";
import type { Layout } from "../../model/loadout.ts";

/**
 * The drawing of a graph: sockets in reading order from top to bottom; ways on lead down, ways back lead around
 * the side. Labels are only in the gaps between rows, horizontal lines only on separate tracks or beside
 * sockets, and lanes have the width of their labels: so no label meets a socket, another label or another line.
 */
export function layoutGraph(graph: Graph, options: LayoutOptions = {}): GraphDrawing {
  const { layout = {}, metrics = REGULAR_METRICS } = options;
  const drawing = drawOnGrid(graph, options);
  if (drawing.bands.length > 0) return placeChainParts(drawing, layout, graph, metrics);
  return applyManualPositions(drawing, layout, { graph, metrics });
}

function drawOnGrid(graph: Graph, options: LayoutOptions): GraphDrawing {
  const plan = planLayout(graph, options);
  const columns = placeColumns(plan);
  const rows = placeRows(plan, columns);
  const { metrics, grid } = plan;
  const boxOf = (cell: GridCell): Box => {
    const [x, y] = [columns.x(cell.column), rows.top(cell.row)];
    if (cell.id !== END) return { x, y, ...metrics.socket };
    return { x: x + metrics.rail - metrics.end.width / 2, y, ...metrics.end };
  };
  const end = grid.cells.get(END);
  const bottomOf = (row: number): number => rows.top(row) + metrics.socket.height;
  const loops = grid.loops.map(({ id, first, last }) => {
    const x = columns.x(first.column) - plan.lanes.regionReach(id, "left");
    const right = columns.x(last.column) + metrics.socket.width + plan.lanes.regionReach(id, "right");
    const y = rows.top(first.row) - metrics.region.head;
    const box: Box = { x, y, width: right - x, height: bottomOf(last.row) + metrics.region.foot - y };
    const headX = columns.x(first.column) + metrics.rail + 12;
    const crowded = plan.routes.some(
      (route) => route.kind === "lane" && route.inside === id && isLabelInLoopHead(route, grid),
    );
    const headRight = crowded ? columns.x(first.column) + metrics.socket.width : right - metrics.region.side;
    return { id, box, head: { x: headX, y: y + 6, width: headRight - headX, height: metrics.region.head - 8 } };
  });
  const regions = new Map(loops.map(({ id, box }) => [id, box]));
  return {
    width: columns.width,
    height: rows.height,
    sockets: [...grid.cells.values()].flatMap(
      (cell) => (cell.id === END ? [] : [{ ...cell, id: cell.id as SocketId, box: boxOf(cell) }]), // every other cell is a socket
    ),
    loops,
    bands: grid.bands.map(({ target, name, rows: [first, last] }) => {
      const y = rows.top(first) - rowHeadHeight(plan, first);
      const box = {
        x: metrics.margin.x / 2,
        y,
        width: columns.width - metrics.margin.x,
        height: bottomOf(last) + rowFootHeight(plan, last) - y,
      };
      // Beside the sockets, or above them and clear of the incoming line.
      const x = metrics.band.title > 0 ? box.x + 12 : columns.x(0) + metrics.rail + 10;
      const width = metrics.band.title > 0 ? metrics.band.title - 18 : box.x + box.width - x - 8;
      return { target, name, box, title: { x, y: y + 7, width, height: 32 } };
    }),
    edges: placeEdges(plan, { columns, rows, boxOf, regions }),
    end: end ? boxOf(end) : null,
  };
}

/** [W39] A chain whose parts keep the positions of their authors, each in its band. */
function placeChainParts(drawing: GraphDrawing, layout: Layout, graph: Graph, metrics: LayoutMetrics): GraphDrawing {
  const places: Record<string, Point> = {};
  let roomy = drawing;
  for (const { target } of drawing.bands) {
    const part = roomy.sockets.filter(({ id }) => graph.sockets[id]?.origin.target === target);
    if (!part.some(({ id }) => Object.hasOwn(layout, id))) continue;
    const boxes = arrangePart(part, layout, metrics);
    const loops = roomy.loops.filter(({ id }) => part.some((socket) => graph.sockets[socket.id]?.loop === id));
    const regions = loops.map((loop) => fitLoopRegion(loop, roomy, { graph, boxes, metrics }));
    const was = boundingBox([...part.map(({ box }) => box), ...loops.map(({ box }) => box)]);
    const is = boundingBox([...boxes.values(), ...regions.map(({ box }) => box)]);
    if (!was || !is) continue;
    for (const [id, { x, y }] of boxes) places[id] = { x: x - is.x + was.x, y: y - is.y + was.y };
    roomy = shiftBelowBand(roomy, target, is.height - was.height);
  }
  const placed = applyManualPositions(roomy, places, { graph, metrics });
  const wider = Math.max(0, placed.width - drawing.width);
  const bands = placed.bands.map((band) => ({ ...band, box: { ...band.box, width: band.box.width + wider } }));
  return { ...placed, width: drawing.width + wider, bands };
}

/** The sockets of a part in the coordinates of its loadout; sockets without a position move aside. */
function arrangePart(part: readonly PlacedSocket[], layout: Layout, metrics: LayoutMetrics): ReadonlyMap<string, Box> {
  const first = boundingBox(part.map(({ box }) => box));
  const [left, top] = [(first?.x ?? 0) - metrics.margin.x, (first?.y ?? 0) - metrics.margin.y];
  const own = part.map(({ box, ...rest }) => ({ ...rest, box: { ...box, x: box.x - left, y: box.y - top } }));
  // Stored positions are for the default font size.
  const larger = metrics.label.letter / REGULAR_METRICS.label.letter;
  const places = Object.entries(layout).map(([id, { x, y }]) => [id, { x: x * larger, y: y * larger }]);
  return placeSocketBoxes(own, Object.fromEntries(places), metrics);
}

/** Makes a band higher and moves everything below it. */
function shiftBelowBand(drawing: GraphDrawing, target: number, by: number): GraphDrawing {
  const band = drawing.bands.find((each) => each.target === target);
  const bottom = band ? band.box.y + band.box.height : Infinity;
  const down = <T extends Point>(place: T): T => (place.y >= bottom ? { ...place, y: place.y + by } : place);
  return {
    ...drawing,
    height: drawing.height + by,
    sockets: drawing.sockets.map((socket) => ({ ...socket, box: down(socket.box) })),
    loops: drawing.loops.map((loop) => ({ ...loop, box: down(loop.box), head: down(loop.head) })),
    bands: drawing.bands.map((each) => {
      const box = each === band ? { ...each.box, height: each.box.height + by } : down(each.box);
      return { ...each, box, title: down(each.title) };
    }),
    edges: drawing.edges.map((edge) => ({
      ...edge,
      points: edge.points.map(down),
      label: edge.label && down(edge.label),
      bar: edge.bar && down(edge.bar),
    })),
    end: drawing.end && down(drawing.end),
  };
}
