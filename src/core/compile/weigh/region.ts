import type { Flow } from "../flow.ts";
import type { Graph, GraphLoop } from "../graph.ts";
import { isCounted } from "../route.ts";
import type { Way } from "../route.ts";

/** A part of the graph in which walks are weighed: numbered places and the ways between them. */
export interface Region {
  readonly arcs: readonly (readonly Arc[])[];
  /** Where a walk may begin. */
  readonly starts: ReadonlySet<number>;
  /** From this place on each is a whole loop: its passes are not counted by themselves, as the visits of a socket are. */
  readonly firstLoop: number;
}

export interface Arc {
  readonly from: number;
  readonly to: number;
  /** The traversals that limit it; null where nothing counts it. */
  readonly limit: Limit | null;
  /** The traversals that are used up before it can be taken, where it is their `then`. */
  readonly after: Limit | null;
}

/** The traversals of one edge. It may lead to several places, behind loops that are empty; they share them. */
export interface Limit {
  readonly bound: number;
}

/** The loops that walk a list, and which of them holds each socket. */
export interface LoopMap {
  readonly flow: Flow;
  readonly loops: readonly GraphLoop[];
  readonly loopAt: readonly (number | undefined)[];
}

export function loopMapOf(graph: Graph, flow: Flow): LoopMap {
  const loops = Object.values(graph.loops).filter((loop) => loop.items !== null);
  const numberOf = new Map<string | null, number>(loops.map((loop, number) => [loop.id, number]));
  return { flow, loops, loopAt: flow.sockets.map((socket) => numberOf.get(socket.loop)) };
}

/** Every item of every loop, by sockets: from where an item begins to where the cursor moves on or the loop is left. */
export function itemRegion({ flow, loopAt }: LoopMap): Region {
  const arcs = flow.sockets.map(() => NO_ARCS);
  const starts = new Set(flow.starts);
  flow.steps.forEach((steps, from) => {
    if (!flow.reached.has(from)) return;
    const loop = loopAt[from];
    const limits = limitsOf();
    for (const { way, advanced, landings } of steps) {
      landings.forEach((to, index) => {
        // Behind a loop that is passed by, everything is entered from outside.
        const stays = index === 0 && loop !== undefined && loopAt[to] === loop && !advanced;
        if (stays) lead(arcs, { from, to, ...limits(way) });
        else starts.add(to);
      });
    }
  });
  return { arcs, starts, firstLoop: flow.sockets.length };
}

/** The cast as a whole: sockets outside loops, and behind their numbers the loops, each as one place. */
export function outerRegion({ flow, loops, loopAt }: LoopMap): Region {
  const firstLoop = flow.sockets.length;
  const placeOf = (socket: number): number => {
    const loop = loopAt[socket];
    return loop === undefined ? socket : firstLoop + loop;
  };
  const arcs = [...flow.sockets, ...loops].map(() => NO_ARCS);
  flow.steps.forEach((steps, socket) => {
    if (!flow.reached.has(socket)) return;
    const from = placeOf(socket);
    const limits = limitsOf();
    for (const { way, landings } of steps) {
      for (const landing of landings) {
        const to = placeOf(landing);
        // What stays inside a loop is weighed with its items.
        if (to !== from || from === socket) lead(arcs, { from, to, ...limits(way) });
      }
    }
  });
  return { arcs, starts: new Set(flow.starts.map(placeOf)), firstLoop };
}

const NO_ARCS: Arc[] = [];

/** Most places lead to one other or nowhere: a list of its own is made only where it is needed. */
function lead(arcs: Arc[][], arc: Arc): void {
  const known = arcs[arc.from] ?? NO_ARCS;
  if (known === NO_ARCS) arcs[arc.from] = [arc];
  else known.push(arc);
}

/** [G7] What limits the ways of one socket; its edge and that edge's `then` know the same traversals. */
function limitsOf(): (way: Way) => Pick<Arc, "limit" | "after"> {
  let known: Map<number, Limit> | undefined;
  return (way) => {
    if (way.via !== "edge" || way.edge.maxTraversals === undefined) return FREE;
    known ??= new Map();
    const limit = known.get(way.index) ?? { bound: way.edge.maxTraversals };
    known.set(way.index, limit);
    return isCounted(way) ? { limit, after: null } : { limit: null, after: limit };
  };
}

const FREE = { limit: null, after: null };
