import type { Graph } from "../../compile/graph.ts";
import type { Layout } from "../../model/loadout.ts";
import { boundingBox, loopMembersOf, placeSocketBoxes, applyManualPositions, fitLoopRegion } from "./by-hand.ts";
import type { Box, GraphDrawing, PlacedSocket, Point } from "./drawing.ts";
import { REGULAR_METRICS, type LayoutMetrics } from "./measure/metrics.ts";

/** [W39] A chain whose parts stand as their authors put them, each in its band; what is below gives way. */
export function placeChainParts(drawing: GraphDrawing, layout: Layout, graph: Graph, metrics: LayoutMetrics): GraphDrawing {
  const members = loopMembersOf(graph);
  const places: Record<string, Point> = {};
  let roomy = drawing;
  for (const { target } of drawing.bands) {
    const part = roomy.sockets.filter(({ id }) => graph.sockets[id]?.origin.target === target);
    if (!part.some(({ id }) => Object.hasOwn(layout, id))) continue;
    const boxes = arrangePart(part, layout, metrics);
    const loops = roomy.loops.filter(({ id }) => part.some((socket) => graph.sockets[socket.id]?.loop === id));
    const regions = loops.map((loop) => fitLoopRegion(loop, roomy, { members: members[loop.id] ?? [], boxes, metrics }));
    const was = boundingBox([...part.map(({ box }) => box), ...loops.map(({ box }) => box)]);
    const is = boundingBox([...boxes.values(), ...regions.map(({ box }) => box)]);
    if (!was || !is) continue;
    for (const [id, { x, y }] of boxes) places[id] = { x: x - is.x + was.x, y: y - is.y + was.y };
    roomy = shiftBelowBand(roomy, target, is.height - was.height);
  }
  const placed = applyManualPositions(roomy, places, { members, metrics });
  const wider = Math.max(0, placed.width - drawing.width);
  const widened = <T extends Box>(box: T): T => ({ ...box, width: box.width + wider });
  return {
    ...placed,
    width: drawing.width + wider,
    bands: placed.bands.map((band) => ({ ...band, box: widened(band.box) })),
  };
}

/** The sockets of a part in the measure of its loadout; those without a place give way. */
function arrangePart(part: readonly PlacedSocket[], layout: Layout, metrics: LayoutMetrics): ReadonlyMap<string, Box> {
  const first = boundingBox(part.map(({ box }) => box));
  const [left, top] = [(first?.x ?? 0) - metrics.margin.x, (first?.y ?? 0) - metrics.margin.y];
  const own = part.map((socket) => ({
    ...socket,
    box: { ...socket.box, x: socket.box.x - left, y: socket.box.y - top },
  }));
  // Places are those of letters of the usual size.
  const larger = metrics.label.letter / REGULAR_METRICS.label.letter;
  const places = part.flatMap(({ id }): [string, Point][] => {
    const place = Object.hasOwn(layout, id) ? layout[id] : undefined;
    return place ? [[id, { x: place.x * larger, y: place.y * larger }]] : [];
  });
  return placeSocketBoxes(own, Object.fromEntries(places), metrics);
}

/** A band that is so much higher, and all that stands below it. */
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
