import { type Graph, type GraphLoop, type GraphSocket, loopOf, socketOf } from "../../compile/graph.ts";
import { edgeFor, matches } from "../../compile/route.ts";
import type { EventOf } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import type { Condition, Edge, Exit } from "../../model/loadout.ts";
import { conditionText, conditionTone, placeText } from "../graph/words.ts";
import { ofText } from "../../cast/words/of-text.ts";
import { line, squeeze, toned, type Line } from "../text/line.ts";
import { limitText } from "./limit.ts";

type EdgeTaken = EventOf<"edge_taken">;

/** [C15] The way that was taken, and why each other one was not. */
export function routeLines(before: CastState, event: EdgeTaken, width: number): readonly Line[] {
  return routeOf(before, event).map((told) => squeeze(told, width));
}

/** A way that may be shortened, and the reason behind it, which may not. */
type RouteLine = Parameters<typeof squeeze>[0];

function routeOf(before: CastState, event: EdgeTaken): readonly RouteLine[] {
  const socket = socketOf(before.graph, event.from);
  const loop = loopOf(before.graph, socket);
  const { phase } = before;
  if (phase.kind === "bypassing" && loop)
    return emptyRoute(before.graph, before.graph.loops[phase.loop] ?? loop, event);
  const moved = phase.kind === "leaving" ? phase.moved : "no";
  if (moved === "exhausted" && loop) return exhaustedRoute(before, socket, loop, event);
  return edgeRoute(before, socket, loop, event);
}

/** [C15] The limit that was reached; where it closed a way, the others were not taken for their own reasons. */
export function limitLines(before: CastState, event: EventOf<"limit_reached">, width: number): readonly Line[] {
  const { graph, satisfied, phase } = before;
  const socket = socketOf(graph, event.where.socket);
  const way = edgeFor(socket, satisfied);
  if (phase.kind !== "leaving" || phase.moved === "exhausted" || way.via !== "edge")
    return [line(toned("bad", limitText(event)))];
  // The item stands in the head of the visit.
  const { item: _item, ...where } = event.where;
  const why = limitText({ ...event, where });
  const others = socket.edges.flatMap((edge, index) =>
    index === way.index ? [] : [notTaken(edgeText(graph, edge), whyNot(edge.when, satisfied))],
  );
  const refused: RouteLine = {
    before: [],
    long: toned("bad", edgeText(graph, way.edge)),
    after: line(toned("bad", `: not taken, ${why}`)),
  };
  return [refused, ...others].map((told) => squeeze(told, width));
}

/** The first edge that matches; what stands behind it is not asked. */
function edgeRoute(
  before: CastState,
  socket: GraphSocket,
  loop: GraphLoop | undefined,
  event: EdgeTaken,
): readonly RouteLine[] {
  const { graph, satisfied, phase } = before;
  const others = socket.edges.flatMap((edge, index) =>
    index === event.index ? [] : [notTaken(edgeText(graph, edge), whyNot(edge.when, satisfied))],
  );
  const advanced = phase.kind === "leaving" && phase.moved === "advanced";
  return [
    takenLine(before, socket, event),
    ...others,
    ...exitsAside(socket, loop, advanced),
    ...stayed(before, socket, loop, advanced),
  ];
}

function takenLine({ graph, satisfied }: CastState, socket: GraphSocket, event: EdgeTaken): RouteLine {
  if (event.via === "none") {
    const why = socket.edges.length === 0 ? "it has no edges" : `no edge matched, ${saidText(satisfied)}`;
    return silent(graph, event, why);
  }
  const edge = socket.edges[event.index ?? -1];
  const way = edgeText(graph, { when: event.when ?? "always", to: event.to });
  if (event.then) {
    const used = edge
      ? `: ${edge.maxTraversals ?? 0} of ${edge.maxTraversals ?? 0} times to ${placeText(graph, edge.to)} are used up`
      : "";
    return { before: [], long: takenSpan(event.when, way), after: line(toned("dim", used)) };
  }
  const times = edge?.maxTraversals === undefined ? "" : `, ${ofText(event.traversal, edge.maxTraversals)}`;
  return { before: [], long: takenSpan(event.when, way), after: line(times) };
}

/** An end, or a way round an empty list, that nobody wrote. */
function silent(graph: Graph, { to }: EdgeTaken, why: string): RouteLine {
  return { before: [], long: toned("strong", `→ ${placeText(graph, to)}`), after: line(toned("dim", `: ${why}`)) };
}

function takenSpan(when: Condition | null, text: string) {
  return toned(when === null || when === "always" ? "strong" : conditionTone(when), text);
}

function edgeText(graph: Graph, { when, to }: Pick<Edge, "when" | "to">): string {
  return `${when === "always" ? "" : `${conditionText(when)} `}→ ${placeText(graph, to)}`;
}

function exitText(graph: Graph, { condition, targetSocketId }: Exit): string {
  return `exit · ${conditionText(condition)} → ${placeText(graph, targetSocketId)}`;
}

function notTaken(way: string, why: string): RouteLine {
  return { before: line("  "), long: toned("dim", way), after: line(toned("dim", `: not taken, ${why}`)) };
}

function aside(text: string): RouteLine {
  return { before: line("  "), long: toned("dim", text), after: [] };
}

function whyNot(when: Condition, satisfied: boolean | undefined): string {
  return matches(when, satisfied) ? "an earlier edge matched" : saidText(satisfied);
}

function saidText(satisfied: boolean | undefined): string {
  return satisfied === undefined ? "satisfied was not given" : `satisfied was ${satisfied}`;
}

/** The exits of this socket's own loop, where it has some and they were not due. */
function exitsAside(socket: GraphSocket, loop: GraphLoop | undefined, advanced: boolean): readonly RouteLine[] {
  if (!advanced || !loop?.exits.some(({ from }) => from === socket.id)) return [];
  return [aside("exits not asked: the list is not exhausted")];
}

function stayed(
  { satisfied, pass }: CastState,
  socket: GraphSocket,
  loop: GraphLoop | undefined,
  advanced: boolean,
): readonly RouteLine[] {
  if (advanced || socket.advance === null || !loop?.items || !pass) return [];
  return [aside(`not on to the next item: ${saidText(satisfied)}`)];
}

/** After the last item the exits alone decide. */
function exhaustedRoute(
  { graph, satisfied }: CastState,
  socket: GraphSocket,
  loop: GraphLoop,
  event: EdgeTaken,
): readonly RouteLine[] {
  const own = loop.exits.filter(({ from }) => from === socket.id);
  const others = own.filter((exit) => exit !== loop.exits[event.index ?? -1]);
  const preferred = event.when === null || event.when === "always" ? undefined : event.when.replace("_", " ");
  const why = (exit: Exit): string =>
    exit.condition === "always" && preferred !== undefined
      ? `exit ${preferred} preferred to always`
      : saidText(satisfied);
  const foreign = loop.exits.filter(({ from }) => from !== socket.id);
  return [
    exitLine(
      graph,
      loop,
      event,
      own.length === 0 ? "the loop has no exit here" : `no exit matched, ${saidText(satisfied)}`,
    ),
    ...others.map((exit) => notTaken(exitText(graph, exit), why(exit))),
    ...foreign.map((exit) => notTaken(exitText(graph, exit), `it belongs to ${placeText(graph, exit.from)}`)),
    ...(socket.edges.length === 0 ? [] : [aside("edges not asked: the list was exhausted")]),
  ];
}

function exitLine(graph: Graph, loop: GraphLoop, event: EdgeTaken, whyNone: string): RouteLine {
  const exit = loop.exits[event.index ?? -1];
  if (exit) return { before: [], long: takenSpan(exit.condition, exitText(graph, exit)), after: [] };
  return silent(graph, event, whyNone);
}

/** Nothing to walk: nobody said anything, so only `always` counts. */
function emptyRoute(graph: Graph, loop: GraphLoop, event: EdgeTaken): readonly RouteLine[] {
  const others = loop.exits.filter((_, index) => index !== event.index);
  return [
    exitLine(graph, loop, event, "the list was empty and no exit is taken always"),
    ...others.map((exit) =>
      notTaken(
        exitText(graph, exit),
        exit.condition === "always" ? "an earlier exit stands first" : "the list was empty",
      ),
    ),
  ];
}
