import { type Issue, error, type KeyPath } from "../../model/issue.ts";
import { forEachFlowStep, type Flow } from "../flow.ts";
import {
  socketLabel,
  type GraphPlace,
  type Graph,
  type GraphSocket,
  type GraphLoop,
  isGraphLoop,
  loopOf,
  isTraversalCounted,
} from "../graph.ts";
import { createDigraph, findCycles } from "../digraph.ts";
import type { IssueCode } from "../../model/issue-codes.ts";

/** Most positions share this list. */
export const NO_ISSUES: readonly Issue[] = [];

type PartOfGraph = Pick<GraphSocket, "origin"> | Pick<GraphLoop, "origin">;

export function errorAt(part: PartOfGraph, below: KeyPath, code: IssueCode, message: string, hint?: string): Issue {
  const issue = error(code, pathOf(part, below), message, hint);
  const { file } = part.origin;
  return file === undefined ? issue : { ...issue, file };
}

export function warningAt(...problem: Parameters<typeof errorAt>): Issue {
  return { ...errorAt(...problem), severity: "warning" };
}

function pathOf({ origin }: PartOfGraph, below: KeyPath): KeyPath {
  if ("loop" in origin) return ["loadouts", origin.name, "loops", origin.loop, ...below];
  const { kind, name, socket } = origin;
  return kind === "materia" ? ["materia", name, ...below] : ["loadouts", name, "sockets", socket, ...below];
}

export function checkReachability(flow: Flow): readonly Issue[] {
  const lost = flow.sockets.filter((_, number) => !flow.reached.has(number));
  return lost.map((socket) => {
    const message = `nothing leads to ${socketLabel(socket)}`;
    return warningAt(socket, [], "unreachable_socket", message, "add an edge to it, or remove it");
  });
}

/** [G20] Only limits.maxNoAdvanceCycles stops a cycle that has no limit and does not advance. */
export function checkCycles(graph: Graph, flow: Flow): readonly Issue[] {
  const ofSockets = uncountedCycles(flow).map(
    (round) => [round, "set maxTraversals on the edge that leads back"] as const,
  );
  const others = cyclesAmong(graph, flow, () => true).map(
    (round) => [round, "set maxTraversals on one of its edges"] as const,
  );
  return [...ofSockets, ...others].map(([round, hint]) => cycleIssue(round, hint));
}

function cycleIssue(round: readonly GraphPlace[], socketHint: string): Issue {
  const names = round.slice(0, 8).map((place) => (isGraphLoop(place) ? `the loop "${place.id}"` : socketLabel(place)));
  const message = `no limit bounds the cycle ${names.join(" → ")}`;
  const place = round.find((each) => !isGraphLoop(each)) ?? round[0];
  if (!place) throw new Error("a cycle has places");
  if (!isGraphLoop(place)) return warningAt(place, ["edges"], "unbounded_cycle", message, socketHint);
  const hint = "route it through a socket whose edge has maxTraversals";
  return warningAt(place, ["exits"], "unbounded_cycle", message, hint);
}

function uncountedCycles(flow: Flow): readonly (readonly GraphSocket[])[] {
  const next = createDigraph(flow.sockets.length);
  forEachFlowStep(flow, (from, { way, advanced, landings }) => {
    const to = landings[0];
    if (!advanced && to !== undefined && !isTraversalCounted(way)) next[from]?.push(to);
  });
  return findCycles(next).map((component) => component.flatMap((number) => flow.sockets[number] ?? []));
}

/** Cycles of loops alone never end: no limit counts returns to a loop. */
export function cyclesOfLoopsAlone(graph: Graph, flow: Flow): readonly (readonly GraphPlace[])[] {
  return cyclesAmong(graph, flow, isGraphLoop);
}

function cyclesAmong(
  graph: Graph,
  flow: Flow,
  belongs: (place: GraphPlace) => boolean,
): readonly (readonly GraphPlace[])[] {
  const places = flow.sockets.map((socket): GraphPlace => {
    const loop = loopOf(graph, socket);
    return loop?.items ? loop : socket;
  });
  if (!places.some(isGraphLoop)) return [];
  // A loop takes the number of its first socket.
  const firstOf = new Map<GraphLoop, number>();
  const numberOf = places.map((place, number) => {
    if (!isGraphLoop(place)) return number;
    const first = firstOf.get(place) ?? number;
    if (first === number) firstOf.set(place, number);
    return first;
  });
  const isOut = places.map((place) => !belongs(place));
  const next = createDigraph(places.length);
  forEachFlowStep(flow, (socket, { way, landings }) => {
    const from = numberOf[socket] ?? socket;
    if (isOut[from] === true || isTraversalCounted(way)) return;
    for (const landing of landings) {
      const to = numberOf[landing] ?? landing;
      // The number of items bounds the cycles inside a loop.
      if (isOut[to] === false && (to !== from || places[from] === flow.sockets[socket])) next[from]?.push(to);
    }
  });
  return findCycles(next)
    .map((component) => component.toSorted((a, b) => a - b).flatMap((number) => places[number] ?? []))
    .filter((round) => round.some(isGraphLoop));
}
