import { components, isCyclic } from "../../compile/check/components.ts";
import { landings } from "../../compile/flow.ts";
import type { Flow } from "../../compile/flow.ts";
import type { Graph, GraphLoop, GraphSocket } from "../../compile/graph.ts";
import { loopOf, socketOf, socketsOf } from "../../compile/graph.ts";
import { END } from "../../model/ids.ts";
import type { SocketId } from "../../model/ids.ts";
import { nameText, placeText } from "./words.ts";

/** Ways round that no count limits because a loop on them starts afresh each time; each as the names of its places. */
export function unboundedPlaces(graph: Graph, flow: Flow): readonly (readonly string[])[] {
  const placeOf = (id: SocketId): Place => {
    const socket = socketOf(graph, id);
    const loop = loopOf(graph, socket);
    return loop?.items ? loop : socket;
  };
  const onward = new Map<Place, Place[]>();
  for (const socket of socketsOf(graph)) {
    const from = placeOf(socket.id);
    const known = onward.get(from) ?? [];
    onward.set(from, known);
    for (const { way } of flow.steps.get(socket.id) ?? []) {
      if (way.via === "edge" && way.edge.maxTraversals !== undefined) continue;
      for (const landing of landings(graph, way.to, socket.loop)) {
        const to = landing === END ? from : placeOf(landing);
        // What stays inside a loop is limited by its items.
        if (to !== from || (landing !== END && from === socket)) known.push(to);
      }
    }
  }
  const next = (place: Place): readonly Place[] => onward.get(place) ?? [];
  const round = components(onward.keys(), next).filter(
    (component) => isCyclic(component, next) && component.some(isLoop),
  );
  return round.map((component) => {
    const members = new Set(component);
    return [...onward.keys()]
      .filter((place) => members.has(place))
      .map((place) => (isLoop(place) ? `the loop ${nameText(place.id)}` : placeText(graph, place.id)));
  });
}

type Place = GraphSocket | GraphLoop;

function isLoop(place: Place): place is GraphLoop {
  return "exits" in place;
}
