import * as v from "valibot";
import { END, Destination, SocketId } from "../model/ids.ts";
import { Condition, Edge, Exit, NEXT_ITEM, edgeTargets } from "../model/loadout.ts";
import { Materia, ParseMode } from "../model/materia.ts";
import { readonlyObject, wholeNumber } from "../model/schemas.ts";
import { recordSchema } from "../model/json.ts";
import { Assignment } from "./assignment.ts";

/** The position of a socket in the user's file, before any renumbering. */
export const Origin = readonlyObject({
  target: wholeNumber(0),
  kind: v.picklist(["materia", "loadout"]),
  name: v.string(),
  socket: v.string(),
  file: v.exactOptional(v.string()),
});
export type Origin = v.InferOutput<typeof Origin>;

const list = <T>(item: v.GenericSchema<unknown, T>) => v.pipe(v.array(item), v.readonly());

export const GraphSocket = readonlyObject({
  id: SocketId,
  materia: v.string(),
  parse: ParseMode,
  generator: v.boolean(),
  interactive: v.boolean(),
  /** [I1] Set if a visit whose work was sent back continues its conversation. */
  conversation: v.exactOptional(v.literal("item")),
  assign: list(Assignment),
  advance: v.nullable(Condition),
  edges: list(Edge),
  loop: v.nullable(v.string()),
  origin: Origin,
});
export type GraphSocket = v.InferOutput<typeof GraphSocket>;

export const GraphExit = readonlyObject({
  ...Exit.entries,
  /** Added by a chain: it leads to the next part where the loop alone would have ended the cast. */
  stitched: v.exactOptional(v.literal(true)),
});
export type GraphExit = v.InferOutput<typeof GraphExit>;

export const GraphLoop = readonlyObject({
  id: v.string(),
  sockets: list(SocketId),
  /** The generator of its list; null if it names none. */
  from: v.nullable(SocketId),
  /** The path of its list in state; null for a loop without one. */
  items: v.nullable(list(v.string())),
  exits: list(GraphExit),
  parallel: v.exactOptional(wholeNumber(1)),
  origin: readonlyObject({ name: v.string(), loop: v.string(), file: v.exactOptional(v.string()) }),
  /** The target of an empty list without an `always` exit. A linked part has one if another part follows. */
  emptyTo: v.exactOptional(SocketId),
});
export type GraphLoop = v.InferOutput<typeof GraphLoop>;

/** A compiled graph: plain data with every reference resolved. The cast stores it, so that no later edit changes it. */
export const Graph = v.pipe(
  v.object({
    name: v.string(),
    entry: SocketId,
    sockets: recordSchema(GraphSocket),
    loops: recordSchema(GraphLoop),
    materia: recordSchema(Materia),
  }),
  v.readonly(),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const broken = brokenReference(dataset.value);
    if (broken) addIssue({ message: "names nothing in this graph", path: valibotPath(broken) });
  }),
);
export type Graph = v.InferOutput<typeof Graph>;

type ReferencePath = readonly [string, ...(string | number)[]];

/** The first reference to nothing. Unchecked, a cast would fail only when it arrives there. */
function brokenReference({ entry, sockets, loops, materia }: Graph): ReferencePath | undefined {
  const isSocket = (id: Destination): boolean => id === END || Object.hasOwn(sockets, id);
  if (!isSocket(entry)) return ["entry"];
  for (const [id, socket] of Object.entries(sockets)) {
    if (socket.id !== id) return ["sockets", id, "id"];
    if (!Object.hasOwn(materia, socket.materia)) return ["sockets", id, "materia"];
    if (socket.loop !== null && !Object.hasOwn(loops, socket.loop)) return ["sockets", id, "loop"];
    const edge = socket.edges.findIndex((each) => !edgeTargets(each).every(isSocket));
    if (edge !== -1) return ["sockets", id, "edges", edge, isSocket(socket.edges[edge]?.to ?? END) ? "then" : "to"];
  }
  for (const [id, loop] of Object.entries(loops)) {
    const { from, emptyTo } = loop;
    if (loop.id !== id) return ["loops", id, "id"];
    const member = loop.sockets.findIndex((each) => !isSocket(each));
    if (member !== -1) return ["loops", id, "sockets", member];
    if (from !== null && !isSocket(from)) return ["loops", id, "from"];
    if (emptyTo !== undefined && !isSocket(emptyTo)) return ["loops", id, "emptyTo"];
    const exit = loop.exits.findIndex((each) => !isSocket(each.from) || !isSocket(each.targetSocketId));
    if (exit !== -1) return ["loops", id, "exits", exit];
  }
  return undefined;
}

/** A path as valibot writes it; only its keys are read. */
function valibotPath([first, ...rest]: ReferencePath): [v.IssuePathItem, ...v.IssuePathItem[]] {
  const step = (key: string | number): v.IssuePathItem => ({
    type: "unknown",
    origin: "value",
    input: undefined,
    key,
    value: undefined,
  });
  return [step(first), ...rest.map(step)];
}

export function socketOf(graph: Graph, id: SocketId): GraphSocket {
  const socket = Object.hasOwn(graph.sockets, id) ? graph.sockets[id] : undefined;
  if (!socket) throw new Error(`the graph has no socket ${id}`);
  return socket;
}

export function materiaOf(graph: Graph, socket: GraphSocket): Materia {
  const materia = Object.hasOwn(graph.materia, socket.materia) ? graph.materia[socket.materia] : undefined;
  if (!materia) throw new Error(`the graph has no materia ${socket.materia}`);
  return materia;
}

export function loopOf(graph: Graph, socket: GraphSocket): GraphLoop | undefined {
  return socket.loop === null ? undefined : graph.loops[socket.loop];
}

export type GraphPlace = GraphSocket | GraphLoop;

export function isGraphLoop(place: GraphPlace): place is GraphLoop {
  return "exits" in place;
}

/** [V10] Whether an edge of the loop gives up items that cannot be done. */
export function givesUpItems({ sockets }: Graph, loop: Pick<GraphLoop, "sockets">): boolean {
  return loop.sockets.some((id) => sockets[id]?.edges.some(({ then }) => then === NEXT_ITEM));
}

export function socketsOf(graph: Graph): readonly GraphSocket[] {
  return Object.values(graph.sockets);
}

/** `Socket-4 (Build)` as in the user's loadout: the number in the editor and the name of the materia. */
export function socketLabel(socket: GraphSocket): string {
  return `${socket.origin.socket} (${socket.materia})`;
}

/** `Socket-4 (Build)` as the cast numbers it; a chain may have renumbered it. */
export function castSocketLabel(socket: GraphSocket): string {
  return `${socket.id} (${socket.materia})`;
}

/** One way out of a socket: an edge, a loop's exit, or the implicit end where nothing matches. */
export type Way =
  | {
      readonly via: "edge";
      readonly to: Destination;
      readonly edge: Edge;
      readonly index: number;
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

/** [V50] Whether an edge behind an advance has a limit: its traversals count for the next item. */
export function countsForNextItem(graph: Graph, loop: Pick<GraphLoop, "sockets">): boolean {
  return loop.sockets.some((id) => {
    const socket = socketOf(graph, id);
    const { advance } = socket;
    if (advance === null) return false;
    return [true, false, undefined].some((satisfied) => {
      const way = chooseEdge(socket, satisfied);
      return matchesCondition(advance, satisfied) && way.to !== END && isTraversalCounted(way);
    });
  });
}

/** [G10] Whether `maxTraversals` limits this way. */
export function isTraversalCounted(way: Way): boolean {
  return way.via === "edge" && way.edge.maxTraversals !== undefined && way.then === undefined;
}

/** [G34] Of the member that gave the item up, else any that fits, else of an empty list. [L20] Those of a chain come last. */
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
  }
}
