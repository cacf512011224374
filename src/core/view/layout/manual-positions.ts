import type { Graph } from "../../compile/graph.ts";
import { END } from "../../model/ids.ts";
import {
  type Box,
  type GraphDrawing,
  type PlacedEdge,
  type PlacedLoop,
  type Point,
  boxesOverlap,
  segmentBoxes,
  REGULAR_METRICS,
  type LayoutMetrics,
} from "./drawing.ts";
import { findExitCrossing } from "./edges.ts";

/**
 * The drawing with some sockets at positions of a person: regions surround their members, edges of moved sockets get
 * new routes, and labels move to free space.
 */
export function applyManualPositions(
  drawing: GraphDrawing,
  places: Readonly<Record<string, Point>>,
  { graph, metrics = REGULAR_METRICS }: { readonly graph: Graph; readonly metrics?: LayoutMetrics },
): GraphDrawing {
  const moved = new Set(drawing.sockets.map(({ id }) => id as string).filter((id) => Object.hasOwn(places, id)));
  if (moved.size === 0) return drawing;
  const boxes = placeSocketBoxes(drawing.sockets, places, metrics);
  const occupied = [...boxes.values()];
  const loops = drawing.loops.map((loop) => fitLoopRegion(loop, drawing, { graph, boxes, metrics }));
  const end = drawing.end && placeEndBox(drawing.end, occupied, metrics);
  const boxOf = (id: string): Box | undefined => (id === END ? (end ?? undefined) : boxes.get(id));
  const isTouched = ({ way }: PlacedEdge): boolean =>
    way.via === "items" || moved.has(way.from) || way.to === END || moved.has(way.to);
  const taken = [...occupied, ...drawing.edges.flatMap((edge) => (isTouched(edge) ? [] : (edge.label ?? [])))];
  const edges = drawing.edges.map((edge) => {
    if (!isTouched(edge)) return edge;
    const region = loops.find(({ id }) => id === edge.way.loop)?.box;
    const points = routeEdge(edge, { boxOf, region, metrics, sockets: occupied });
    const label = edge.label && findLabelSpot(edge.label, points, taken);
    if (label) taken.push(label);
    return { ...edge, points, label, bar: edge.bar && region ? findExitCrossing(points, region) : null };
  });
  const all = [...occupied, ...loops.map(({ box }) => box), ...(end ? [end] : [])];
  return {
    ...drawing,
    sockets: recomputeRows(drawing.sockets.map((socket) => ({ ...socket, box: boxes.get(socket.id) ?? socket.box }))),
    loops,
    edges,
    end,
    width: Math.max(...all.map((box) => box.x + box.width), 0) + metrics.margin.x + 60,
    height: Math.max(...all.map((box) => box.y + box.height), 0) + metrics.margin.y,
  };
}

/** Sockets of a person keep their position; others that overlap them move to the right. */
export function placeSocketBoxes(
  sockets: GraphDrawing["sockets"],
  places: Readonly<Record<string, Point>>,
  metrics: LayoutMetrics,
): ReadonlyMap<string, Box> {
  const placed = sockets.filter(({ id }) => Object.hasOwn(places, id));
  const boxes = new Map<string, Box>(placed.map(({ id, box }) => [id, { ...box, ...places[id] }]));
  const fixed = [...boxes.values()];
  for (const { id, box } of sockets) {
    if (boxes.has(id)) continue;
    let free = box;
    for (let tries = 0; tries < 20; tries += 1) {
      const hit = fixed.find((other) => boxesOverlap(other, free));
      if (!hit) break;
      free = { ...free, x: hit.x + hit.width + metrics.columnGap };
    }
    boxes.set(id, free);
  }
  return boxes;
}

/** The region around its members, with its former margins. */
export function fitLoopRegion(
  loop: PlacedLoop,
  drawing: GraphDrawing,
  { graph, boxes, metrics }: { graph: Graph; boxes: ReadonlyMap<string, Box>; metrics: LayoutMetrics },
): PlacedLoop {
  const members = graph.loops[loop.id]?.sockets ?? [];
  const inside = members.flatMap((id) => boxes.get(id) ?? []);
  const before = drawing.sockets.filter(({ id }) => members.includes(id)).map(({ box }) => box);
  const [was, is] = [boundingBox(before), boundingBox(inside)];
  if (!was || !is) return loop;
  const box: Box = {
    x: is.x - (was.x - loop.box.x),
    y: is.y - (was.y - loop.box.y),
    width: is.width + (loop.box.width - was.width),
    height: is.height + (loop.box.height - was.height),
  };
  const top = inside.toSorted((a, b) => a.y - b.y)[0] ?? is;
  return { ...loop, box, head: { ...loop.head, x: top.x + metrics.rail + 12, y: box.y + 6 } };
}

export function boundingBox(boxes: readonly Box[]): Box | undefined {
  if (boxes.length === 0) return undefined;
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** Below everything, in the column of the lowest socket. */
function placeEndBox(end: Box, boxes: readonly Box[], metrics: LayoutMetrics): Box {
  const lowest = boxes.toSorted((a, b) => b.y + b.height - (a.y + a.height))[0];
  if (!lowest) return end;
  const y = Math.max(end.y, lowest.y + lowest.height + metrics.gap.beforeEnd);
  return { ...end, x: lowest.x + metrics.rail - end.width / 2, y };
}

interface RoutingContext {
  readonly boxOf: (id: string) => Box | undefined;
  readonly region: Box | undefined;
  readonly metrics: LayoutMetrics;
  readonly sockets: readonly Box[];
}

function routeEdge({ way, points }: PlacedEdge, { boxOf, region, metrics, sockets }: RoutingContext): readonly Point[] {
  const from = boxOf(way.from);
  if (!from) return points;
  const middle = from.y + from.height / 2;
  if (way.via === "items") {
    const x = Math.max(from.x + from.width + metrics.lane.least, (region?.x ?? 0) + 40);
    return [
      { x: from.x + from.width, y: middle },
      { x, y: middle },
      { x, y: region?.y ?? middle + 60 },
    ];
  }
  const to = boxOf(way.to);
  if (!to) return points;
  const rail = way.to === END ? to.width / 2 : metrics.rail;
  const [a, b] = [
    { x: from.x + metrics.rail, y: from.y + from.height },
    { x: to.x + rail, y: to.y },
  ];
  const others = sockets.filter((box) => box !== from && box !== to);
  if (b.y >= a.y + 12) {
    const direct = downwardPoints(a, b);
    if (!segmentBoxes(direct).some((piece) => others.some((box) => boxesOverlap(box, piece)))) return direct;
  }
  const isLeft = way.when !== "not_satisfied" && b.y < a.y + 12;
  // Beside all sockets between the two, so that the lane crosses none of them.
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y + from.height, to.y + to.height)];
  const between = [from, to, ...others.filter((box) => box.y < bottom && box.y + box.height > top)];
  const around = boundingBox(between) ?? from;
  const x = isLeft ? around.x - metrics.lane.least : around.x + around.width + metrics.lane.least;
  const [start, stop] = isLeft ? [from.x, to.x] : [from.x + from.width, to.x + to.width];
  const target = to.y + to.height / 2;
  return [
    { x: start, y: middle },
    { x, y: middle },
    { x, y: target },
    { x: stop, y: target },
  ];
}

/** Down its column, across right after the socket, then down to the other socket. */
function downwardPoints(a: Point, b: Point): readonly Point[] {
  if (Math.abs(a.x - b.x) < 1) return [a, b];
  const turn = a.y + Math.min(14, (b.y - a.y) / 2);
  return [a, { x: a.x, y: turn }, { x: b.x, y: turn }, b];
}

/** The first free place for the label along the route, else the place with the fewest overlaps. */
function findLabelSpot(label: Box, points: readonly Point[], taken: readonly Box[]): Box {
  const pieces = segmentBoxes(points).toSorted((one, two) => two.width + two.height - (one.width + one.height));
  const spots = pieces.flatMap((piece) =>
    [0.5, 0.35, 0.65, 0.2, 0.8].flatMap((part): readonly Box[] => {
      const x = piece.x + piece.width * part;
      const y = piece.y + piece.height * part;
      const on = { ...label, x: x - label.width / 2, y: y - label.height / 2 };
      const isUpright = piece.height > piece.width;
      const beside = (isUpright ? [x + 9, x - label.width - 9] : [y - label.height - 4, y + 4]).map((at) =>
        isUpright ? { ...on, x: at } : { ...on, y: at },
      );
      // Beside a straight line; on the line of a lane.
      return points.length === 2 ? [...beside, on] : [on, ...beside];
    }),
  );
  const meets = (spot: Box): number => taken.filter((other) => boxesOverlap(other, spot)).length;
  const [best = label] = spots.toSorted((one, two) => meets(one) - meets(two));
  return spots.find((spot) => meets(spot) === 0) ?? best;
}

/** Rows and columns by position, so that arrow keys move as expected. */
function recomputeRows(sockets: GraphDrawing["sockets"]): GraphDrawing["sockets"] {
  const sorted = sockets.toSorted((a, b) => a.box.y - b.box.y || a.box.x - b.box.x);
  let row = -1;
  let top = -Infinity;
  let column = 0;
  return sorted.map((socket) => {
    if (socket.box.y >= top + socket.box.height / 2) [row, top, column] = [row + 1, socket.box.y, 0];
    else column += 1;
    return { ...socket, row, column };
  });
}
