import type { Issue } from "../../model/issue.ts";
import type { Flow } from "../flow.ts";
import type { Graph } from "../graph.ts";
import { checkLoops } from "./loops.ts";
import { checkCycles, checkReach } from "./reach.ts";
import { checkSockets } from "./sockets.ts";
import { checkStateUse } from "./state-use.ts";
import { checkThen } from "./then.ts";

/** Every problem of a graph at once. */
export function checkGraph(graph: Graph, flow: Flow): readonly Issue[] {
  return [
    ...checkSockets(flow),
    ...checkThen(graph, flow),
    ...checkLoops(graph, flow),
    ...checkReach(flow),
    ...checkCycles(flow),
    ...checkStateUse(graph, flow),
  ];
}
