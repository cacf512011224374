import type { Issue } from "../../model/issue.ts";
import { reachable } from "../flow.ts";
import type { Flow } from "../flow.ts";
import type { Graph, GraphLoop } from "../graph.ts";
import { materiaOf } from "../graph.ts";
import { atLoop, atSocket, faulty } from "./report.ts";
import { makesList } from "./writers.ts";

/** What loops walk: a list that something makes, and that nothing writes into. */
export function checkLists(graph: Graph, flow: Flow): readonly Issue[] {
  const walked = Object.values(graph.loops).filter((loop) => loop.items !== null);
  if (walked.length === 0) return [];
  return walked.flatMap((loop) => [...checkMaker(graph, flow, loop), ...checkTargets(flow, loop)]);
}

/** [O15] A loop over a list that nothing can have made would be passed by in silence, and the cast end as completed. */
function checkMaker(graph: Graph, flow: Flow, loop: GraphLoop): readonly Issue[] {
  if (loop.from !== null) return [];
  const { reached } = flow;
  const members = new Set(loop.sockets.map((id) => flow.numberOf.get(id) ?? -1));
  // A loop that nothing reaches is reported as that.
  if (![...members].some((member) => reached.has(member))) return [];
  const makers = flow.sockets.flatMap((socket, number) =>
    reached.has(number) && !members.has(number) && makesList(materiaOf(graph, socket), socket, loop.items ?? [])
      ? [number]
      : [],
  );
  const behind = reachable({ next: flow.next, starts: makers.flatMap((maker) => flow.next[maker] ?? []) });
  if ([...members].some((member) => behind.has(member))) return [];
  const list = `state.${(loop.items ?? []).join(".")}`;
  const message = `nothing that runs before the loop "${loop.id}" makes ${list}, so it has nothing to walk`;
  return [
    atLoop(loop, [], faulty("list_never_made", message, "lead to it from a generator, or set the list with `assign`")),
  ];
}

/** [H20] A target inside a list would turn the list into an object. */
function checkTargets(flow: Flow, { items }: GraphLoop): readonly Issue[] {
  const list = items ?? [];
  if (list.join(".") === "workItems") return [];
  return flow.sockets.flatMap((socket) =>
    socket.assign
      .filter(({ target }) => target.length > list.length && list.every((key, index) => target[index] === key))
      .map(({ target }) =>
        atSocket(
          socket,
          ["assign", target.join(".")],
          faulty(
            "bad_assign",
            `state.${list.join(".")} is a list that a loop walks; nothing can be put into it`,
            "assign the whole list",
          ),
        ),
      ),
  );
}
