import type { Issue } from "../../model/issue.ts";
import { NEXT_ITEM, type Edge } from "../../model/loadout.ts";
import type { Flow } from "../flow.ts";
import { type Graph, loopOf } from "../graph.ts";
import { issueAtSocket, errorWith } from "./report.ts";

/** [G29] What follows the last traversal makes sense only where traversals are counted, and the next item only where there are items. */
export function checkThen(graph: Graph, { sockets }: Flow): readonly Issue[] {
  const concerned = sockets.filter(({ edges }) => edges.some(hasThen));
  return concerned.flatMap((socket) =>
    socket.edges.flatMap(({ then, maxTraversals }, index) => {
      if (then === undefined) return [];
      const say = (issue: ReturnType<typeof errorWith>): Issue => issueAtSocket(socket, ["edges", index, "then"], issue);
      const uncounted =
        maxTraversals === undefined
          ? [say(errorWith("then_without_limit", "nothing counts this edge, so it is never used up", "set maxTraversals"))]
          : [];
      const itemless =
        then === NEXT_ITEM && !loopOf(graph, socket)?.items
          ? [say(errorWith("next_outside_loop", "there is no next item outside a loop that walks a list", 'use "end"'))]
          : [];
      return [...uncounted, ...itemless];
    }),
  );
}

function hasThen({ then }: Edge): boolean {
  return then !== undefined;
}
