import { materiaOf, type Graph, type GraphSocket } from "../compile/graph.ts";
import type { Stitch } from "../compile/targets/stitch.ts";
import { requiredHandoffFields } from "../compile/needs.ts";
import { isGate } from "../model/materia.ts";
import { readingOrder } from "./graph/order.ts";
import { graphWays, type DrawnWay } from "./graph/ways.ts";
import { type WorstCaseTurns, worstCaseText } from "./worst-case.ts";

/** [C18] The graph as data, as programs and drawings want it: names as they are, sockets in reading order. */
export function graphJson(
  graph: Graph,
  { worst, stitches = [] }: { readonly worst?: WorstCaseTurns; readonly stitches?: readonly Stitch[] } = {},
) {
  const ways = graphWays(graph);
  const sockets = readingOrder(graph);
  const loops = Object.values(graph.loops);
  const drawn = [...sockets.flatMap(ways.ofSocket), ...loops.flatMap(ways.ofLoop)];
  return {
    name: graph.name,
    entry: graph.entry,
    sockets: sockets.map((socket) => socketJson(graph, socket)),
    edges: drawn.filter((way) => !way.then).map((way) => edgeJson(graph, way)),
    loops: loops.map(({ id, sockets: members, from, items, emptyTo }) => ({
      id,
      sockets: members,
      from,
      items: items === null ? null : items.join("."),
      emptyTo: emptyTo ?? null,
    })),
    stitches,
    worstCase: worst ? { ...worst, text: worstCaseText(graph, worst) } : null,
  };
}

function socketJson(graph: Graph, socket: GraphSocket) {
  const { id, materia, parse, generator, interactive, advance, loop, origin } = socket;
  return {
    id,
    materia,
    type: materiaOf(graph, socket).type,
    parse,
    generator,
    interactive,
    gate: isGate(materiaOf(graph, socket)),
    advance,
    loop,
    returns: [...requiredHandoffFields(graph, socket).keys()],
    origin: { target: origin.target, name: origin.name, socket: origin.socket },
  };
}

function edgeJson(graph: Graph, { id, from, to, when, via, index, maxTraversals, loop }: DrawnWay) {
  const then = via === "edge" ? graph.sockets[from]?.edges[index ?? -1]?.then : undefined;
  return {
    id,
    from,
    to,
    when,
    via,
    maxTraversals: maxTraversals ?? null,
    ...(then === undefined ? {} : { then }),
    ...(loop === undefined ? {} : { loop }),
  };
}
