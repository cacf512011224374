import { END, type Destination, type SocketId } from "../model/ids.ts";
import type { Condition, Edge } from "../model/loadout.ts";
import { assertNever } from "../model/assert-never.ts";
import type { GraphExit, GraphLoop, GraphSocket } from "./graph.ts";

/** One way out of a socket: an edge, a loop's exit, or the silent end where nothing matches. */
export type Way =
  | {
      readonly via: "edge";
      readonly to: Destination;
      readonly edge: Edge;
      readonly index: number;
      /** Its traversals were used up, so that its `then` decided where it leads. */
      readonly then?: true;
    }
  | { readonly via: "exit"; readonly to: Destination; readonly exit: GraphExit; readonly index: number }
  | { readonly via: "none"; readonly to: Destination };

/** The silent end. */
export const IMPLICIT_END: Way = { via: "none", to: END };

/** [G4] The first edge that matches; where none does the cast ends. */
export function chooseEdge(socket: GraphSocket, satisfied: boolean | undefined): Way {
  const { edges } = socket;
  for (let index = 0; index < edges.length; index += 1) {
    const edge = edges[index];
    if (edge && matchesCondition(edge.when, satisfied)) return { via: "edge", to: edge.to, edge, index };
  }
  return IMPLICIT_END;
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
  for (let index = 0; index < exits.length; index += 1) {
    const exit = exits[index];
    if (!exit || !isAsked(exit) || !matchesCondition(exit.condition, satisfied)) continue;
    if (exit.condition !== "always") return wayByExit(exit, index);
    otherwise ??= wayByExit(exit, index);
  }
  return otherwise;
}

/** [O8] With nothing to walk no member runs: the loop's first `always` exit, whichever member it names. */
export function exitForEmptyList(loop: GraphLoop): Way {
  const index = loop.exits.findIndex(isUnconditionalExit);
  const exit = loop.exits[index];
  if (exit) return wayByExit(exit, index);
  return loop.emptyTo === undefined ? IMPLICIT_END : { via: "none", to: loop.emptyTo };
}

function isUnconditionalExit({ condition }: GraphExit): boolean {
  return condition === "always";
}

function wayByExit(exit: GraphExit, index: number): Way {
  return { via: "exit", to: exit.targetSocketId, exit, index };
}

/** [G10] Whether a limit of its own bounds how often this way is taken. */
export function isTraversalCounted(way: Way): boolean {
  return way.via === "edge" && way.edge.maxTraversals !== undefined && way.then === undefined;
}

/**
 * [G34] The exit behind the last item, where that one was given up: those of the member that gave it up, as if it had
 * advanced; where it has none, the first of the loop that fits the answer, else what an empty list would take. [L20] What
 * a chain added decides last, so that a part goes the way that it goes alone.
 */
export function exitForGivenUp(loop: GraphLoop, from: SocketId, satisfied: boolean | undefined): Way {
  const own = chooseExitAmong(loop, satisfied, (exit) => exit.from === from && !exit.stitched);
  return own ?? chooseExitAmong(loop, satisfied, (exit) => !exit.stitched) ?? exitForEmptyList(loop);
}

export function matchesCondition(when: Condition, satisfied: boolean | undefined): boolean {
  switch (when) {
    case "always":
      return true;
    case "satisfied":
      return satisfied === true;
    case "not_satisfied":
      // Absent is not false: a socket that says nothing takes only `always`.
      return satisfied === false;
    default:
      return assertNever(when);
  }
}
