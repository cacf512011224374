import { findCycles, type ForEachArc } from "./components.ts";
import { forEachStep, type Flow } from "./flow.ts";
import { type Graph, type GraphLoop, type GraphSocket, loopOf } from "./graph.ts";
import { isTraversalCounted } from "./route.ts";

/** A place on a way round: a socket outside loops, or a loop as a whole. */
export type CyclePlace = GraphSocket | GraphLoop;

/** [G20] Ways round through a loop that nothing counts. */
export function uncountedCyclesThroughLoops(graph: Graph, flow: Flow): readonly (readonly CyclePlace[])[] {
  return cyclesAmong(graph, flow, () => true);
}

/** Ways round from loop to loop alone: no socket on them is returned to, so that nothing ends them. */
export function cyclesOfLoopsAlone(graph: Graph, flow: Flow): readonly (readonly CyclePlace[])[] {
  return cyclesAmong(graph, flow, isGraphLoop);
}

function cyclesAmong(
  graph: Graph,
  flow: Flow,
  belongs: (place: CyclePlace) => boolean,
): readonly (readonly CyclePlace[])[] {
  const places = flow.sockets.map((socket): CyclePlace => {
    const loop = loopOf(graph, socket);
    return loop?.items ? loop : socket;
  });
  if (!places.some(isGraphLoop)) return [];
  // A loop stands where its first socket stands.
  const firstOf = new Map<GraphLoop, number>();
  const numberOf = places.map((place, number) => {
    if (!isGraphLoop(place)) return number;
    const first = firstOf.get(place) ?? number;
    if (first === number) firstOf.set(place, number);
    return first;
  });
  const isOut = places.map((place) => !belongs(place));
  const tell: ForEachArc = (arc) =>
    forEachStep(flow, (socket, { way, landings }) => {
      const from = numberOf[socket] ?? socket;
      if (isOut[from] === true || isTraversalCounted(way)) return;
      for (let index = 0; index < landings.length; index += 1) {
        const landing = landings[index] ?? -1;
        const to = numberOf[landing] ?? landing;
        // What stays inside a loop is limited by its items.
        if (isOut[to] === false && (to !== from || places[from] === flow.sockets[socket])) arc(from, to);
      }
    });
  return findCycles(places.length, tell)
    .map((component) => component.toSorted((a, b) => a - b).flatMap((number) => places[number] ?? []))
    .filter((round) => round.some(isGraphLoop));
}

export function isGraphLoop(place: CyclePlace): place is GraphLoop {
  return "exits" in place;
}
