import { isError } from "../../model/issue.ts";
import type { Issue } from "../../model/issue.ts";
import type { Flow } from "../flow.ts";
import type { Graph } from "../graph.ts";
import { checkLoops } from "./loops.ts";
import { checkCycles, checkReach } from "./reach.ts";
import { checkSockets } from "./sockets.ts";
import { checkStateUse } from "./state-use.ts";

/** Every problem of a graph at once. Doubts that a fault would only repeat are kept until the faults are mended. */
export function checkGraph(graph: Graph, flow: Flow): readonly Issue[] {
  const faults = [...checkSockets(graph, flow), ...checkLoops(graph, flow)];
  if (faults.some(isError)) return faults;
  return [...faults, ...checkReach(graph, flow), ...checkCycles(graph, flow), ...checkStateUse(graph)];
}
