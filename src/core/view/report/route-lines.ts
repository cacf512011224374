import {
  type Graph,
  type GraphLoop,
  type GraphSocket,
  loopOf,
  socketOf,
  chooseEdge,
  matchesCondition,
} from "../../compile/graph.ts";
import type { EventOf, LimitName } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import type { Condition, Edge, Exit } from "../../model/loadout.ts";
import { conditionText, conditionTone, destinationText } from "../graph/labels.ts";
import { countOfLimitText } from "../../cast/failure-text.ts";
import { line, shortenToFit, toned, type Line, type Span } from "../line.ts";
import { oneLine, countedText } from "../../model/text.ts";
import { leftText, amountText, costText } from "../numbers.ts";

type EdgeTaken = EventOf<"edge_taken">;

/** [C15] The way that the cast took, and why it took no other. */
export function routeLines(before: CastState, event: EdgeTaken, width: number): readonly Line[] {
  return routeParts(before, event).map((parts) => shortenToFit(parts, width));
}

/** A way, which may be shortened, and its reason, which may not. */
type RouteLineParts = Parameters<typeof shortenToFit>[0];

function routeParts(before: CastState, event: EdgeTaken): readonly RouteLineParts[] {
  const socket = socketOf(before.graph, event.from);
  const loop = loopOf(before.graph, socket);
  const { phase } = before;
  if (phase.kind === "bypassing" && loop)
    return emptyRoute(before.graph, before.graph.loops[phase.loop] ?? loop, event);
  const moved = phase.kind === "leaving" ? phase.moved : "no";
  if (moved === "exhausted" && loop) return exhaustedRoute(before, socket, loop, event);
  return edgeRoute(before, socket, loop, event);
}

/** [C15] The limit. If it closed a way, the other ways follow, each with its reason. */
export function limitReachedLines(before: CastState, event: EventOf<"limit_reached">, width: number): readonly Line[] {
  const { graph, satisfied, phase } = before;
  const socket = socketOf(graph, event.where.socket);
  const way = chooseEdge(socket, satisfied);
  if (phase.kind !== "leaving" || phase.moved === "exhausted" || way.via !== "edge")
    return [line(toned("bad", limitReachedText(event)))];
  // The head of the visit names the item.
  const { item: _item, ...where } = event.where;
  const why = limitReachedText({ ...event, where });
  const refused = takenWay(toned("bad", edgeText(graph, way.edge)), toned("bad", `: not taken, ${why}`));
  return [refused, ...otherEdges(before, socket, way.index)].map((parts) => shortenToFit(parts, width));
}

function otherEdges({ graph, satisfied }: CastState, { edges }: GraphSocket, taken: number | null) {
  return edges.flatMap((edge, index) => {
    const why = matchesCondition(edge.when, satisfied) ? "an earlier edge matched" : satisfiedText(satisfied);
    return index === taken ? [] : [notTaken(edgeText(graph, edge), why)];
  });
}

/** The first edge that matches wins. */
function edgeRoute(before: CastState, socket: GraphSocket, loop: GraphLoop | undefined, event: EdgeTaken) {
  const { satisfied, phase, pass } = before;
  const advanced = phase.kind === "leaving" && phase.moved === "advanced";
  return [
    takenLine(before, socket, event),
    ...otherEdges(before, socket, event.index),
    ...(advanced && loop?.exits.some(({ from }) => from === socket.id)
      ? [routeNote("exits not tried: items remain")]
      : []),
    ...(!advanced && socket.advance !== null && loop?.items && pass
      ? [routeNote(`not on to the next item: ${satisfiedText(satisfied)}`)]
      : []),
  ];
}

function takenLine({ graph, satisfied }: CastState, socket: GraphSocket, event: EdgeTaken): RouteLineParts {
  if (event.via === "none") {
    const why = socket.edges.length === 0 ? "it has no edges" : `no edge matched, ${satisfiedText(satisfied)}`;
    return implicitRoute(graph, event, why);
  }
  const edge = socket.edges[event.index ?? -1];
  const way = edgeText(graph, { when: event.when ?? "always", to: event.to });
  if (event.then) {
    const most = edge?.maxTraversals ?? 0;
    const used = edge ? `: ${most} of ${most} times to ${destinationText(graph, edge.to)} are used up` : "";
    return takenWay(takenSpan(event.when, way), toned("dim", used));
  }
  const times = edge?.maxTraversals === undefined ? "" : `, ${countOfLimitText(event.traversal, edge.maxTraversals)}`;
  return takenWay(takenSpan(event.when, way), times);
}

function takenWay(long: Span, why: string | Span = ""): RouteLineParts {
  return { before: [], long, after: line(why) };
}

/** An implicit end, or the implicit way past an empty list. */
function implicitRoute(graph: Graph, { to }: EdgeTaken, why: string): RouteLineParts {
  return takenWay(toned("strong", `→ ${destinationText(graph, to)}`), toned("dim", `: ${why}`));
}

function takenSpan(when: Condition | null, text: string) {
  return toned(when === null || when === "always" ? "strong" : conditionTone(when), text);
}

function edgeText(graph: Graph, { when, to }: Pick<Edge, "when" | "to">): string {
  return `${when === "always" ? "" : `${conditionText(when)} `}→ ${destinationText(graph, to)}`;
}

function exitText(graph: Graph, { condition, targetSocketId }: Exit): string {
  return `exit · ${conditionText(condition)} → ${destinationText(graph, targetSocketId)}`;
}

function notTaken(way: string, why: string): RouteLineParts {
  return { before: line("  "), long: toned("dim", way), after: line(toned("dim", `: not taken, ${why}`)) };
}

function routeNote(text: string): RouteLineParts {
  return { before: line("  "), long: toned("dim", text), after: [] };
}

function satisfiedText(satisfied: boolean | undefined): string {
  return satisfied === undefined ? "satisfied was not given" : `satisfied was ${satisfied}`;
}

/** After the last item only exits count. */
function exhaustedRoute({ graph, satisfied }: CastState, socket: GraphSocket, loop: GraphLoop, event: EdgeTaken) {
  const own = loop.exits.filter(({ from }) => from === socket.id);
  const others = own.filter((exit) => exit !== loop.exits[event.index ?? -1]);
  const preferred = event.when === null || event.when === "always" ? undefined : event.when.replace("_", " ");
  const why = (exit: Exit): string =>
    exit.condition === "always" && preferred !== undefined
      ? `exit ${preferred} preferred to always`
      : satisfiedText(satisfied);
  const foreign = loop.exits.filter(({ from }) => from !== socket.id);
  return [
    exitLine(graph, loop, event, own.length === 0 ? "all items done" : `no exit matched, ${satisfiedText(satisfied)}`),
    ...others.map((exit) => notTaken(exitText(graph, exit), why(exit))),
    ...foreign.map((exit) => notTaken(exitText(graph, exit), `it belongs to ${destinationText(graph, exit.from)}`)),
    ...(socket.edges.length === 0 ? [] : [routeNote("edges not tried: all items are done")]),
  ];
}

function exitLine(graph: Graph, loop: GraphLoop, event: EdgeTaken, whyNone: string): RouteLineParts {
  const exit = loop.exits[event.index ?? -1];
  if (exit) return takenWay(takenSpan(exit.condition, exitText(graph, exit)));
  return implicitRoute(graph, event, whyNone);
}

/** An empty list has no answer, so only `always` matches. */
function emptyRoute(graph: Graph, loop: GraphLoop, event: EdgeTaken): readonly RouteLineParts[] {
  const others = loop.exits.filter((_, index) => index !== event.index);
  const why = ({ condition }: Exit): string =>
    condition === "always" ? "an earlier exit stands first" : "the list was empty";
  return [
    exitLine(graph, loop, event, "the list was empty and no exit is taken always"),
    ...others.map((exit) => notTaken(exitText(graph, exit), why(exit))),
  ];
}

export function limitReachedText({ limit, value, where }: EventOf<"limit_reached">): string {
  const isBudget = limit === "maxTokens" || limit === "maxCostUsd";
  const item = where.item === undefined || isBudget ? "" : ` for “${oneLine(where.item.title, 60)}”`;
  return `limit reached: ${LIMIT_TEXTS[limit](value, countOfLimitText(where.taken ?? value, value))}${item}`;
}

const LIMIT_TEXTS: Readonly<Record<LimitName, (value: number, count: string) => string>> = {
  maxTokens: (value) => `the budget of ${amountText(value)} tokens is used`,
  maxCostUsd: (value) => `the budget of ${costText(value)} is used`,
  maxTurnTokens: (value) => `${amountText(value)} tokens in one turn`,
  maxTurnMinutes: (value) => `${countedText(value, "minute")} in one turn`,
  maxTraversals: (_, count) => `${count} times`,
  maxUnchanged: (_, count) => `${count} times sent back without a changed file`,
  maxNoAdvanceCycles: (_, count) => `${count} returns without progress`,
  maxRepairs: (_, count) => `${count} repair turns used`,
  maxRepeatedCalls: (value) => `the same tool call ${value} times in a row`,
  maxConflicts: (_, count) => `${count} times done again because of a conflict`,
};

export function budgetWarningText({ limit, used, of }: EventOf<"cast_warned">): string {
  const text = limit === "maxTokens" ? amountText : costText;
  return `warning: ${text(used)} of ${text(of)}${limit === "maxTokens" ? " tokens" : ""} are used`;
}

export function limitsRaisedText(event: EventOf<"limits_raised">): string {
  const { maxTokens, maxCostUsd, allow, hint, items, waitForProvider } = event;
  // A decision about items is no limit.
  if (items) return `what was sent back too often is ${items === "accept" ? "accepted as it is" : "given up"}`;
  const parts = [
    maxTokens !== undefined && `budget ${amountText(maxTokens)} tokens`,
    maxCostUsd !== undefined && `budget ${costText(maxCostUsd)}`,
    allow !== undefined && `${allow} more allowed`,
    waitForProvider !== undefined && `${leftText(waitForProvider)} of sleep allowed`,
    hint !== undefined && `with “${oneLine(hint, 200)}”`,
  ];
  return `limits raised: ${parts.filter(Boolean).join(", ") || "nothing"}`;
}
