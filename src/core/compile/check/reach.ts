import { END } from "../../model/ids.ts";
import type { SocketId } from "../../model/ids.ts";
import type { Issue } from "../../model/issue.ts";
import { reachable } from "../flow.ts";
import type { Flow } from "../flow.ts";
import type { Graph } from "../graph.ts";
import { socketLabel, socketOf, socketsOf } from "../graph.ts";
import { components, isCyclic } from "./components.ts";
import { atSocket, doubtful } from "./report.ts";

/** Sockets that nobody reaches. */
export function checkReach(graph: Graph, flow: Flow): readonly Issue[] {
  const reached = reachable(graph, flow);
  return socketsOf(graph)
    .filter((socket) => !reached.has(socket.id))
    .map((socket) =>
      atSocket(
        socket,
        "",
        doubtful("unreachable_socket", `nothing leads to ${socketLabel(socket)}`, "lead an edge to it, or remove it"),
      ),
    );
}

/** [G-f] A way back that neither counts nor advances is stopped only by limits.maxNoAdvanceCycles. */
export function checkCycles(graph: Graph, flow: Flow): readonly Issue[] {
  const next = (at: SocketId): readonly SocketId[] => uncounted(flow, at);
  return components(
    socketsOf(graph).map((socket) => socket.id),
    next,
  )
    .filter((component) => isCyclic(component, next))
    .map((component) => {
      const sockets = component.map((id) => socketOf(graph, id));
      const [first] = sockets;
      if (!first) throw new Error("a cycle has sockets");
      const names = sockets.slice(0, 8).map(socketLabel).join(" → ");
      return atSocket(
        first,
        ".edges",
        doubtful(
          "unbounded_cycle",
          `nothing counts the way round ${names}`,
          "give the edge that goes back a maxTraversals",
        ),
      );
    });
}

function uncounted(flow: Flow, at: SocketId): readonly SocketId[] {
  return (flow.steps.get(at) ?? []).flatMap(({ way, advanced }) => {
    const counted = way.via === "edge" && way.edge.maxTraversals !== undefined;
    return advanced || counted || way.to === END ? [] : [way.to];
  });
}
