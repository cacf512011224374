import { END, type Destination, type SocketId } from "../model/ids.ts";
import { NEXT_ITEM } from "../model/loadout.ts";
import {
  type Graph,
  type GraphLoop,
  type GraphSocket,
  givesUpItems,
  loopOf,
  socketsOf,
  chooseEdge,
  exitForEmptyList,
  chooseExit,
  exitForGivenUp,
  isAlways,
  isUnconditionalExit,
  matchesCondition,
  type Way,
} from "./graph.ts";
import { reachable } from "./digraph.ts";
import { requiresSatisfied } from "./socket-outputs.ts";

export interface FlowStep {
  readonly way: Way;
  readonly satisfied: boolean | undefined;
  readonly advanced: boolean;
  /** Whether the list was exhausted, so that the exits decided. */
  readonly exhausted: boolean;
  /** Where the step may arrive: its target, then the sockets after empty loops. The end is left out. */
  readonly landings: readonly number[];
}

/** All possible steps of a graph, computed once and shared by every check. Sockets have numbers in graph order. */
export interface Flow {
  readonly sockets: readonly GraphSocket[];
  readonly numberOf: ReadonlyMap<string, number>;
  readonly steps: readonly (readonly FlowStep[])[];
  readonly next: readonly (readonly number[])[];
  /** The same without steps to the next item: they lead to an entry of the loop, which has run before. */
  readonly onward: readonly (readonly number[])[];
  readonly starts: readonly number[];
  readonly reached: ReadonlySet<number>;
}

export function buildFlow(graph: Graph): Flow {
  const sockets = socketsOf(graph);
  const numberOf = new Map<string, number>(sockets.map(({ id }, number) => [id, number]));
  const builder = { graph, sockets, numberOf };
  const drawn = sockets.map((socket) => stepsFrom(builder, socket));
  // A graph without sockets has no start.
  const starts = numberOf.has(graph.entry) ? landingsOf(builder, graph.entry, null) : NO_LANDINGS;
  const onward = drawn.map(socketsAfter);
  const reached = reachable(onward, starts);
  const flow = { sockets, numberOf, steps: drawn, next: onward, onward, starts, reached };
  if (!sockets.some(socketGivesUpItems)) return flow;
  const passes = passesOf(flow);
  const steps = drawn.map((own, from) => [...own, ...own.flatMap((step) => stepsToNextItem(passes, from, step))]);
  const next = steps.map(socketsAfter);
  return { ...flow, steps, next, reached: reachable(next, starts) };
}

function socketGivesUpItems({ edges }: GraphSocket): boolean {
  return edges.some(({ then }) => then === NEXT_ITEM);
}

export function flowStepsOf(flow: Flow, id: SocketId): readonly FlowStep[] {
  return flow.steps[flow.numberOf.get(id) ?? -1] ?? [];
}

export function forEachFlowStep({ steps }: Flow, take: (socket: number, step: FlowStep) => void): void {
  for (const [socket, own] of steps.entries()) for (const step of own) take(socket, step);
}

interface FlowBuilder extends Pick<Flow, "sockets" | "numberOf"> {
  readonly graph: Graph;
}

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
    steps.push(exitStep(builder, socket, chooseExit(loop, socket.id, satisfied), satisfied));
  }
  // [V10] If the last item cannot be merged and is given up, the loop exits as not satisfied, for any answer.
  if (loop?.parallel !== undefined && loop.items && givesUpItems(builder.graph, loop))
    steps.push(...exitsWhenGivenUp(builder, socket, loop, false));
  return steps;
}

function exitStep(builder: FlowBuilder, socket: GraphSocket, way: Way, satisfied: boolean | undefined): FlowStep {
  return { way, satisfied, advanced: true, exhausted: true, landings: landingsOf(builder, way.to, socket.loop) };
}

function exitsWhenGivenUp(
  builder: FlowBuilder,
  socket: GraphSocket,
  loop: GraphLoop,
  satisfied: boolean | undefined,
): readonly FlowStep[] {
  const way = exitForGivenUp(loop, socket.id, satisfied);
  return way.to === END ? [] : [exitStep(builder, socket, way, satisfied)];
}

/** [G27, G34] The target of an edge that is used up. After the last given-up item the loop exits as for an empty list. */
function stepsWhenUsedUp(builder: FlowBuilder, socket: GraphSocket, step: FlowStep): readonly FlowStep[] {
  const { way, satisfied } = step;
  if (way.via !== "edge" || way.edge.then === undefined) return [];
  const { then: to } = way.edge;
  const loop = loopOf(builder.graph, socket);
  if (to === NEXT_ITEM) return loop?.items ? exitsWhenGivenUp(builder, socket, loop, satisfied) : [];
  return [{ ...step, way: { ...way, to, then: true }, landings: landingsOf(builder, to, socket.loop) }];
}

/** [G28] The item after a given-up one starts where the loop was entered. */
function stepsToNextItem(passes: readonly Pass[], from: number, step: FlowStep): readonly FlowStep[] {
  const { way } = step;
  if (way.via !== "edge" || way.then || way.edge.then !== NEXT_ITEM) return [];
  return passes.flatMap(({ door, number, members }) =>
    members.has(from)
      ? [{ ...step, way: { ...way, to: door, then: true as const }, advanced: true, landings: [number] }]
      : [],
  );
}

interface Pass {
  readonly door: SocketId;
  readonly number: number;
  /** The members that a pass from this door can visit. */
  readonly members: ReadonlySet<number>;
}

/** The passes with which a cast can walk loops. Unreached sockets enter none. */
function passesOf(flow: Flow): readonly Pass[] {
  const { sockets } = flow;
  const inside = flow.steps.map((own, from) =>
    own.flatMap(({ landings: [to = -1] }) => (sockets[to]?.loop === sockets[from]?.loop ? [to] : [])),
  );
  const doors = new Set(flow.starts);
  for (const from of flow.reached)
    for (const { landings } of flow.steps[from] ?? [])
      landings.forEach((to, index) => {
        // A walk that skips an empty loop enters the next one from outside.
        if (index > 0 || sockets[to]?.loop !== sockets[from]?.loop) doors.add(to);
      });
  return [...doors].flatMap((number) => {
    const { id: door, loop } = sockets[number] ?? {};
    return door && loop ? [{ door, number, members: reachable(inside, [number]) }] : [];
  });
}

function possibleAnswers(graph: Graph, socket: GraphSocket): readonly (boolean | undefined)[] {
  if (socket.parse === "text" || ignoresAnswer(graph, socket)) return [undefined];
  return requiresSatisfied(graph, socket) ? [true, false] : [true, false, undefined];
}

/** Whether no edge, exit or advance depends on the answer. */
function ignoresAnswer(graph: Graph, socket: GraphSocket): boolean {
  if (!socket.edges.every(isAlways)) return false;
  const exits = loopOf(graph, socket)?.exits ?? [];
  if (exits.every(isUnconditionalExit)) return socket.advance === null || socket.advance === "always";
  // [G34] After a given-up last item the exits of every member depend on the answer.
  if (socketGivesUpItems(socket)) return false;
  if (socket.advance === null) return true;
  const isAsked = exits.some(({ from, condition }) => from === socket.id && condition !== "always");
  return socket.advance === "always" && !isAsked;
}

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

/** The target of a step if the loop that it enters has no items; the end if it enters none. */
function bypassDestination({ graph, sockets }: FlowBuilder, to: number, fromLoop: string | null): Destination {
  const socket = sockets[to];
  const loop = socket && loopOf(graph, socket);
  return loop?.items && loop.id !== fromLoop ? exitForEmptyList(loop).to : END;
}

function socketsAfter(steps: readonly FlowStep[]): readonly number[] {
  return [...new Set(steps.flatMap(({ landings }) => landings))];
}
