import type { CastLimits } from "../model/config.ts";
import { END } from "../model/ids.ts";
import type { Destination, SocketId } from "../model/ids.ts";
import { NOTHING, constant, larger, plus, times, timesItems } from "./amount.ts";
import type { Amount } from "./amount.ts";
import { components, isCyclic } from "./check/components.ts";
import { landings } from "./flow.ts";
import type { Flow } from "./flow.ts";
import type { Graph, GraphLoop, GraphSocket } from "./graph.ts";
import { loopOf, materiaOf, socketOf, socketsOf } from "./graph.ts";

/**
 * How many turns a cast of this graph can take at most, as a formula of the items of its loops.
 * Between two counted edges a cast walks edges that nothing counts; each such walk is as heavy as the heaviest one,
 * and there are as many walks as the counted edges allow.
 */
export function worstCase(graph: Graph, flow: Flow, limits: CastLimits): { readonly turns: Amount; readonly withRepairs: Amount } {
  const weigh = (repairs: number): Amount => {
    const weightOf = (socket: GraphSocket): Amount => constant(turnsOf(graph, socket, repairs));
    const loops = Object.values(graph.loops).filter((loop) => loop.items);
    const entries = loopEntries(graph, flow);
    const perLoop = new Map(
      loops.map((loop) => {
        const region = itemRegion({ graph, flow, loop, weightOf, entries: entries.get(loop.id) ?? [] });
        return [loop.id, timesItems(heaviest(region, limits), loop.id)];
      }),
    );
    return heaviest(outerRegion({ graph, flow, weightOf, perLoop }), limits);
  };
  return { turns: weigh(0), withRepairs: weigh(limits.maxRepairs) };
}

function turnsOf(graph: Graph, socket: GraphSocket, repairs: number): number {
  if (materiaOf(graph, socket).type === "utility") return 0;
  if (socket.parse === "text" || repairs === 0) return 1;
  // An interactive visit may need one more turn to put what was agreed into the contract.
  return 1 + repairs + (socket.interactive ? 1 : 0);
}

/** A part of the graph in which walks are weighed: sockets, or whole loops seen as one place. */
interface Region {
  readonly weights: ReadonlyMap<string, Amount>;
  readonly starts: ReadonlySet<string>;
  readonly free: ReadonlyMap<string, readonly string[]>;
  readonly counted: readonly { readonly from: string; readonly to: string; readonly bound: Amount }[];
  /** Places that reset the count of returns when passed, so that a free way round them never ends. */
  readonly resetting: ReadonlySet<string>;
}

interface RegionInput {
  readonly graph: Graph;
  readonly flow: Flow;
  readonly weightOf: (socket: GraphSocket) => Amount;
}

/** One item of a loop: from where the item begins to where the cursor moves on or the loop is left. */
function itemRegion({ graph, flow, loop, weightOf, entries }: RegionInput & { loop: GraphLoop; entries: readonly SocketId[] }): Region {
  const members = loop.sockets.map((id) => socketOf(graph, id));
  const inside = new Set<string>(loop.sockets);
  const starts = new Set<string>(entries);
  const free = new Map<string, string[]>();
  const counted: CountedArc[] = [];
  for (const member of members) {
    for (const { way, advanced } of flow.steps.get(member.id) ?? []) {
      if (way.to === END || !inside.has(way.to)) continue;
      if (advanced) starts.add(way.to);
      else if (way.via === "edge" && way.edge.maxTraversals !== undefined) counted.push(countedArc(member.id, way.to, constant(way.edge.maxTraversals), `${member.id} ${way.index}`));
      else push(free, member.id, way.to);
    }
  }
  return { weights: new Map(members.map((member) => [member.id, weightOf(member)])), starts, free, counted: distinct(counted), resetting: new Set() };
}

function outerRegion({ graph, flow, weightOf, perLoop }: RegionInput & { perLoop: ReadonlyMap<string, Amount> }): Region {
  const placeOf = (id: SocketId): string => {
    const loop = loopOf(graph, socketOf(graph, id));
    return loop?.items ? `loop ${loop.id}` : id;
  };
  const weights = new Map<string, Amount>();
  const free = new Map<string, string[]>();
  const counted: CountedArc[] = [];
  for (const [id, weight] of perLoop) weights.set(`loop ${id}`, weight);
  for (const socket of socketsOf(graph)) {
    const from = placeOf(socket.id);
    const loop = from === socket.id ? undefined : loopOf(graph, socket);
    if (!loop) weights.set(from, weightOf(socket));
    for (const { way } of flow.steps.get(socket.id) ?? []) {
      for (const landing of landings(graph, way.to, socket.loop)) {
        if (landing === END || placeOf(landing) === from && loop) continue;
        const max = way.via === "edge" ? way.edge.maxTraversals : undefined;
        if (max === undefined) push(free, from, placeOf(landing));
        else counted.push(countedArc(from, placeOf(landing), loop ? timesItems(constant(max), loop.id) : constant(max), `${socket.id} ${way.via === "edge" ? way.index : ""}`));
      }
    }
  }
  const starts = new Set<string>(landings(graph, graph.entry, null).filter((place) => place !== END).map((place) => placeOf(place as SocketId))); // END was filtered out
  return { weights, starts, free, counted: distinct(counted), resetting: new Set([...perLoop.keys()].map((id) => `loop ${id}`)) };
}

function loopEntries(graph: Graph, flow: Flow): ReadonlyMap<string, readonly SocketId[]> {
  const entries = new Map<string, SocketId[]>();
  const note = (to: Destination, fromLoop: string | null): void => {
    const loop = to === END ? null : socketOf(graph, to).loop;
    if (to === END || loop === null || loop === fromLoop) return;
    entries.set(loop, [...(entries.get(loop) ?? []), to]);
  };
  note(graph.entry, null);
  for (const socket of socketsOf(graph)) for (const { way } of flow.steps.get(socket.id) ?? []) note(way.to, socket.loop);
  return entries;
}

function heaviest(region: Region, limits: CastLimits): Amount {
  const starts = new Set([...region.starts, ...region.counted.map((arc) => arc.to)]);
  const next = (at: string): readonly string[] => region.free.get(at) ?? [];
  const order = components(region.weights.keys(), next).toReversed();
  const best = new Map<string, Amount>();
  const arriving = new Map<string, Amount>();
  let heaviestWalk: Amount = NOTHING;
  for (const component of order) {
    const own = componentWeight(component, next, region, limits);
    const before = component.reduce<Amount>((sum, at) => larger(sum, arriving.get(at) ?? NOTHING), NOTHING);
    const reached = component.some((at) => starts.has(at) || arriving.has(at));
    if (!reached) continue;
    const total = plus(before, own);
    heaviestWalk = larger(heaviestWalk, total);
    for (const at of component) {
      best.set(at, total);
      for (const to of next(at)) arriving.set(to, larger(arriving.get(to) ?? NOTHING, total));
    }
  }
  return region.counted.reduce((sum, arc) => plus(sum, product(best.get(arc.from) ?? NOTHING, arc.bound)), heaviestWalk);
}

function componentWeight(component: readonly string[], next: (at: string) => readonly string[], region: Region, limits: CastLimits): Amount {
  const once = component.reduce<Amount>((sum, at) => plus(sum, region.weights.get(at) ?? NOTHING), NOTHING);
  if (!isCyclic(component, next)) return once;
  if (component.some((at) => region.resetting.has(at))) return null;
  return times(once, limits.maxNoAdvanceCycles + 1);
}

/** A bound is a single term: N, or N for each item. */
function product(a: Amount, bound: Amount): Amount {
  if (a === null || bound === null) return null;
  return Object.entries(bound).reduce<Amount>((sum, [term, count]) => {
    const scaled = times(a, count);
    return plus(sum, term === "" ? scaled : timesItems(scaled, term));
  }, NOTHING);
}

interface CountedArc {
  readonly from: string;
  readonly to: string;
  readonly bound: Amount;
  /** Two edges may join the same places; each counts. */
  readonly edge: string;
}

function countedArc(from: string, to: string, bound: Amount, edge: string): CountedArc {
  return { from, to, bound, edge };
}

/** The same edge may be seen once for each answer that takes it. */
function distinct<T extends object>(arcs: readonly T[]): readonly T[] {
  return [...new Map(arcs.map((arc) => [JSON.stringify(arc), arc])).values()];
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (!list) map.set(key, [value]);
  else if (!list.includes(value)) list.push(value);
}
