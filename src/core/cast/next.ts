import type { Graph, GraphSocket } from "../compile/graph.ts";
import { loopOf, materiaOf, socketOf } from "../compile/graph.ts";
import { edgeFor, emptyExit, exitFor, matches } from "../compile/route.ts";
import type { Way } from "../compile/route.ts";
import { itemKey } from "../model/handoff.ts";
import { END } from "../model/ids.ts";
import type { SocketId } from "../model/ids.ts";
import { never } from "../model/never.ts";
import { acceptReply, decide } from "./decide.ts";
import type { EventBody } from "./event.ts";
import { budgetWarning, limitInTurn, limitOfRepair, limitOfTurn, limitOfWay, traversalKey } from "./limits.ts";
import { listAt } from "./list.ts";
import { failureText } from "./reason.ts";
import { NOTHING_USED, currentItem } from "./state.ts";
import type { Ask, CastState, Phase, Visit } from "./state.ts";
import { questionText } from "./question.ts";
import { countOf } from "./tally.ts";
import { totalsOf } from "./totals.ts";

/** What is to be done now. It depends on the state alone, so that start, resume and continue are one path. */
export type Effect =
  /** Nothing but a decision: write these and ask again. */
  | { readonly kind: "record"; readonly events: readonly EventBody[] }
  | { readonly kind: "agent"; readonly socket: GraphSocket; readonly visit: Visit; readonly ask: Ask }
  | { readonly kind: "utility"; readonly socket: GraphSocket; readonly visit: Visit }
  | { readonly kind: "wait"; readonly socket: GraphSocket; readonly visit: Visit }
  | { readonly kind: "stop"; readonly phase: Extract<Phase, { kind: "ended" }> };

export function next(state: CastState): Effect {
  const { phase } = state;
  switch (phase.kind) {
    case "unstarted":
      return record({ type: "cast_started", castId: state.castId, request: state.request, loadout: state.graph.name });
    case "arriving":
      return arrive(state, phase);
    case "bypassing":
      return bypass(state, phase);
    case "visiting":
      return visit(state, phase);
    case "answered":
      return record({ type: "cast_waiting", socket: phase.visit.socket, visit: phase.visit.number });
    case "waiting":
      return { kind: "wait", socket: socketOf(state.graph, phase.visit.socket), visit: phase.visit };
    case "accepted": {
      const { socket, number, usage } = phase.visit;
      const totals = totalsOf({ ...state, done: { ...state.done, visits: state.done.visits + 1 } });
      return record({ type: "visit_completed", socket, visit: number, usage, totals });
    }
    case "leaving":
      return leave(state, phase);
    case "failing":
      return record({
        type: "cast_ended",
        outcome: "failed",
        reason: failureText(state, phase.failure),
        totals: totalsOf(state),
      });
    case "ended":
      return { kind: "stop", phase };
    default:
      return never(phase);
  }
}

function record(...events: readonly EventBody[]): Effect {
  return { kind: "record", events };
}

function arrive(state: CastState, { at }: Extract<Phase, { kind: "arriving" }>): Effect {
  if (at === END) {
    // [G5] However the end is reached: the last answer decides what kind of end it is.
    const outcome = state.satisfied === false ? "not_satisfied" : "completed";
    const reason = outcome === "completed" ? "the graph reached its end" : (state.handed?.reason ?? "");
    return record({ type: "cast_ended", outcome, reason, totals: totalsOf(state) });
  }
  const socket = socketOf(state.graph, at);
  const loop = loopOf(state.graph, socket);
  if (loop?.items && state.pass?.loop !== loop.id) {
    const list = listAt(state, loop.items);
    if (typeof list === "string") return record(failed(state, socket.id, list));
    return record({ type: "loop_entered", loop: loop.id, size: list.length });
  }
  if (loop?.items && state.pass?.items.length === 0)
    return record({ type: "loop_exhausted", loop: loop.id, by: "empty" });
  if (isAgent(state.graph, socket)) {
    const limit = limitOfTurn(state, at);
    if (limit) return record(limit);
    const message = budgetWarning(state);
    if (message !== undefined) return record({ type: "cast_warned", message });
  }
  return record({
    type: "visit_started",
    socket: at,
    materia: socket.materia,
    visit: countOf(state.visits, at) + 1,
    item: itemOf(state),
  });
}

function itemOf(state: CastState) {
  const item = currentItem(state);
  const index = state.pass?.cursor ?? 0;
  return item === null ? null : { index, key: itemKey(index), title: item.title };
}

function failed(state: CastState, socket: SocketId, message: string): EventBody {
  const visit = countOf(state.visits, socket);
  return { type: "turn_failed", socket, visit, reason: "state", message, usage: { input: 0, output: 0, cost: 0 } };
}

function bypass(state: CastState, { loop: id, member }: Extract<Phase, { kind: "bypassing" }>): Effect {
  const loop = state.graph.loops[id];
  if (!loop) throw new Error(`the graph has no loop ${id}`);
  const way = emptyExit(loop);
  const from = way.via === "exit" ? way.exit.from : member;
  return record(limitOfWay(state, from, way) ?? edgeTaken(state, from, way));
}

function visit(state: CastState, { visit, ask }: Extract<Phase, { kind: "visiting" }>): Effect {
  const socket = socketOf(state.graph, visit.socket);
  const materia = materiaOf(state.graph, socket);
  if (ask.kind === "judged") return record(decide(state, socket, ask));
  if (materia.type === "utility") return { kind: "utility", socket, visit };
  if (materia.type === "person") {
    const question = questionText(state, materia);
    return record({ type: "cast_waiting", socket: socket.id, visit: visit.number, question });
  }
  if (ask.kind === "finish") {
    const accepted = acceptReply(state, socket, visit, ask.reply);
    if (accepted) return record(accepted);
  }
  const limit =
    (ask.kind === "repair" ? limitOfRepair(state, visit) : undefined) ?? limitInTurn(state, visit, NOTHING_USED);
  return limit ? record(limit) : { kind: "agent", socket, visit, ask };
}

/** [O6] Advance, then the exits when the list is exhausted, else the first edge that matches; then the limits. */
function leave(state: CastState, { visit, moved }: Extract<Phase, { kind: "leaving" }>): Effect {
  const socket = socketOf(state.graph, visit.socket);
  const loop = loopOf(state.graph, socket);
  if (
    moved === "no" &&
    loop?.items &&
    state.pass &&
    socket.advance !== null &&
    matches(socket.advance, state.satisfied)
  ) {
    return record({
      type: "cursor_advanced",
      loop: loop.id,
      index: state.pass.cursor + 1,
      size: state.pass.items.length,
    });
  }
  if (moved === "advanced" && loop && state.pass && state.pass.cursor >= state.pass.items.length) {
    return record({ type: "loop_exhausted", loop: loop.id, by: "advance" });
  }
  const way =
    moved === "exhausted" && loop ? exitFor(loop, socket.id, state.satisfied) : edgeFor(socket, state.satisfied);
  return record(limitOfWay(state, socket.id, way) ?? edgeTaken(state, socket.id, way));
}

function edgeTaken(state: CastState, from: SocketId, way: Way): EventBody {
  const { scope, key } = traversalKey(state, from, way);
  return {
    type: "edge_taken",
    from,
    to: way.to,
    when: way.via === "edge" ? way.edge.when : way.via === "exit" ? way.exit.condition : null,
    via: way.via,
    index: way.via === "none" ? null : way.index,
    traversal: countOf(state.counts[scope], key) + 1,
    ...(way.via === "exit" ? { exit: way.exit.id } : {}),
  };
}

function isAgent(graph: Graph, socket: GraphSocket): boolean {
  return materiaOf(graph, socket).type === "agent";
}
