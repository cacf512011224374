import type { Issue } from "../../model/issue.ts";
import { reachable } from "../flow.ts";
import type { Flow, Step } from "../flow.ts";
import { socketLabel } from "../graph.ts";
import { components, isCyclic } from "../components.ts";
import { isCounted } from "../route.ts";
import { atSocket, doubtful } from "./report.ts";

/** Sockets that nobody reaches. */
export function checkReach(flow: Flow): readonly Issue[] {
  const reached = reachable(flow);
  return flow.sockets
    .filter((_, number) => !reached.has(number))
    .map((socket) =>
      atSocket(
        socket,
        [],
        doubtful("unreachable_socket", `nothing leads to ${socketLabel(socket)}`, "lead an edge to it, or remove it"),
      ),
    );
}

/** [G20] A way back that neither counts nor advances is stopped only by limits.maxNoAdvanceCycles. */
export function checkCycles(flow: Flow): readonly Issue[] {
  const next = flow.steps.map(uncounted);
  return components(next)
    .filter((component) => isCyclic(component, next))
    .map((component) => {
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

function uncounted(steps: readonly Step[]): readonly number[] {
  const next: number[] = [];
  for (const { way, advanced, landings } of steps) {
    const counted = isCounted(way);
    const [to] = landings;
    if (!advanced && !counted && to !== undefined) next.push(to);
  }
  return next;
}
