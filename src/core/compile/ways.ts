import { END, type Destination, type SocketId } from "../model/ids.ts";
import type { Condition, Edge } from "../model/loadout.ts";
import { assertNever } from "../model/assert-never.ts";
import type { GraphExit, GraphLoop, GraphSocket } from "./graph.ts";

/** One way out of a socket: an edge, a loop's exit, or the implicit end where nothing matches. */
export type Way =
  | {
      readonly via: "edge";
      readonly to: Destination;
      readonly edge: Edge;
      readonly index: number;
      /** The traversals were used up, so its `then` is the target. */
      readonly then?: true;
    }
  | { readonly via: "exit"; readonly to: Destination; readonly exit: GraphExit; readonly index: number }
  | { readonly via: "none"; readonly to: Destination };

export const IMPLICIT_END: Way = { via: "none", to: END };

/** [G4] The first edge that matches; the cast ends if none does. */
export function chooseEdge(socket: GraphSocket, satisfied: boolean | undefined): Way {
  const index = socket.edges.findIndex(({ when }) => matchesCondition(when, satisfied));
  const edge = socket.edges[index];
  return edge ? { via: "edge", to: edge.to, edge, index } : IMPLICIT_END;
}

/** The exit of an exhausted loop: the answer's own condition first, then `always`, then the end. */
export function chooseExit(loop: GraphLoop, from: SocketId, satisfied: boolean | undefined): Way {
  return chooseExitAmong(loop, satisfied, (exit) => exit.from === from) ?? IMPLICIT_END;
}

function chooseExitAmong(
  { exits }: GraphLoop,
  satisfied: boolean | undefined,
  isAsked: (exit: GraphExit) => boolean,
): Way | undefined {
  let otherwise: Way | undefined;
  for (const [index, exit] of exits.entries()) {
    if (!isAsked(exit) || !matchesCondition(exit.condition, satisfied)) continue;
    if (exit.condition !== "always") return wayByExit(exit, index);
    otherwise ??= wayByExit(exit, index);
  }
  return otherwise;
}

/** [O8] With an empty list no member runs: the first `always` exit of the loop, for any member. */
export function exitForEmptyList(loop: GraphLoop): Way {
  const index = loop.exits.findIndex(isUnconditionalExit);
  const exit = loop.exits[index];
  if (exit) return wayByExit(exit, index);
  return loop.emptyTo === undefined ? IMPLICIT_END : { via: "none", to: loop.emptyTo };
}

export function isUnconditionalExit({ condition }: GraphExit): boolean {
  return condition === "always";
}

function wayByExit(exit: GraphExit, index: number): Way {
  return { via: "exit", to: exit.targetSocketId, exit, index };
}

/** [G10] Whether `maxTraversals` limits this way. */
export function isTraversalCounted(way: Way): boolean {
  return way.via === "edge" && way.edge.maxTraversals !== undefined && way.then === undefined;
}

/**
 * [G34] The exit after a last item that was given up: an exit of the member that gave it up, else the first exit that
 * fits the answer, else the exit of an empty list. [L20] Exits that a chain added come last, so that a part goes the
 * same way as alone.
 */
export function exitForGivenUp(loop: GraphLoop, from: SocketId, satisfied: boolean | undefined): Way {
  const own = chooseExitAmong(loop, satisfied, (exit) => exit.from === from && !exit.stitched);
  return own ?? chooseExitAmong(loop, satisfied, (exit) => !exit.stitched) ?? exitForEmptyList(loop);
}

export function isAlways({ when }: Edge): boolean {
  return when === "always";
}

export function matchesCondition(when: Condition, satisfied: boolean | undefined): boolean {
  switch (when) {
    case "always":
      return true;
    case "satisfied":
      return satisfied === true;
    case "not_satisfied":
      // Absent is not false: a socket without an answer takes only `always`.
      return satisfied === false;
    default:
      return assertNever(when);
  }
}
