import { materiaOf, type Graph, type GraphLoop, type GraphSocket } from "../../compile/graph.ts";
import { END, type Destination } from "../../model/ids.ts";
import type { Condition } from "../../model/loadout.ts";
import type { Materia } from "../../model/materia.ts";
import { assertNever } from "../../model/issue.ts";
import { oneLine } from "../../model/text.ts";
import type { Tone } from "../line.ts";

const NAME_LIMIT = 100;

/** A name in one line, without control characters. */
export function nameText(name: string): string {
  return oneLine(name, NAME_LIMIT);
}

/** `Socket-6 (Maintain)`, by the ids of this graph; or `end`. */
export function destinationText(graph: Graph, to: Destination): string {
  if (to === END) return END;
  const socket = Object.hasOwn(graph.sockets, to) ? graph.sockets[to] : undefined;
  return socket ? `${nameText(to)} (${nameText(socket.materia)})` : nameText(to);
}

/** `Build (Socket-4)`: reports put the materia first. */
export function visitLabel(socket: string, materia: string): string {
  return `${nameText(materia)} (${nameText(socket)})`;
}

export function conditionText(when: Condition): string {
  switch (when) {
    case "always":
      return "always";
    case "satisfied":
      return "✓ satisfied";
    case "not_satisfied":
      return "✗ not satisfied";
    default:
      return assertNever(when);
  }
}

export function conditionTone(when: Condition): Tone {
  switch (when) {
    case "always":
      return "plain";
    case "satisfied":
      return "ok";
    case "not_satisfied":
      return "rework";
    default:
      return assertNever(when);
  }
}

/** A circle for an agent, a diamond for a utility, a triangle for a person. */
export function materiaIcon(type: Materia["type"]): string {
  switch (type) {
    case "agent":
      return "●";
    case "utility":
      return "◆";
    case "person":
      return "▲";
    default:
      return assertNever(type);
  }
}

export function iconOf(graph: Graph, socket: GraphSocket): string {
  return materiaIcon(materiaOf(graph, socket).type);
}

/** `Loop workItemIteration over the work items of Socket-3 (Auto-Plan)`. */
export function loopText(graph: Graph, loop: GraphLoop): string {
  // [V4] The number of parallel items matters more than the exits.
  const lanes = loop.parallel === undefined ? "" : `, ${loop.parallel} at once`;
  return `Loop ${nameText(loop.id)}${loopListText(graph, loop)}${lanes}`;
}

function loopListText(graph: Graph, { from, items }: GraphLoop): string {
  if (from !== null) return ` over the work items of ${destinationText(graph, from)}`;
  return items === null ? ", which walks no list" : ` over the items of state.${nameText(items.join("."))}`;
}
