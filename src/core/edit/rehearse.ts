import type { Graph, GraphSocket } from "../compile/graph.ts";
import { materiaOf, socketsOf } from "../compile/graph.ts";
import { neededFields } from "../compile/needs.ts";

/** The replies of one materia, as a person may change them before a rehearsal. */
export interface RehearsedMateria {
  readonly materia: string;
  readonly sockets: readonly string[];
  readonly replies: readonly unknown[];
}

/** [E20] Made-up replies that lead a cast through the whole graph: work items, one refusal where there is a way back, then satisfied. */
export function generatedReplies(graph: Graph, items: number): readonly RehearsedMateria[] {
  const asked = socketsOf(graph).filter((socket) => materiaOf(graph, socket).type !== "utility");
  return [...Map.groupBy(asked, (socket) => socket.materia)].map(([materia, sockets]) => ({
    materia,
    sockets: sockets.map(({ id }) => id),
    replies: repliesOf(graph, sockets, items),
  }));
}

function repliesOf(graph: Graph, sockets: readonly GraphSocket[], items: number): readonly unknown[] {
  const needs = new Set(sockets.flatMap((socket) => [...neededFields(graph, socket).keys()]));
  const name = sockets[0]?.materia ?? "";
  if (sockets.every(({ parse }) => parse === "text")) return [{ text: `${name} is done.` }];
  const isPerson = sockets.some((socket) => materiaOf(graph, socket).type === "person");
  const json = {
    ...(needs.has("workItems") ? { workItems: made(items) } : {}),
    ...(needs.has("satisfied") || isPerson ? { satisfied: true } : {}),
    context: `${name} is done.`,
  };
  const goesBack = sockets.some(({ edges }) => edges.some((edge) => edge.when === "not_satisfied"));
  const refusal = { json: { ...json, satisfied: false, context: "One thing is missing." } };
  return goesBack ? [refusal, { json }] : [{ json }];
}

function made(count: number): readonly { readonly title: string; readonly context: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Item ${index + 1}`,
    context: `What item ${index + 1} is about.`,
  }));
}
