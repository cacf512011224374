import { END, type Destination, type SocketId } from "../model/ids.ts";
import { NEXT_ITEM, type Edge } from "../model/loadout.ts";
import {
  type Graph,
  type GraphExit,
  type GraphLoop,
  type GraphSocket,
  givesUpItems,
  loopOf,
  socketsOf,
} from "./graph.ts";
import { requiresSatisfied } from "./socket-outputs.ts";
import { chooseEdge, exitForEmptyList, chooseExit, exitForGivenUp, matchesCondition, type Way } from "./ways.ts";

/** One step that a cast may take, as far as the graph alone tells. */
export interface FlowStep {
  readonly way: Way;
  readonly satisfied: boolean | undefined;
  /** Whether the loop's cursor moved on before it. */
  readonly advanced: boolean;
  /** Whether the list was at its end, so that the exits decided. */
  readonly exhausted: boolean;
  /** Where it may come to rest: where it leads, then behind the loops that turn out to be empty. The end is left out. */
  readonly landings: readonly number[];
}

/** The graph as a builder sees it, worked out once and shared by every check. Sockets are known by their place in the graph. */
export interface Flow {
  readonly sockets: readonly GraphSocket[];
  readonly numberOf: ReadonlyMap<string, number>;
  readonly steps: readonly (readonly FlowStep[])[];
  /** Sockets reached from each socket, an empty list's way round its loop included. */
  readonly next: readonly (readonly number[])[];
  /** The same without what begins the next item: that leads to where its own pass came in, which has run before. */
  readonly onward: readonly (readonly number[])[];
  /** Sockets where a cast may begin. */
  readonly starts: readonly number[];
  /** All that can be reached from there. */
  readonly reached: ReadonlySet<number>;
}

export function buildFlow(graph: Graph): Flow {
  const sockets = socketsOf(graph);
  const numberOf = new Map<string, number>(sockets.map(({ id }, number) => [id, number]));
  const builder = { graph, sockets, numberOf };
  const drawn = sockets.map((socket) => stepsFrom(builder, socket));
  // A graph without sockets begins nowhere.
  const starts = numberOf.has(graph.entry) ? landingsOf(builder, graph.entry, null) : NO_LANDINGS;
  const onward = drawn.map(socketsAfter);
  const reached = reachable({ next: onward, starts });
  const flow = { sockets, numberOf, steps: drawn, next: onward, onward, starts, reached };
  if (!sockets.some(socketGivesUpItems)) return flow;
  const doors = loopEntrySockets(flow);
  const steps = drawn.map((own, from) => [...own, ...own.flatMap((step) => stepsToNextItem(flow, doors, from, step))]);
  const next = steps.map(socketsAfter);
  return { ...flow, steps, next, reached: reachable({ next, starts }) };
}

function socketGivesUpItems({ edges }: GraphSocket): boolean {
  return edges.some(leadsToNextItem);
}

function leadsToNextItem({ then }: Edge): boolean {
  return then === NEXT_ITEM;
}

export function flowStepsOf(flow: Flow, id: SocketId): readonly FlowStep[] {
  return flow.steps[flow.numberOf.get(id) ?? -1] ?? [];
}

/** Every step of every socket, in their order. */
export function forEachStep({ steps }: Flow, take: (socket: number, step: FlowStep) => void): void {
  for (const [socket, own] of steps.entries()) for (const step of own) take(socket, step);
}

interface FlowBuilder extends Pick<Flow, "sockets" | "numberOf"> {
  readonly graph: Graph;
}

/** Everywhere a visit can lead: the same rules that route a cast, asked for every answer the socket may give. */
function stepsFrom(builder: FlowBuilder, socket: GraphSocket): readonly FlowStep[] {
  const answers = possibleAnswers(builder.graph, socket);
  const loop = loopOf(builder.graph, socket);
  const steps: FlowStep[] = [];
  for (const satisfied of answers) {
    const advanced = socket.advance !== null && loop?.items ? matchesCondition(socket.advance, satisfied) : false;
    const way = chooseEdge(socket, satisfied);
    const step = { way, satisfied, advanced, exhausted: false, landings: landingsOf(builder, way.to, socket.loop) };
    steps.push(step);
    if (way.via === "edge" && way.edge.then !== undefined) steps.push(...stepsWhenUsedUp(builder, socket, step));
    if (!advanced || !loop) continue;
    const out = chooseExit(loop, socket.id, satisfied);
    const behind = landingsOf(builder, out.to, socket.loop);
    steps.push({ way: out, satisfied, advanced, exhausted: true, landings: behind });
  }
  return loop?.parallel === undefined ? steps : [...steps, ...stepsAfterConflict(builder, socket, loop)];
}

/** [V10] Behind a last item that is given up because it cannot be merged, a loop is left with a no, whatever was said. */
function stepsAfterConflict(builder: FlowBuilder, socket: GraphSocket, loop: GraphLoop): readonly FlowStep[] {
  if (!loop.items || !givesUpItems(builder.graph, loop)) return [];
  const way = exitForGivenUp(loop, socket.id, false);
  if (way.to === END) return [];
  const to = landingsOf(builder, way.to, socket.loop);
  return [{ way, satisfied: false, advanced: true, exhausted: true, landings: to }];
}

/** [G27, G34] Where an edge leads once it is used up. Giving up the last item ends no cast by itself: like an empty list it goes where the loop goes. */
function stepsWhenUsedUp(builder: FlowBuilder, socket: GraphSocket, step: FlowStep): readonly FlowStep[] {
  const { way, satisfied } = step;
  if (way.via !== "edge" || way.edge.then === undefined) return [];
  const { then } = way.edge;
  const led = (to: Destination): FlowStep => ({
    ...step,
    way: { ...way, to, then: true },
    landings: landingsOf(builder, to, socket.loop),
  });
  if (then !== NEXT_ITEM) return [led(then)];
  const loop = loopOf(builder.graph, socket);
  if (!loop?.items) return [];
  const exit = exitForGivenUp(loop, socket.id, satisfied);
  if (exit.to === END) return [];
  return [
    { way: exit, satisfied, advanced: true, exhausted: true, landings: landingsOf(builder, exit.to, socket.loop) },
  ];
}

/** [G28] The item after one that was given up begins where its loop was entered. */
function stepsToNextItem(
  { sockets }: Flow,
  doors: ReadonlySet<number>,
  from: number,
  step: FlowStep,
): readonly FlowStep[] {
  const { way } = step;
  const loop = sockets[from]?.loop;
  if (way.via !== "edge" || way.then || way.edge.then !== NEXT_ITEM || !loop) return [];
  return [...doors].flatMap((door) => {
    const member = sockets[door];
    if (member?.loop !== loop) return [];
    return [{ ...step, way: { ...way, to: member.id, then: true as const }, advanced: true, landings: [door] }];
  });
}

/** The members by which a cast can enter their loops. What nothing reaches enters none. */
function loopEntrySockets(flow: Flow): ReadonlySet<number> {
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

function possibleAnswers(graph: Graph, socket: GraphSocket): readonly (boolean | undefined)[] {
  if (socket.parse === "text" || ignoresAnswer(graph, socket)) return NO_ANSWER;
  return requiresSatisfied(graph, socket) ? BOTH_ANSWERS : EVERY_ANSWER;
}

/** Nothing about this socket asks what it answered. */
function ignoresAnswer(graph: Graph, socket: GraphSocket): boolean {
  if (!socket.edges.every(isAlways)) return false;
  const exits = loopOf(graph, socket)?.exits ?? NO_EXITS;
  if (exits.every(isUnconditionalExit)) return socket.advance === null || socket.advance === "always";
  // [G34] Behind a last item that is given up, the exits of every member are asked for the answer.
  if (socketGivesUpItems(socket)) return false;
  if (socket.advance === null) return true;
  const isAsked = exits.some(({ from, condition }) => from === socket.id && condition !== "always");
  return socket.advance === "always" && !isAsked;
}

function isAlways({ when }: Edge): boolean {
  return when === "always";
}

function isUnconditionalExit({ condition }: GraphExit): boolean {
  return condition === "always";
}

const NO_EXITS: readonly GraphExit[] = [];

function landingsOf(builder: FlowBuilder, to: Destination, fromLoop: string | null): readonly number[] {
  if (to === END) return NO_LANDINGS;
  let number = numberOfSocket(builder, to);
  const landings = new Set([number]);
  let bypass = bypassDestination(builder, number, fromLoop);
  while (bypass !== END) {
    number = numberOfSocket(builder, bypass);
    if (landings.has(number)) break;
    landings.add(number);
    bypass = bypassDestination(builder, number, null);
  }
  return [...landings];
}

const NO_LANDINGS: readonly number[] = [];

function numberOfSocket({ numberOf }: FlowBuilder, id: SocketId): number {
  const number = numberOf.get(id);
  if (number === undefined) throw new Error(`the graph has no socket ${id}`);
  return number;
}

/** Where a step to a socket goes on if that socket's loop, entered by it, has nothing to walk; the end where it enters none. */
function bypassDestination({ graph, sockets }: FlowBuilder, to: number, fromLoop: string | null): Destination {
  const socket = sockets[to];
  const loop = socket && loopOf(graph, socket);
  return loop?.items && loop.id !== fromLoop ? exitForEmptyList(loop).to : END;
}

function socketsAfter(steps: readonly FlowStep[]): readonly number[] {
  return [...new Set(steps.flatMap(({ landings }) => landings))];
}

/** All that can be reached from these starts. */
function reachable({ next, starts }: Pick<Flow, "next" | "starts">): ReadonlySet<number> {
  const seen = new Set<number>();
  const open = [...starts];
  while (open.length > 0) {
    const at = open.pop() ?? -1;
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(next[at] ?? NO_LANDINGS));
  }
  return seen;
}
