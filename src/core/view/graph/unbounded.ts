import type { Flow } from "../../compile/flow.ts";
import type { Graph } from "../../compile/graph.ts";
import { isGraphLoop, cyclesOfLoopsAlone } from "../../compile/rounds.ts";
import { nameText, destinationText } from "./words.ts";

/** Ways round that nothing ends, since they lead from loop to loop; each as the names of its places. */
export function unboundedCycles(graph: Graph, flow: Flow): readonly (readonly string[])[] {
  return cyclesOfLoopsAlone(graph, flow).map((round) =>
    round.map((place) => (isGraphLoop(place) ? `the loop ${nameText(place.id)}` : destinationText(graph, place.id))),
  );
}
