import { END, type SocketId } from "../../model/ids.ts";
import type { Issue } from "../../model/issue.ts";
import { edgeTargets } from "../../model/loadout.ts";
import type { Flow } from "../flow.ts";
import { type Graph, type GraphLoop, type GraphSocket, materiaOf, socketLabel, socketOf } from "../graph.ts";
import { issueAtLoop, issueAtSocket, errorWith } from "./report.ts";

/** [V2] What a loop needs so that its items can be worked on apart from each other. */
export function checkParallel(graph: Graph, flow: Flow): readonly Issue[] {
  return Object.values(graph.loops)
    .filter((loop) => loop.parallel !== undefined)
    .flatMap((loop) => {
      const members = loop.sockets.map((id) => socketOf(graph, id));
      if (loop.items === null) return [missingListIssue(loop)];
      return [
        ...members.flatMap((member) => [...askingMemberIssues(graph, member), ...leavingEdgeIssues(graph, loop, member)]),
        ...entryIssues(flow, loop),
      ];
    });
}

function missingListIssue(loop: GraphLoop): Issue {
  const message = `the loop "${loop.id}" walks no list, so there are no items to work on at once`;
  return issueAtLoop(loop, ["parallel"], errorWith("parallel_without_list", message, "let it consume a generator's list"));
}

/** Several people at once would be asked, each about files that the others do not see. */
function askingMemberIssues(graph: Graph, member: GraphSocket): readonly Issue[] {
  if (!member.interactive && materiaOf(graph, member).type !== "person") return [];
  const message = `${socketLabel(member)} waits for a person, and stands in a parallel loop`;
  return [issueAtSocket(member, [], errorWith("parallel_asks_person", message, "ask before the loop or behind it"))];
}

/** The other items are still at work: no single one can lead the cast elsewhere. It may only end it. */
function leavingEdgeIssues(graph: Graph, loop: GraphLoop, member: GraphSocket): readonly Issue[] {
  return member.edges.flatMap((edge, index) =>
    edgeTargets(edge)
      .filter((to) => to !== END && socketOf(graph, to).loop !== loop.id)
      .map((to) =>
        issueAtSocket(
          member,
          ["edges", index],
          errorWith(
            "parallel_way_out",
            `${socketLabel(member)} leads out of the parallel loop "${loop.id}" to ${to}`,
            "leave it by the loop's exits, or by end",
          ),
        ),
      ),
  );
}

/** Every item begins anew, so it must be known where, whoever came before it. */
function entryIssues(flow: Flow, loop: GraphLoop): readonly Issue[] {
  const members = new Set<number>(loop.sockets.map((id) => flow.numberOf.get(id) ?? -1));
  const begins = new Set<SocketId>();
  const add = (to: number): void => {
    const socket = flow.sockets[to];
    if (socket && members.has(to)) begins.add(socket.id);
  };
  for (const start of flow.starts) add(start);
  for (const from of flow.reached)
    for (const { advanced, landings } of flow.steps[from] ?? [])
      if (!members.has(from) || advanced) landings.forEach(add);
  if (begins.size < 2) return [];
  const message = `items of the parallel loop "${loop.id}" begin at ${[...begins].join(" and ")}`;
  const hint = "let every way into the loop, and every advance, lead to the same member";
  return [issueAtLoop(loop, ["parallel"], errorWith("parallel_doors", message, hint))];
}
