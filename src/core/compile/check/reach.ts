import type { Issue } from "../../model/issue.ts";
import { forEachStep, type Flow } from "../flow.ts";
import { socketLabel, type Graph, type GraphSocket } from "../graph.ts";
import { findCycles, type ForEachArc } from "../components.ts";
import { isTraversalCounted } from "../route.ts";
import { isGraphLoop, uncountedCyclesThroughLoops, type CyclePlace } from "../rounds.ts";
import { issueAtLoop, issueAtSocket, warningWith } from "./report.ts";

/** Sockets that nobody reaches. */
export function checkReachability(flow: Flow): readonly Issue[] {
  return flow.sockets
    .filter((_, number) => !flow.reached.has(number))
    .map((socket) =>
      issueAtSocket(
        socket,
        [],
        warningWith("unreachable_socket", `nothing leads to ${socketLabel(socket)}`, "lead an edge to it, or remove it"),
      ),
    );
}

/** [G20] A way back that neither counts nor advances is stopped only by limits.maxNoAdvanceCycles. */
export function checkCycles(graph: Graph, flow: Flow): readonly Issue[] {
  return [...uncountedCycleIssues(flow), ...uncountedCyclesThroughLoops(graph, flow).map(loopCycleIssue)];
}

function loopCycleIssue(round: readonly CyclePlace[]): Issue {
  const names = round.slice(0, 8).map((place) => (isGraphLoop(place) ? `the loop "${place.id}"` : socketLabel(place)));
  const socket = round.find((place): place is GraphSocket => !isGraphLoop(place));
  const loop = round.find(isGraphLoop);
  const issue = warningWith(
    "unbounded_cycle",
    `nothing counts the way round ${names.join(" → ")}`,
    socket ? "give an edge on it a maxTraversals" : "lead it through a socket whose edge has a maxTraversals",
  );
  if (socket) return issueAtSocket(socket, ["edges"], issue);
  if (!loop) throw new Error("a round has places");
  return issueAtLoop(loop, ["exits"], issue);
}

function uncountedCycleIssues(flow: Flow): readonly Issue[] {
  const tell: ForEachArc = (arc) =>
    forEachStep(flow, (from, { way, advanced, landings }) => {
      const to = landings[0];
      if (!advanced && to !== undefined && !isTraversalCounted(way)) arc(from, to);
    });
  return findCycles(flow.sockets.length, tell).map((component) => {
    const sockets = component.flatMap((number) => flow.sockets[number] ?? []);
    const [first] = sockets;
    if (!first) throw new Error("a cycle has sockets");
    const names = sockets.slice(0, 8).map(socketLabel).join(" → ");
    return issueAtSocket(
      first,
      ["edges"],
      warningWith(
        "unbounded_cycle",
        `nothing counts the way round ${names}`,
        "give the edge that goes back a maxTraversals",
      ),
    );
  });
}
