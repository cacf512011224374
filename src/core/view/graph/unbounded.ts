import { components, isCyclic } from "../../compile/components.ts";
import type { Flow } from "../../compile/flow.ts";
import type { Graph, GraphLoop, GraphSocket } from "../../compile/graph.ts";
import { loopOf } from "../../compile/graph.ts";
import { isCounted } from "../../compile/route.ts";
import { nameText, placeText } from "./words.ts";

/** Ways round that no count limits because a loop on them starts afresh each time; each as the names of its places. */
export function unboundedPlaces(graph: Graph, flow: Flow): readonly (readonly string[])[] {
  const places = flow.sockets.map((socket): Place => {
    const loop = loopOf(graph, socket);
    return loop?.items ? loop : socket;
  });
  // A loop stands where its first socket stands.
  const firstOf = new Map<Place, number>();
  places.forEach((place, number) => {
    if (!firstOf.has(place)) firstOf.set(place, number);
  });
  const numberOf = places.map((place, number) => firstOf.get(place) ?? number);
  const next: number[][] = places.map(() => []);
  flow.steps.forEach((steps, socket) => {
    const from = numberOf[socket] ?? socket;
    for (const { way, landings } of steps) {
      if (isCounted(way)) continue;
      for (const landing of landings) {
        const to = numberOf[landing] ?? landing;
        // What stays inside a loop is limited by its items.
        if (to !== from || places[from] === flow.sockets[socket]) next[from]?.push(to);
      }
    }
  });
  return components(next)
    .filter((component) => isCyclic(component, next))
    .map((component) => component.toSorted((a, b) => a - b).flatMap((number) => places[number] ?? []))
    .filter((round) => round.some(isLoop))
    .map((round) =>
      round.map((place) => (isLoop(place) ? `the loop ${nameText(place.id)}` : placeText(graph, place.id))),
    );
}

type Place = GraphSocket | GraphLoop;

function isLoop(place: Place): place is GraphLoop {
  return "exits" in place;
}
