import { circles, type Tell } from "./components.ts";
import { eachStep, type Flow } from "./flow.ts";
import { type Graph, type GraphLoop, type GraphSocket, loopOf } from "./graph.ts";
import { isCounted } from "./route.ts";

/** A place on a way round: a socket outside loops, or a loop as a whole. */
export type RoundPlace = GraphSocket | GraphLoop;

/** [G20] Ways round through a loop that nothing counts. */
export function roundsThroughLoops(graph: Graph, flow: Flow): readonly (readonly RoundPlace[])[] {
  return roundsAmong(graph, flow, () => true);
}

/** Ways round from loop to loop alone: no socket on them is returned to, so that nothing ends them. */
export function roundsOfLoops(graph: Graph, flow: Flow): readonly (readonly RoundPlace[])[] {
  return roundsAmong(graph, flow, isLoop);
}

function roundsAmong(
  graph: Graph,
  flow: Flow,
  belongs: (place: RoundPlace) => boolean,
): readonly (readonly RoundPlace[])[] {
  const places = flow.sockets.map((socket): RoundPlace => {
    const loop = loopOf(graph, socket);
    return loop?.items ? loop : socket;
  });
  if (!places.some(isLoop)) return [];
  // A loop stands where its first socket stands.
  const firstOf = new Map<GraphLoop, number>();
  const numberOf = places.map((place, number) => {
    if (!isLoop(place)) return number;
    const first = firstOf.get(place) ?? number;
    if (first === number) firstOf.set(place, number);
    return first;
  });
  const isOut = places.map((place) => !belongs(place));
  const tell: Tell = (arc) =>
    eachStep(flow, (socket, { way, landings }) => {
      const from = numberOf[socket] ?? socket;
      if (isOut[from] === true || isCounted(way)) return;
      for (let index = 0; index < landings.length; index += 1) {
        const landing = landings[index] ?? -1;
        const to = numberOf[landing] ?? landing;
        // What stays inside a loop is limited by its items.
        if (isOut[to] === false && (to !== from || places[from] === flow.sockets[socket])) arc(from, to);
      }
    });
  return circles(places.length, tell)
    .map((component) => component.toSorted((a, b) => a - b).flatMap((number) => places[number] ?? []))
    .filter((round) => round.some(isLoop));
}

export function isLoop(place: RoundPlace): place is GraphLoop {
  return "exits" in place;
}
