import { END, sortSocketIds, type Destination, type SocketId } from "../../model/ids.ts";
import { NEXT_ITEM, type Edge } from "../../model/loadout.ts";
import { createRecord } from "../../model/values/record.ts";
import type { Graph, GraphLoop, GraphSocket } from "../graph.ts";

/** [L12] `Socket-1…n` over all parts in target order, then in the order of the source ids; loops and exits get the part's number. */
export function renumberSockets(graphs: readonly Graph[]): readonly Graph[] {
  // One part keeps its own names: casting a loadout must not rename the user's sockets.
  if (graphs.length === 1) return graphs;
  let count = 0;
  return graphs.map((graph, index) => {
    const ids = sortSocketIds(Object.keys(graph.sockets));
    const renamed = new Map<string, SocketId>(ids.map((id) => [id, `Socket-${(count += 1)}` as SocketId])); // of that form by construction
    return renameSockets(graph, renamed, `t${index + 1}-`);
  });
}

function renameSockets(graph: Graph, renamed: ReadonlyMap<string, SocketId>, prefix: string): Graph {
  const idOf = (id: SocketId): SocketId => renamed.get(id) ?? id;
  const placeOf = (to: Destination): Destination => (to === END ? END : idOf(to));
  const edgeOf = ({ then, ...edge }: Edge): Edge => ({
    ...edge,
    to: placeOf(edge.to),
    ...(then === undefined ? {} : { then: then === NEXT_ITEM ? NEXT_ITEM : placeOf(then) }),
  });
  const socketOf = (socket: GraphSocket): GraphSocket => ({
    ...socket,
    id: idOf(socket.id),
    edges: socket.edges.map(edgeOf),
    loop: socket.loop === null ? null : `${prefix}${socket.loop}`,
  });
  const loopOf = (loop: GraphLoop): GraphLoop => ({
    ...loop,
    id: `${prefix}${loop.id}`,
    sockets: loop.sockets.map(idOf),
    from: loop.from === null ? null : idOf(loop.from),
    exits: loop.exits.map((exit) => ({
      ...exit,
      id: `${prefix}${exit.id}`,
      from: idOf(exit.from),
      targetSocketId: placeOf(exit.targetSocketId),
    })),
  });
  const sockets = createRecord<GraphSocket>(renamed.size);
  for (const socket of Object.values(graph.sockets).map(socketOf)) sockets[socket.id] = socket;
  const renamedLoops = Object.values(graph.loops).map(loopOf);
  const loops = createRecord<GraphLoop>(renamedLoops.length);
  // Behind the prefix no id is one of the prototype's.
  for (const loop of renamedLoops) loops[loop.id] = loop;
  return { ...graph, entry: idOf(graph.entry), sockets, loops };
}
