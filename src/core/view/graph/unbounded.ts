import type { Flow } from "../../compile/flow.ts";
import type { Graph } from "../../compile/graph.ts";
import { isLoop, roundsOfLoops } from "../../compile/rounds.ts";
import { nameText, placeText } from "./words.ts";

/** Ways round that nothing ends, since they lead from loop to loop; each as the names of its places. */
export function unboundedPlaces(graph: Graph, flow: Flow): readonly (readonly string[])[] {
  return roundsOfLoops(graph, flow).map((round) =>
    round.map((place) => (isLoop(place) ? `the loop ${nameText(place.id)}` : placeText(graph, place.id))),
  );
}
