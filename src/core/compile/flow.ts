import { END } from "../model/ids.ts";
import type { Destination, SocketId } from "../model/ids.ts";
import { NEXT } from "../model/loadout.ts";
import type { Graph, GraphSocket } from "./graph.ts";
import { loopOf, socketsOf } from "./graph.ts";
import { neededFields } from "./needs.ts";
import { edgeFor, emptyExit, exitFor, giveUpExit, matches } from "./route.ts";
import type { Way } from "./route.ts";

/** One step that a cast may take, as far as the graph alone tells. */
export interface Step {
  readonly way: Way;
  readonly satisfied: boolean | undefined;
  /** Whether the loop's cursor moved on before it. */
  readonly advanced: boolean;
  /** Whether the list was at its end, so that the exits decided. */
  readonly exhausted: boolean;
  /** Where it may come to rest: where it leads, then behind the loops that turn out to be empty. The end is left out. */
  readonly landings: readonly number[];
}

/** The graph as a walker sees it, worked out once and shared by every check. Sockets are known by their place in the graph. */
export interface Flow {
  readonly sockets: readonly GraphSocket[];
  readonly numberOf: ReadonlyMap<string, number>;
  readonly steps: readonly (readonly Step[])[];
  /** Sockets reached from each socket, an empty list's way round its loop included. */
  readonly next: readonly (readonly number[])[];
  /** The same without what begins the next item: that leads to where its own pass came in, which has run before. */
  readonly onward: readonly (readonly number[])[];
  /** Sockets where a cast may begin. */
  readonly starts: readonly number[];
  /** All that can be reached from there. */
  readonly reached: ReadonlySet<number>;
}

export function flowOf(graph: Graph): Flow {
  const sockets = socketsOf(graph);
  const numberOf = new Map<string, number>();
  for (const socket of sockets) numberOf.set(socket.id, numberOf.size);
  const walker = { graph, sockets, numberOf };
  const drawn = sockets.map((socket) => stepsFrom(walker, socket));
  // A graph without sockets begins nowhere.
  const starts = numberOf.has(graph.entry) ? landings(walker, graph.entry, null) : NOWHERE;
  const onward = drawn.map(placesAfter);
  const reached = reachable({ next: onward, starts });
  const flow = { sockets, numberOf, steps: drawn, next: onward, onward, starts, reached };
  if (!sockets.some(({ edges }) => edges.some(({ then }) => then === NEXT))) return flow;
  const doors = doorsOf(flow);
  const steps = drawn.map((own, from) => [...own, ...own.flatMap((step) => stepsToNextItem(flow, doors, from, step))]);
  const next = steps.map(placesAfter);
  return { ...flow, steps, next, reached: reachable({ next, starts }) };
}

export function stepsOf(flow: Flow, id: SocketId): readonly Step[] {
  return flow.steps[flow.numberOf.get(id) ?? -1] ?? [];
}

interface Walker extends Pick<Flow, "sockets" | "numberOf"> {
  readonly graph: Graph;
}

/** Everywhere a visit can lead: the same rules that route a cast, asked for every answer the socket may give. */
function stepsFrom(walker: Walker, socket: GraphSocket): readonly Step[] {
  const answers = answersOf(walker.graph, socket);
  const loop = loopOf(walker.graph, socket);
  const onward = (satisfied: boolean | undefined, advanced: boolean): readonly Step[] => {
    const way = edgeFor(socket, satisfied);
    const step = { way, satisfied, advanced, exhausted: false, landings: landings(walker, way.to, socket.loop) };
    return way.via === "edge" && way.edge.then !== undefined ? [step, ...stepsThen(walker, socket, step)] : [step];
  };
  const { advance } = socket;
  if (!loop?.items || advance === null) return answers.flatMap((satisfied) => onward(satisfied, false));
  return answers.flatMap((satisfied) => {
    if (!matches(advance, satisfied)) return onward(satisfied, false);
    const way = exitFor(loop, socket.id, satisfied);
    const out = { way, satisfied, advanced: true, exhausted: true, landings: landings(walker, way.to, socket.loop) };
    return [...onward(satisfied, true), out];
  });
}

/** [G27, G28] Where an edge leads once it is used up. Giving up the last item ends no cast by itself: like an empty list it goes where the loop goes. */
function stepsThen(walker: Walker, socket: GraphSocket, step: Step): readonly Step[] {
  const { way, satisfied } = step;
  if (way.via !== "edge" || way.edge.then === undefined) return [];
  const { then } = way.edge;
  const led = (to: Destination): Step => ({
    ...step,
    way: { ...way, to, then: true },
    landings: landings(walker, to, socket.loop),
  });
  if (then !== NEXT) return [led(then)];
  const loop = loopOf(walker.graph, socket);
  if (!loop?.items) return [];
  const exit = giveUpExit(loop, socket.id, satisfied);
  if (exit.to === END) return [];
  return [{ way: exit, satisfied, advanced: true, exhausted: true, landings: landings(walker, exit.to, socket.loop) }];
}

/** [G28] The item after one that was given up begins where its loop was entered. */
function stepsToNextItem({ sockets }: Flow, doors: ReadonlySet<number>, from: number, step: Step): readonly Step[] {
  const { way } = step;
  const loop = sockets[from]?.loop;
  if (way.via !== "edge" || way.then || way.edge.then !== NEXT || !loop) return [];
  return [...doors].flatMap((door) => {
    const member = sockets[door];
    if (member?.loop !== loop) return [];
    return [{ ...step, way: { ...way, to: member.id, then: true as const }, advanced: true, landings: [door] }];
  });
}

/** The members by which a cast can enter their loops. What nothing reaches enters none. */
function doorsOf(flow: Flow): ReadonlySet<number> {
  const doors = new Set(flow.starts);
  for (const from of flow.reached)
    for (const { landings } of flow.steps[from] ?? [])
      landings.forEach((to, index) => {
        // Behind a loop that is passed by, everything is entered from outside.
        if (index > 0 || flow.sockets[to]?.loop !== flow.sockets[from]?.loop) doors.add(to);
      });
  return doors;
}

const NO_ANSWER = [undefined] as const;
const BOTH_ANSWERS = [true, false] as const;
const EVERY_ANSWER = [true, false, undefined] as const;

function answersOf(graph: Graph, socket: GraphSocket): readonly (boolean | undefined)[] {
  if (socket.parse === "text" || isIndifferent(graph, socket)) return NO_ANSWER;
  return neededFields(graph, socket).has("satisfied") ? BOTH_ANSWERS : EVERY_ANSWER;
}

/** Nothing about this socket asks what it answered. */
function isIndifferent(graph: Graph, socket: GraphSocket): boolean {
  if (socket.edges.some((edge) => edge.when !== "always")) return false;
  const guarded = loopOf(graph, socket)?.exits.filter((exit) => exit.condition !== "always") ?? [];
  // [G28] Behind a last item that is given up, the exits of every member are asked for the answer.
  if (guarded.length > 0 && socket.edges.some(({ then }) => then === NEXT)) return false;
  if (socket.advance === null) return true;
  return socket.advance === "always" && !guarded.some((exit) => exit.from === socket.id);
}

function landings(walker: Walker, to: Destination, fromLoop: string | null): readonly number[] {
  if (to === END) return NOWHERE;
  let number = numberIn(walker, to);
  let behind = wayRound(walker, number, fromLoop);
  if (behind === END) return [number];
  const reached = new Set([number]);
  for (; behind !== END; behind = wayRound(walker, number, null)) {
    number = numberIn(walker, behind);
    if (reached.has(number)) break;
    reached.add(number);
  }
  return [...reached];
}

const NOWHERE: readonly number[] = [];

function numberIn({ numberOf }: Walker, id: SocketId): number {
  const number = numberOf.get(id);
  if (number === undefined) throw new Error(`the graph has no socket ${id}`);
  return number;
}

/** Where a step to a socket goes on if that socket's loop, entered by it, has nothing to walk; the end where it enters none. */
function wayRound({ graph, sockets }: Walker, to: number, fromLoop: string | null): Destination {
  const socket = sockets[to];
  const loop = socket && loopOf(graph, socket);
  return loop?.items && loop.id !== fromLoop ? emptyExit(loop).to : END;
}

function placesAfter(steps: readonly Step[]): readonly number[] {
  const [first] = steps;
  if (first && steps.length === 1) return first.landings;
  const places = new Set<number>();
  for (const step of steps) for (const to of step.landings) places.add(to);
  return [...places];
}

/** All that can be reached from these starts. */
function reachable(flow: Pick<Flow, "next" | "starts">): ReadonlySet<number> {
  const seen = new Set<number>();
  const open = [...flow.starts];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(flow.next[at] ?? []));
  }
  return seen;
}
