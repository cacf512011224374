import type { Flow } from "../../compile/flow.ts";
import type { Graph } from "../../compile/graph.ts";
import { isLoop, roundsThroughLoops } from "../../compile/rounds.ts";
import { nameText, placeText } from "./words.ts";

/** Ways round that no count limits because a loop on them starts afresh each time; each as the names of its places. */
export function unboundedPlaces(graph: Graph, flow: Flow): readonly (readonly string[])[] {
  return roundsThroughLoops(graph, flow).map((round) =>
    round.map((place) => (isLoop(place) ? `the loop ${nameText(place.id)}` : placeText(graph, place.id))),
  );
}
