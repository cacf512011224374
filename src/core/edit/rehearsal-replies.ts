import type { CastEvent } from "../cast/state/event.ts";
import { type Graph, type GraphSocket, materiaOf, socketsOf } from "../compile/graph.ts";
import { requiredHandoffFields } from "../compile/socket-outputs.ts";
import type { JsonObject } from "../model/json.ts";
import { appendTo } from "../model/lists.ts";

/** The replies of a socket in a rehearsal, which a person may edit. */
export interface SocketReplies {
  readonly socket: string;
  readonly materia: string;
  /** The form of its replies: a text, or an object with these fields. */
  readonly replyShape: "text" | { readonly satisfied: boolean; readonly workItems: boolean };
  readonly replies: readonly RehearsedReply[];
}

export type RehearsedReply = { readonly text: string } | { readonly json: JsonObject };

/** [E20] Generated replies that reach the whole graph: work items, one "not satisfied" if there is a way back, then satisfied. */
export function generateReplies(graph: Graph, items: number): readonly SocketReplies[] {
  return socketsOf(graph)
    .filter((socket) => materiaOf(graph, socket).type !== "utility")
    .map((socket) => {
      const { id, materia } = socket;
      const replyShape = replyShapeOf(graph, socket);
      return { socket: id, materia, replyShape, replies: exampleReplies(socket, replyShape, items) };
    });
}

function replyShapeOf(graph: Graph, socket: GraphSocket): SocketReplies["replyShape"] {
  if (socket.parse === "text") return "text";
  const needs = requiredHandoffFields(graph, socket);
  const isPerson = materiaOf(graph, socket).type === "person";
  return { satisfied: needs.has("satisfied") || isPerson, workItems: needs.has("workItems") };
}

function exampleReplies(
  { materia, edges }: GraphSocket,
  asks: SocketReplies["replyShape"],
  items: number,
): readonly RehearsedReply[] {
  const context = `${materia} is done.`;
  if (asks === "text") return [{ text: context }];
  const json = {
    ...(asks.workItems ? { workItems: exampleItems(items) } : {}),
    ...(asks.satisfied ? { satisfied: true } : {}),
    context,
  };
  const goesBack = edges.some((edge) => edge.when === "not_satisfied");
  const refusal = { json: { ...json, satisfied: false, context: "One thing is missing." } };
  return goesBack ? [refusal, { json }] : [{ json }];
}

function exampleItems(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Item ${index + 1}`,
    context: `What item ${index + 1} is about.`,
  }));
}

/** [E30] Replies of a past cast; sockets without a reply there keep the generated ones. */
export function repliesFromCast(
  made: readonly SocketReplies[],
  past: { readonly graph: Graph; readonly events: readonly CastEvent[] },
): readonly SocketReplies[] {
  const pastReplies = new Map<string, RehearsedReply[]>();
  for (const event of past.events) {
    if (event.type !== "handoff_accepted" && event.type !== "output_accepted") continue;
    const reply = event.type === "handoff_accepted" ? { json: event.handoff } : { text: event.text };
    appendTo(pastReplies, event.socket, reply);
  }
  return made.map((each) => {
    const alike = socketsOf(past.graph).filter(({ materia }) => materia === each.materia);
    const own = alike.find(({ id }) => id === each.socket) ?? alike[0];
    const isText = each.replyShape === "text";
    const replies = (pastReplies.get(own?.id ?? "") ?? []).filter((reply) => "text" in reply === isText);
    return replies.length > 0 ? { ...each, replies } : each;
  });
}
