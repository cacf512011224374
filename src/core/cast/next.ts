import {
  type GraphSocket,
  loopOf,
  materiaOf,
  socketOf,
  IMPLICIT_END,
  chooseEdge,
  exitForEmptyList,
  chooseExit,
  countsForNextItem,
  exitForGivenUp,
  matchesCondition,
  type Way,
} from "../compile/graph.ts";
import { itemKey } from "../model/handoff.ts";
import { END, type SocketId } from "../model/ids.ts";
import { materiaMayWrite } from "../model/materia.ts";
import { NEXT_ITEM } from "../model/loadout.ts";
import { acceptReply, decide } from "./decide.ts";
import type { EventBody } from "./state/event.ts";
import { conversationToContinue, type SocketConversation } from "./state/conversations.ts";
import {
  budgetWarning,
  checkLimitDuringTurn,
  checkBypassLimit,
  checkEntryLimit,
  checkRepairLimit,
  checkReturnLimit,
  checkTurnLimit,
  checkUnchangedLimit,
  checkTraversalLimit,
} from "./limits.ts";
import { isSkipped, nextForParallelRun, type ParallelEffect } from "./item-runs.ts";
import { readLoopList } from "./item-lists.ts";
import { endReasonText, failureText } from "./failure-text.ts";
import {
  NO_TURN_USAGE,
  type TurnReason,
  type CastState,
  type CastPhase,
  type SleepingPhase,
  type Visit,
} from "./state/state.ts";
import { currentItem } from "./state/current-item.ts";
import type { Checkpoint, InitialCheckpoint, MissingCheckpoint } from "../model/checkpoint.ts";
import { questionText } from "./prompt-text.ts";
import { countOf } from "./state/persistent-map.ts";
import { totalsOf } from "./state/usage.ts";
import { traversalCount, traversalScopeOf } from "./state/traversal-counts.ts";

/** The next effect. It depends only on the state, so start, resume and continue are one path. */
export type Effect =
  /** Only a decision: write these events and ask again. */
  | { readonly kind: "record"; readonly events: readonly EventBody[] }
  | { readonly kind: "agent"; readonly socket: GraphSocket; readonly visit: Visit; readonly ask: TurnReason }
  | { readonly kind: "utility"; readonly socket: GraphSocket; readonly visit: Visit }
  | { readonly kind: "checkpoint"; readonly socket: GraphSocket; readonly visit: Visit }
  | { readonly kind: "wait"; readonly socket: GraphSocket; readonly visit: Visit }
  /** [Z3] Sleep, unless a person must continue. */
  | { readonly kind: "sleep"; readonly phase: SleepingPhase }
  | ParallelEffect
  | { readonly kind: "stop"; readonly phase: Extract<CastPhase, { kind: "ended" }> };

export function next(state: CastState): Effect {
  const { phase } = state;
  switch (phase.kind) {
    case "unstarted":
      return record(startedEvent(state));
    case "arriving":
      return arrive(state, phase);
    case "forked":
      return nextForParallelRun(state, phase.fork);
    case "bypassing":
      return bypass(state, phase);
    case "visiting":
      return visit(state, phase);
    case "answered":
      return record({ type: "cast_waiting", socket: phase.visit.socket, visit: phase.visit.number });
    case "waiting":
      return { kind: "wait", socket: socketOf(state.graph, phase.visit.socket), visit: phase.visit };
    case "sleeping":
      return { kind: "sleep", phase };
    case "accepted": {
      const socket = socketOf(state.graph, phase.visit.socket);
      const isKept = state.files !== null && materiaMayWrite(materiaOf(state.graph, socket));
      return isKept
        ? { kind: "checkpoint", socket, visit: phase.visit }
        : record(visitCompletedEvent(state, phase.visit));
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
  }
}

export function startedEvent(
  state: CastState,
  files?: InitialCheckpoint,
): Extract<EventBody, { type: "cast_started" }> {
  const { castId, request, graph, rehearsed } = state;
  return {
    type: "cast_started",
    castId,
    request,
    loadout: graph.name,
    ...(files ? { files } : {}),
    ...(rehearsed ? { rehearsed } : {}),
  };
}

export function visitCompletedEvent(
  state: CastState,
  { socket, number, model, usage }: Visit,
  files?: Checkpoint | MissingCheckpoint,
): EventBody {
  const { done, usage: used } = state;
  const totals = totalsOf({ usage: used, done: { ...done, visits: done.visits + 1 } });
  return {
    type: "visit_completed",
    socket,
    visit: number,
    ...(model === undefined ? undefined : { model }),
    usage,
    totals,
    ...(files ? { files } : undefined),
  };
}

function record(...events: readonly EventBody[]): Effect {
  return { kind: "record", events };
}

function arrive(state: CastState, phase: Extract<CastPhase, { kind: "arriving" }>): Effect {
  const { at } = phase;
  if (at === END) {
    // [G5, G35] The last answer and given-up items decide the outcome, on every way to the end.
    const outcome = state.satisfied === false || state.givenUp.count > 0 ? "not_satisfied" : "completed";
    return record({ type: "cast_ended", outcome, reason: endReasonText(state), totals: totalsOf(state) });
  }
  const socket = socketOf(state.graph, at);
  const loop = loopOf(state.graph, socket);
  if (loop?.items && state.pass?.loop !== loop.id) {
    const list = readLoopList(state, loop);
    if (typeof list === "string") return record(failed(state, socket.id, list));
    return record({ type: "loop_entered", loop: loop.id, size: list.length });
  }
  if (loop?.items && state.pass?.items.length === 0)
    return record(
      checkBypassLimit(state, phase, { at, loop: loop.id }) ?? { type: "loop_exhausted", loop: loop.id, by: "empty" },
    );
  const entries = loop?.items ? checkEntryLimit(state, phase, at) : undefined;
  if (entries) return record(entries);
  if (loop?.parallel !== undefined && state.pass?.oneByOne === false) {
    // [V50] What one item counts for the next cannot be known while both run.
    if (countsForNextItem(state.graph, loop))
      return record({ type: "loop_forked", loop: loop.id, lanes: loop.parallel, base: null, reason: COUNTS_FOR_NEXT });
    return { kind: "fork", loop };
  }
  if (isSkipped(state, socket, phase.reworked))
    return record({ type: "visit_skipped", skips: at, materia: socket.materia });
  const returns = checkReturnLimit(state, phase, at);
  if (returns) return record(returns);
  if (materiaOf(state.graph, socket).type === "agent") {
    const limit = checkTurnLimit(state, at);
    if (limit) return record(limit);
    const warning = budgetWarning(state);
    if (warning) return record(warning);
  }
  return record({
    type: "visit_started",
    socket: at,
    materia: socket.materia,
    visit: countOf(state.visits, at) + 1,
    item: currentItemFacts(state),
    ...continuedVisit(conversationToContinue(state, { at, reworked: phase.reworked })),
  });
}

const COUNTS_FOR_NEXT = "an edge after an advance has maxTraversals, which count for the next item";

function continuedVisit(last: SocketConversation | undefined) {
  if (!last) return {};
  return { continues: last.visit, ...(last.castId === undefined ? undefined : { continuesFrom: last.castId }) };
}

function currentItemFacts(state: CastState) {
  const item = currentItem(state);
  const index = state.pass?.cursor ?? 0;
  return item === null ? null : { index, key: itemKey(index), title: item.title };
}

function failed(state: CastState, socket: SocketId, message: string): EventBody {
  const visit = countOf(state.visits, socket);
  return { type: "turn_failed", socket, visit, reason: "state", message, usage: { input: 0, output: 0, cost: 0 } };
}

function bypass(state: CastState, { loop: id, member }: Extract<CastPhase, { kind: "bypassing" }>): Effect {
  const loop = state.graph.loops[id];
  if (!loop) throw new Error(`the graph has no loop ${id}`);
  const way = exitForEmptyList(loop);
  const from = way.via === "exit" ? way.exit.from : member;
  return record(edgeTakenEvent(state, from, way));
}

function visit(state: CastState, { visit, ask }: Extract<CastPhase, { kind: "visiting" }>): Effect {
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
    (ask.kind === "repair" ? checkRepairLimit(state, visit) : undefined) ??
    checkLimitDuringTurn(state, visit, NO_TURN_USAGE);
  return limit ? record(limit) : { kind: "agent", socket, visit, ask };
}

/** [O6] Advance, then the exits if the list is exhausted, else the first edge that matches; then the limits. */
function leave(state: CastState, phase: Extract<CastPhase, { kind: "leaving" }>): Effect {
  const { visit, moved, gaveUp } = phase;
  const socket = socketOf(state.graph, visit.socket);
  const loop = loopOf(state.graph, socket);
  const { pass } = state;
  if (
    moved === "no" &&
    loop?.items &&
    pass &&
    (gaveUp || (socket.advance !== null && matchesCondition(socket.advance, state.satisfied)))
  )
    return record({ type: "cursor_advanced", loop: loop.id, index: pass.cursor + 1, size: pass.items.length });
  if (moved === "advanced" && loop && pass && pass.cursor >= pass.end)
    return record({ type: "loop_exhausted", loop: loop.id, by: "advance" });
  if (moved === "exhausted" && loop) {
    // [V29] The parent decides where the loop leads.
    const way = state.item ? IMPLICIT_END : (gaveUp ? exitForGivenUp : chooseExit)(loop, socket.id, state.satisfied);
    return record(edgeTakenEvent(state, socket.id, way));
  }
  const way = chooseEdge(socket, state.satisfied);
  return record(gaveUp ? nextItemEvent(state, socket.id, way) : followWay(state, socket.id, way, moved));
}

/** [G8, G27] The way, or its `then` if it is used up; without `then` that is a limit. */
function followWay(state: CastState, from: SocketId, way: Way, moved: "no" | "advanced" | "exhausted"): EventBody {
  const limit = checkTraversalLimit(state, from, way);
  if (!limit)
    return (moved === "no" ? checkUnchangedLimit(state, from, way) : undefined) ?? edgeTakenEvent(state, from, way);
  const then = way.via === "edge" ? way.edge.then : undefined;
  if (then === undefined || way.via !== "edge" || (then === NEXT_ITEM && state.pass === null)) return limit;
  if (then !== NEXT_ITEM) return edgeTakenEvent(state, from, { ...way, to: then, then: true });
  // After an advance the next item is current, so there is nothing to give up.
  if (moved === "advanced" || !state.pass) return nextItemEvent(state, from, way);
  const reason = state.satisfied === false ? (state.handed?.reason ?? "") : "";
  return { type: "item_given_up", loop: state.pass.loop, index: state.pass.cursor, reason };
}

/** [G28] An item starts where the loop was entered. */
function nextItemEvent(state: CastState, from: SocketId, way: Way): EventBody {
  if (way.via !== "edge" || !state.pass) throw new Error(`${from} gave up an item outside a loop`);
  return edgeTakenEvent(state, from, { ...way, to: state.pass.door, then: true });
}

function edgeTakenEvent(state: CastState, from: SocketId, way: Way): EventBody {
  return {
    type: "edge_taken",
    from,
    to: way.to,
    when: way.via === "edge" ? way.edge.when : way.via === "exit" ? way.exit.condition : null,
    via: way.via,
    index: way.via === "none" ? null : way.index,
    traversal: traversalCount(state, "taken", traversalScopeOf(state, from, way)) + 1,
    ...(way.via === "exit" ? { exit: way.exit.id } : undefined),
    ...(way.via === "edge" && way.then ? { then: way.then } : undefined),
  };
}
