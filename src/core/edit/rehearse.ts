import type { CastEvent } from "../cast/state/event.ts";
import { type Graph, type GraphSocket, materiaOf, socketsOf } from "../compile/graph.ts";
import { neededFields } from "../compile/needs.ts";
import type { JsonObject } from "../model/values/json.ts";

/** What a socket answers in a rehearsal, as a person may change it before. */
export interface RehearsedSocket {
  readonly socket: string;
  readonly materia: string;
  /** What its answers are made of: a text, or an object with these fields. */
  readonly asks: "text" | { readonly satisfied: boolean; readonly workItems: boolean };
  readonly replies: readonly RehearsedReply[];
}

export type RehearsedReply = { readonly text: string } | { readonly json: JsonObject };

/** [E20] Made-up replies that lead a cast through the whole graph: work items, one refusal where there is a way back, then satisfied. */
export function generatedReplies(graph: Graph, items: number): readonly RehearsedSocket[] {
  return asked(graph).map((socket) => {
    const asks = asksOf(graph, socket);
    return { socket: socket.id, materia: socket.materia, asks, replies: repliesOf(socket, asks, items) };
  });
}

function asked(graph: Graph): readonly GraphSocket[] {
  return socketsOf(graph).filter((socket) => materiaOf(graph, socket).type !== "utility");
}

function asksOf(graph: Graph, socket: GraphSocket): RehearsedSocket["asks"] {
  if (socket.parse === "text") return "text";
  const needs = neededFields(graph, socket);
  const isPerson = materiaOf(graph, socket).type === "person";
  return { satisfied: needs.has("satisfied") || isPerson, workItems: needs.has("workItems") };
}

function repliesOf(
  { materia, edges }: GraphSocket,
  asks: RehearsedSocket["asks"],
  items: number,
): readonly RehearsedReply[] {
  if (asks === "text") return [{ text: `${materia} is done.` }];
  const json = {
    ...(asks.workItems ? { workItems: made(items) } : {}),
    ...(asks.satisfied ? { satisfied: true } : {}),
    context: `${materia} is done.`,
  };
  const goesBack = edges.some((edge) => edge.when === "not_satisfied");
  const refusal = { json: { ...json, satisfied: false, context: "One thing is missing." } };
  return goesBack ? [refusal, { json }] : [{ json }];
}

function made(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Item ${index + 1}`,
    context: `What item ${index + 1} is about.`,
  }));
}

/** [E30] What the same sockets answered in a cast that happened; a socket that answered nothing in it keeps what is made up. */
export function repliesOfCast(
  made: readonly RehearsedSocket[],
  past: { readonly graph: Graph; readonly events: readonly CastEvent[] },
): readonly RehearsedSocket[] {
  const said = new Map<string, RehearsedReply[]>();
  for (const event of past.events) {
    if (event.type !== "handoff_accepted" && event.type !== "output_accepted") continue;
    const reply = event.type === "handoff_accepted" ? { json: event.handoff } : { text: event.text };
    said.set(event.socket, [...(said.get(event.socket) ?? []), reply]);
  }
  const sameMateria = (materia: string): readonly string[] =>
    socketsOf(past.graph).flatMap((socket) => (socket.materia === materia ? [socket.id] : []));
  return made.map((each) => {
    const own = past.graph.sockets[each.socket]?.materia === each.materia ? each.socket : sameMateria(each.materia)[0];
    const replies = (own === undefined ? undefined : said.get(own))?.filter(
      (reply) => "text" in reply === (each.asks === "text"),
    );
    return replies && replies.length > 0 ? { ...each, replies } : each;
  });
}
