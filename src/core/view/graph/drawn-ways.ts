import { buildFlow, flowStepsOf, type Flow } from "../../compile/flow.ts";
import {
  type Graph,
  type GraphLoop,
  type GraphSocket,
  chooseEdge,
  exitForEmptyList,
  chooseExit,
  matchesCondition,
} from "../../compile/graph.ts";
import {
  END,
  type Destination,
  type SocketId,
  edgeWayId,
  emptyListWayId,
  implicitEndWayId,
  exitWayId,
  loopEndWayId,
  thenWayId,
} from "../../model/ids.ts";
import { NEXT_ITEM, type Edge, type Exit } from "../../model/loadout.ts";
import type { Stitch } from "../../compile/targets/stitch.ts";
import type { Tone } from "../line.ts";
import { conditionText, conditionTone } from "./labels.ts";

/** One way of the drawing: an authored edge or exit, an implicit way, or the line of a generator to its loop, which no cast takes. */
export interface DrawnWay {
  readonly id: string;
  readonly via: "edge" | "exit" | "none" | "items";
  /** The index of the edge in its socket, or of the exit in its loop; null for an implicit way. */
  readonly index?: number;
  readonly when: Edge["when"] | null;
  /** The condition in words, with its glyph; empty for `always`. */
  readonly label: string;
  readonly tone: Tone;
  readonly from: SocketId;
  readonly to: Destination;
  readonly maxTraversals?: number;
  /** Whether the edge leads to the next item once its traversals are used up. */
  readonly thenNext?: true;
  /** Whether this is the way of an edge whose traversals are used up. */
  readonly then?: true;
  readonly loop?: string;
}

export type GraphWays = ReturnType<typeof graphWays>;

export function graphWays(graph: Graph) {
  const flow = buildFlow(graph);
  return {
    /** In the order in which they are tried. */
    ofSocket: (socket: GraphSocket) => socketWays(socket, possibleAnswers(flow, socket)),
    ofLoop: (loop: GraphLoop) => loopWays(graph, flow, loop),
  };
}

function possibleAnswers(flow: Flow, socket: GraphSocket): readonly (boolean | undefined)[] {
  return [...new Set(flowStepsOf(flow, socket.id).map((step) => step.satisfied))];
}

function socketWays(socket: GraphSocket, answers: readonly (boolean | undefined)[]): readonly DrawnWay[] {
  const edges = socket.edges.flatMap((edge, index) => edgeWays(socket.id, edge, index));
  const covered = answers.every((answer) => chooseEdge(socket, answer).via === "edge");
  if (covered && edges.length > 0) return edges;
  const label = edges.length === 0 ? "" : "otherwise";
  return [...edges, implicitWay({ id: implicitEndWayId(socket.id), label, from: socket.id, to: END })];
}

function implicitWay(way: Pick<DrawnWay, "id" | "label" | "from" | "to" | "loop">): DrawnWay {
  return { via: "none", when: null, tone: "dim", ...way };
}

/** The way of an edge, and where it leads once its traversals are used up. */
function edgeWays(from: SocketId, { when, to, maxTraversals, then }: Edge, index: number): readonly DrawnWay[] {
  const way = { via: "edge", index, when, tone: conditionTone(when), from } as const;
  const label = when === "always" ? "" : conditionText(when);
  const counted = maxTraversals === undefined ? {} : { maxTraversals };
  const edge: DrawnWay = { ...way, id: edgeWayId(from, index), label, to, ...counted };
  if (then === undefined) return [edge];
  if (then === NEXT_ITEM) return [{ ...edge, thenNext: true }];
  return [edge, { ...way, id: thenWayId(from, index), label: "used up", to: then, then: true }];
}

function loopWays(graph: Graph, flow: Flow, loop: GraphLoop): readonly DrawnWay[] {
  const advancing = loop.sockets.flatMap((id) => graph.sockets[id] ?? []).filter(({ advance }) => advance !== null);
  const [only, ...others] = advancing;
  const exits = loop.exits.map((exit, index) =>
    exitWay(loop.id, exit, index, others.length === 0 && exit.from === only?.id),
  );
  if (!loop.items) return exits;
  const uncovered = advancing.filter((socket) =>
    exhaustingAnswers(flow, socket).some((answer) => chooseExit(loop, socket.id, answer).via === "none"),
  );
  const silent = uncovered.map(({ id: from }): DrawnWay => {
    const label = `${others.length === 0 ? "exit" : `exit from ${from}`}${exits.length === 0 ? "" : " · otherwise"}`;
    return implicitWay({ id: loopEndWayId(loop.id, from), label, from, to: END, loop: loop.id });
  });
  return [...exits, ...silent, ...emptyListWays(loop, only, silent.length > 0)];
}

/** The answers with which a socket advances its loop, and so may exhaust it. */
function exhaustingAnswers(flow: Flow, socket: GraphSocket): readonly (boolean | undefined)[] {
  const { advance } = socket;
  return advance === null ? [] : possibleAnswers(flow, socket).filter((answer) => matchesCondition(advance, answer));
}

function exitWay(loop: string, exit: Exit, index: number, alone: boolean): DrawnWay {
  const { id, from, condition: when, targetSocketId: to } = exit;
  const label = `${alone ? "exit" : `exit from ${from}`} · ${conditionText(when)}`;
  return { id: exitWayId(loop, id), index, via: "exit", when, label, tone: conditionTone(when), from, to, loop };
}

/** The way of an empty list, unless an exit shows it. */
function emptyListWays(loop: GraphLoop, member: GraphSocket | undefined, saysEnd: boolean): readonly DrawnWay[] {
  const way = exitForEmptyList(loop);
  const from = member?.id ?? loop.sockets[0];
  if (from === undefined || way.via === "exit" || (way.to === END && saysEnd)) return [];
  return [implicitWay({ id: emptyListWayId(loop.id), label: "empty list", from, to: way.to, loop: loop.id })];
}

/** `at most 3 times, then the next item`; empty for a way without a limit. */
export function traversalLimitText({ maxTraversals, thenNext }: DrawnWay): string {
  if (maxTraversals === undefined) return "";
  return `at most ${maxTraversals === 1 ? "once" : `${maxTraversals} times`}${thenNext ? ", then the next item" : ""}`;
}

/** From 1; null if the way is no stitch of the chain. */
export function stitchNumber(way: DrawnWay, stitches: readonly Stitch[]): number | null {
  const index = stitches.findIndex(({ from, to }) => from === way.from && to === way.to);
  return index === -1 ? null : index + 1;
}
