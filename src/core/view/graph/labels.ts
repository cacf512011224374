import type { EventOf, FreshReason } from "../../cast/state/event.ts";
import { materiaOf, type Graph, type GraphLoop, type GraphSocket } from "../../compile/graph.ts";
import { END, type Destination } from "../../model/ids.ts";
import type { Condition } from "../../model/loadout.ts";
import type { Materia } from "../../model/materia.ts";
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
/** [I8] Whose conversation a visit continues, or why it starts a new one; empty for most visits. */
export function conversationText({ continues, fresh }: Pick<EventOf<"visit_started">, "continues" | "fresh">): string {
  if (continues !== undefined) return `continues visit ${continues}`;
  return fresh === undefined ? "" : `new conversation: the last one ${FRESH_TEXTS[fresh]}`;
}

const FRESH_TEXTS: Readonly<Record<FreshReason, string>> = {
  length: "is too long",
  model: "was with another model",
  missing: "is missing",
};

export function visitLabel(socket: string, materia: string): string {
  return `${nameText(materia)} (${nameText(socket)})`;
}

const CONDITIONS: Readonly<Record<Condition, readonly [text: string, tone: Tone]>> = {
  always: ["always", "plain"],
  satisfied: ["✓ satisfied", "ok"],
  not_satisfied: ["✗ not satisfied", "rework"],
};

export function conditionText(when: Condition): string {
  return CONDITIONS[when][0];
}

export function conditionTone(when: Condition): Tone {
  return CONDITIONS[when][1];
}

const MATERIA_ICONS: Readonly<Record<Materia["type"], string>> = { agent: "●", utility: "◆", person: "▲" };

/** A circle for an agent, a diamond for a utility, a triangle for a person. */
export function materiaIcon(type: Materia["type"]): string {
  return MATERIA_ICONS[type];
}

export function iconOf(graph: Graph, socket: GraphSocket): string {
  return materiaIcon(materiaOf(graph, socket).type);
}

/** [V4] `Loop workItemIteration (4 at once) over the work items of Socket-3 (Auto-Plan)`: a narrow terminal cuts the end. */
export function loopText(graph: Graph, loop: GraphLoop): string {
  const lanes = loop.parallel === undefined ? "" : ` (${loop.parallel} at once)`;
  return `Loop ${nameText(loop.id)}${lanes}${loopListText(graph, loop)}`;
}

function loopListText(graph: Graph, { from, items }: GraphLoop): string {
  if (from !== null) return ` over the work items of ${destinationText(graph, from)}`;
  return items === null ? ", which walks no list" : ` over the items of state.${nameText(items.join("."))}`;
}
