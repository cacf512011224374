import type { Issue } from "../../model/issue.ts";
import type { Flow } from "../flow.ts";
import type { Graph } from "../graph.ts";
import { checkLists } from "./lists.ts";
import { checkLoops } from "./loops.ts";
import { checkParallel } from "./parallel.ts";
import { checkCycles, checkReachability } from "./reach.ts";
import { checkSockets } from "./sockets.ts";
import { checkStateUse, type StateUse } from "./state-use.ts";
import { checkThen } from "./then.ts";

/** Every problem of a graph at once. */
export function checkGraph(graph: Graph, flow: Flow, elsewhere: () => StateUse): readonly Issue[] {
  return [
    ...checkSockets(flow),
    ...checkThen(graph, flow),
    ...checkLoops(graph, flow),
    ...checkLists(graph, flow),
    ...checkParallel(graph, flow),
    ...checkReachability(flow),
    ...checkCycles(graph, flow),
    ...checkStateUse(graph, flow, elsewhere),
  ];
}
