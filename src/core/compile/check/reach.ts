import type { Issue } from "../../model/issue.ts";
import { eachStep, type Flow } from "../flow.ts";
import { socketLabel, type Graph, type GraphSocket } from "../graph.ts";
import { circles, type Tell } from "../components.ts";
import { isCounted } from "../route.ts";
import { isLoop, roundsThroughLoops, type RoundPlace } from "../rounds.ts";
import { atLoop, atSocket, doubtful } from "./report.ts";

/** Sockets that nobody reaches. */
export function checkReach(flow: Flow): readonly Issue[] {
  return flow.sockets
    .filter((_, number) => !flow.reached.has(number))
    .map((socket) =>
      atSocket(
        socket,
        [],
        doubtful("unreachable_socket", `nothing leads to ${socketLabel(socket)}`, "lead an edge to it, or remove it"),
      ),
    );
}

/** [G20] A way back that neither counts nor advances is stopped only by limits.maxNoAdvanceCycles. */
export function checkCycles(graph: Graph, flow: Flow): readonly Issue[] {
  return [...freeCycles(flow), ...roundsThroughLoops(graph, flow).map(roundIssue)];
}

function roundIssue(round: readonly RoundPlace[]): Issue {
  const names = round.slice(0, 8).map((place) => (isLoop(place) ? `the loop "${place.id}"` : socketLabel(place)));
  const socket = round.find((place): place is GraphSocket => !isLoop(place));
  const loop = round.find(isLoop);
  const issue = doubtful(
    "unbounded_cycle",
    `nothing counts the way round ${names.join(" → ")}`,
    socket ? "give an edge on it a maxTraversals" : "lead it through a socket whose edge has a maxTraversals",
  );
  if (socket) return atSocket(socket, ["edges"], issue);
  if (!loop) throw new Error("a round has places");
  return atLoop(loop, ["exits"], issue);
}

function freeCycles(flow: Flow): readonly Issue[] {
  const tell: Tell = (arc) =>
    eachStep(flow, (from, { way, advanced, landings }) => {
      const to = landings[0];
      if (!advanced && to !== undefined && !isCounted(way)) arc(from, to);
    });
  return circles(flow.sockets.length, tell).map((component) => {
    const sockets = component.flatMap((number) => flow.sockets[number] ?? []);
    const [first] = sockets;
    if (!first) throw new Error("a cycle has sockets");
    const names = sockets.slice(0, 8).map(socketLabel).join(" → ");
    return atSocket(
      first,
      ["edges"],
      doubtful(
        "unbounded_cycle",
        `nothing counts the way round ${names}`,
        "give the edge that goes back a maxTraversals",
      ),
    );
  });
}
