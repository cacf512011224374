import type { CastLimits } from "../model/config.ts";
import { END } from "../model/ids.ts";
import type { Destination, SocketId } from "../model/ids.ts";
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
export function worstCase(
  graph: Graph,
  flow: Flow,
  limits: CastLimits,
): { readonly turns: Amount; readonly withRepairs: Amount } {
  const entries = loopEntries(graph, flow);
  const weigh = (repairs: number): Amount => {
    const weightOf = (socket: GraphSocket): number => turnsOf(graph, socket, repairs);
    const perItem = new Map<string, number>();
    for (const loop of Object.values(graph.loops)) {
      if (!loop.items) continue;
      const region = itemRegion({ graph, flow, weightOf }, loop, entries.get(loop.id) ?? []);
      const { heaviest, best } = walk(region, limits);
      perItem.set(
        loop.id,
        region.counted.reduce((sum, arc) => sum + arc.bound * (best.get(arc.from) ?? 0), heaviest),
      );
    }
    return wholeCast(outerRegion({ graph, flow, weightOf }, perItem), perItem, limits);
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
  readonly weights: ReadonlyMap<string, number>;
  readonly starts: ReadonlySet<string>;
  readonly free: ReadonlyMap<string, readonly string[]>;
  readonly counted: readonly CountedArc[];
  /** Places that reset the count of returns when passed, so that a free way round them never ends. */
  readonly resetting: ReadonlySet<string>;
}

interface CountedArc {
  readonly from: string;
  readonly to: string;
  readonly bound: number;
  /** The loop for each of whose items the bound holds; empty for the whole cast. */
  readonly perItemOf: string;
}

interface RegionInput {
  readonly graph: Graph;
  readonly flow: Flow;
  readonly weightOf: (socket: GraphSocket) => number;
}

/** One item of a loop: from where the item begins to where the cursor moves on or the loop is left. */
function itemRegion({ graph, flow, weightOf }: RegionInput, loop: GraphLoop, entries: readonly SocketId[]): Region {
  const members = loop.sockets.map((id) => socketOf(graph, id));
  const inside = new Set<string>(loop.sockets);
  const starts = new Set<string>(entries);
  const free = new Map<string, string[]>();
  const counted = new Map<string, CountedArc>();
  for (const member of members) {
    for (const { way, advanced } of flow.steps.get(member.id) ?? []) {
      if (way.to === END || !inside.has(way.to)) continue;
      if (advanced) starts.add(way.to);
      else if (way.via === "edge" && way.edge.maxTraversals !== undefined) {
        counted.set(`${member.id} ${way.index}`, {
          from: member.id,
          to: way.to,
          bound: way.edge.maxTraversals,
          perItemOf: "",
        });
      } else push(free, member.id, way.to);
    }
  }
  return {
    weights: new Map(members.map((member) => [member.id, weightOf(member)])),
    starts,
    free,
    counted: [...counted.values()],
    resetting: new Set(),
  };
}

function outerRegion({ graph, flow, weightOf }: RegionInput, perItem: ReadonlyMap<string, number>): Region {
  const placeOf = (id: SocketId): string => {
    const loop = loopOf(graph, socketOf(graph, id));
    return loop?.items ? placeOfLoop(loop.id) : id;
  };
  const weights = new Map<string, number>([...perItem.keys()].map((id) => [placeOfLoop(id), 0]));
  const free = new Map<string, string[]>();
  const counted = new Map<string, CountedArc>();
  for (const socket of socketsOf(graph)) {
    const from = placeOf(socket.id);
    const loop = from === socket.id ? undefined : loopOf(graph, socket);
    if (!loop) weights.set(from, weightOf(socket));
    for (const { way } of flow.steps.get(socket.id) ?? []) {
      for (const landing of landings(graph, way.to, socket.loop)) {
        if (landing === END) continue;
        const to = placeOf(landing);
        const bound = way.via === "edge" ? way.edge.maxTraversals : undefined;
        if (loop && to === from) continue;
        if (bound === undefined || way.via !== "edge") push(free, from, to);
        else counted.set(`${socket.id} ${way.index} ${to}`, { from, to, bound, perItemOf: loop?.id ?? "" });
      }
    }
  }
  const starts = new Set<string>();
  for (const place of landings(graph, graph.entry, null)) if (place !== END) starts.add(placeOf(place));
  return {
    weights,
    starts,
    free,
    counted: [...counted.values()],
    resetting: new Set([...perItem.keys()].map(placeOfLoop)),
  };
}

function placeOfLoop(id: string): string {
  return `loop ${id}`;
}

/** Where each loop can be entered. */
function loopEntries(graph: Graph, flow: Flow): ReadonlyMap<string, readonly SocketId[]> {
  const entries = new Map<string, SocketId[]>();
  const note = (to: Destination, fromLoop: string | null): void => {
    const loop = to === END ? null : socketOf(graph, to).loop;
    if (to === END || loop === null || loop === fromLoop) return;
    push(entries, loop, to);
  };
  for (const to of landings(graph, graph.entry, null)) note(to, null);
  for (const socket of socketsOf(graph)) {
    for (const { way } of flow.steps.get(socket.id) ?? []) {
      // Behind a loop that is passed by, everything is entered from outside.
      landings(graph, way.to, socket.loop).forEach((to, index) => note(to, index === 0 ? socket.loop : null));
    }
  }
  return entries;
}

/** The heaviest walk without a counted edge, in all and up to each place; places that no walk reaches are left out. */
function walk(
  region: Region,
  limits: CastLimits,
): { readonly heaviest: number; readonly best: ReadonlyMap<string, number> } {
  const starts = new Set([...region.starts, ...region.counted.map((arc) => arc.to)]);
  const next = (at: string): readonly string[] => region.free.get(at) ?? [];
  const best = new Map<string, number>();
  const arriving = new Map<string, number>();
  let heaviest = 0;
  for (const component of components(region.weights.keys(), next).toReversed()) {
    if (!component.some((at) => starts.has(at) || arriving.has(at))) continue;
    const before = component.reduce((most, at) => Math.max(most, arriving.get(at) ?? 0), 0);
    const total = before + componentWeight(component, next, region, limits);
    heaviest = Math.max(heaviest, total);
    for (const at of component) {
      best.set(at, total);
      for (const to of next(at)) arriving.set(to, Math.max(arriving.get(to) ?? 0, total));
    }
  }
  return { heaviest, best };
}

function componentWeight(
  component: readonly string[],
  next: (at: string) => readonly string[],
  region: Region,
  limits: CastLimits,
): number {
  const once = component.reduce((sum, at) => sum + (region.weights.get(at) ?? 0), 0);
  if (!isCyclic(component, next)) return once;
  if (component.some((at) => region.resetting.has(at))) return Infinity;
  return once * (limits.maxNoAdvanceCycles + 1);
}

/** The formula: turns outside loops, and for each loop its turns per item, times the walks that counted edges add. */
function wholeCast(region: Region, perItem: ReadonlyMap<string, number>, limits: CastLimits): Amount {
  const { heaviest, best } = walk(region, limits);
  if (heaviest === Infinity) return null;
  const terms = new Map<string, number>();
  const add = (loops: readonly string[], count: number): void => {
    const term = loops
      .filter((loop) => loop !== "")
      .toSorted()
      .join(" ");
    if (count > 0) terms.set(term, (terms.get(term) ?? 0) + count);
  };
  add([], heaviest);
  const reached = [...perItem].filter(([id]) => best.has(placeOfLoop(id)));
  for (const [id, weight] of reached) add([id], weight);
  for (const { from, bound, perItemOf } of region.counted) {
    add([perItemOf], bound * (best.get(from) ?? 0));
    const before = reached.length > 0 ? whatLeadsTo(region, from) : new Set<string>();
    for (const [id, weight] of reached) if (before.has(placeOfLoop(id))) add([id, perItemOf], bound * weight);
  }
  return Object.fromEntries(terms);
}

/** All places from which a free walk can come to this one, itself included. */
function whatLeadsTo(region: Region, place: string): ReadonlySet<string> {
  const back = new Map<string, string[]>();
  for (const [from, targets] of region.free) for (const to of targets) push(back, to, from);
  const seen = new Set<string>();
  const open = [place];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(back.get(at) ?? []));
  }
  return seen;
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (!list) map.set(key, [value]);
  else if (!list.includes(value)) list.push(value);
}
