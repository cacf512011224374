import type { SocketId } from "../model/ids.ts";
import { acceptHandoff, acceptOutput, addFinishedTurn } from "./apply-accepted.ts";
import type { CastEvent, EventBody, EventOf } from "./state/event.ts";
import { expectPhase, expectNotEnded, expectNotCompleted } from "./state/expect-phase.ts";
import { limitHitOf } from "./limits.ts";
import { applyItemEvent, applyItemGivenUp } from "./apply-items.ts";
import { advance, enterLoop, exhaustLoop, giveUpCurrentItem, takeEdge } from "./apply-moves.ts";
import { raiseLimits, endState, addPartialTurn, resumeState } from "./apply-stops.ts";
import { countVisit } from "./state/traversal-counts.ts";
import { acceptUnsatisfiedResult } from "./rework-limit.ts";
import { NO_TURN_USAGE, type CastState, type CastFailure, type Visit, type CheckpointCommits } from "./state/state.ts";
import { withValue, increment } from "./state/persistent-map.ts";
import { NO_USAGE, addUsage } from "./state/usage.ts";
import type { Checkpoint, InitialCheckpoint, MissingCheckpoint } from "../model/checkpoint.ts";

/** The only way a cast changes: live, on resume and in the browser. Throws if the event cannot follow the state. */
export function apply(state: CastState, event: CastEvent): CastState {
  if (event.seq !== state.seq + 1) throw new Error(`event ${event.seq} cannot follow event ${state.seq}`);
  const after = applyBody(state, event);
  // Most events make a new state that nobody else holds, so it is changed in place: a copy would cost as much as the event.
  const next: Mutable<CastState> = after === state ? { ...state } : after;
  next.files = checkpointsAfter(state, event);
  next.seq = event.seq;
  return next;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function applyBody(state: CastState, event: EventBody): CastState {
  switch (event.type) {
    case "cast_started":
      expectPhase(state, event, "unstarted");
      return { ...state, rehearsed: event.rehearsed === true, phase: firstArrival(state) };
    case "visit_started":
      return startVisit(state, event);
    case "handoff_accepted":
      return acceptHandoff(state, event);
    case "output_accepted":
      return acceptOutput(state, event);
    case "handoff_rejected": {
      const { visit } = expectPhase(state, event, "visiting");
      return addFinishedTurn(state, { ...visit, repairs: visit.repairs + 1, turn: NO_TURN_USAGE }, event.usage, {
        kind: "repair",
        problems: event.issues,
      });
    }
    case "turn_retried": {
      const { visit, ask } = expectPhase(state, event, "visiting");
      return addFinishedTurn(state, visit, NO_USAGE, ask);
    }
    case "turn_answered": {
      const { visit, ask } = expectPhase(state, event, "visiting");
      const had = addFinishedTurn(state, visit, event.usage, ask);
      return {
        ...had,
        phase: {
          kind: "answered",
          visit: { ...visit, usage: addUsage(visit.usage, event.usage), turn: NO_TURN_USAGE },
          reply: event.text,
        },
      };
    }
    case "turn_stopped": {
      const { visit, ask } = expectPhase(state, event, "visiting");
      return addPartialTurn(state, { visit, ask }, { usage: event.usage, ms: event.ms });
    }
    case "turn_failed":
      return failTurn(state, event);
    case "checkpoint_taken":
      expectPhase(state, event, "visiting");
      return state;
    case "visit_completed": {
      const { visit } = expectPhase(state, event, "accepted");
      return {
        ...state,
        phase: { kind: "leaving", visit, moved: "no", gaveUp: false },
        done: { ...state.done, visits: state.done.visits + 1 },
      };
    }
    case "loop_entered":
      return enterLoop(state, event);
    case "cursor_advanced":
      return advance(state, event);
    case "item_given_up":
      return (state.phase.kind === "forked" ? applyItemGivenUp : giveUpCurrentItem)(state, event);
    case "loop_exhausted":
      return exhaustLoop(state, event);
    case "edge_taken":
      return takeEdge(state, event);
    case "limit_reached":
      expectNotEnded(state, event);
      return startFailing(state, { kind: "limit", reached: event, hit: limitHitOf(state, event) });
    case "cast_warned":
      expectNotEnded(state, event);
      return { ...state, warned: true };
    case "cast_waiting":
      return waitForPerson(state, event);
    case "person_answered": {
      const { visit } = expectPhase(state, event, "waiting");
      return { ...state, phase: { kind: "visiting", visit, ask: { kind: "answer", text: event.text } } };
    }
    case "person_finished": {
      const { visit, reply } = expectPhase(state, event, "waiting");
      return { ...state, phase: { kind: "visiting", visit, ask: { kind: "finish", reply: event.reply ?? reply } } };
    }
    case "person_judged": {
      if (state.phase.kind === "leaving") return acceptUnsatisfiedResult(state, event);
      const { visit } = expectPhase(state, event, "waiting");
      const { satisfied, text } = event;
      return { ...state, phase: { kind: "visiting", visit, ask: { kind: "judged", satisfied, text } } };
    }
    case "limits_raised":
      expectNotCompleted(state, event);
      return raiseLimits(state, event);
    case "cast_resumed":
      expectNotCompleted(state, event);
      return resumeState(state, event);
    case "cast_ended":
      return endState(state, event);
    default:
      return applyItemEvent(state, event);
  }
}

/** [V29] A cast starts at the entry of its graph, the cast of an item at the entry of its loop. */
function firstArrival({ graph, item }: CastState): CastState["phase"] {
  if (!item) return { kind: "arriving", at: graph.entry, from: null, reworked: false };
  const { door, from, reasons } = item.window;
  return { kind: "arriving", at: door, from, reworked: reasons.length > 0 };
}

function startVisit(state: CastState, event: EventOf<"visit_started">): CastState {
  const { at, from, reworked } = expectPhase(state, event, "arriving");
  if (at !== event.socket)
    throw new Error(`a visit of ${event.socket} cannot start while the cast is on its way to ${at}`);
  const visit: Visit = {
    socket: event.socket,
    number: event.visit,
    from,
    reworked,
    repairs: 0,
    usage: NO_USAGE,
    turn: NO_TURN_USAGE,
  };
  return {
    ...state,
    phase: { kind: "visiting", visit, ask: { kind: "begin" } },
    visits: increment(state.visits, event.socket),
    walked: walkedAfter(state.walked, event.socket),
    begun: state.begun + 1,
    lastVisits: withValue(state.lastVisits, event.socket, state.begun + 1),
    counts: { ...state.counts, returns: countVisit(state, event.socket), passedBy: {} },
  };
}

const MAX_WALKED_SOCKETS = 40;

function walkedAfter(walked: CastState["walked"], socket: SocketId): CastState["walked"] {
  const next = [...walked];
  if (next.length >= MAX_WALKED_SOCKETS) next.shift();
  next.push(socket);
  return next;
}

function waitForPerson(state: CastState, event: EventOf<"cast_waiting">): CastState {
  if (event.question !== undefined) {
    const { visit } = expectPhase(state, event, "visiting");
    return { ...state, phase: { kind: "waiting", visit, reply: event.question } };
  }
  const { visit, reply } = expectPhase(state, event, "answered");
  return { ...state, phase: { kind: "waiting", visit, reply } };
}

function startFailing(state: CastState, failure: CastFailure): CastState {
  return { ...state, phase: { kind: "failing", failure, before: state.phase } };
}

function failTurn(state: CastState, event: EventOf<"turn_failed">): CastState {
  const failure: CastFailure = { kind: "turn", socket: event.socket, message: event.message };
  if (state.phase.kind !== "visiting") return startFailing(state, failure);
  const { visit, ask } = expectPhase(state, event, "visiting");
  // A missing reply does not count as a turn: with a reply the cast continues.
  const wasTurn = event.reason !== "utility" && event.reason !== "rehearsal";
  const had = wasTurn ? addFinishedTurn(state, visit, event.usage, ask) : state;
  return startFailing(had, failure);
}

/** Records the commits of an event. Without checkpoints there are none. */
function checkpointsAfter({ files }: Pick<CastState, "files">, event: EventBody): CheckpointCommits | null {
  if (event.type === "cast_started") return initialCommits(event.files);
  if (files === null) return null;
  switch (event.type) {
    case "visit_started":
      return { ...files, visit: files.last };
    case "loop_entered":
    case "cursor_advanced":
      return { ...files, item: files.last };
    case "checkpoint_taken":
      return { ...files, last: event.files.commit };
    case "visit_completed":
      return { ...files, meanwhile: [], ...commitOf(event.files) };
    case "loop_joined":
      return { ...files, ...commitOf(event.files) };
    case "cast_resumed":
      return event.files ? { ...files, last: event.files.commit, meanwhile: event.files.names } : files;
    default:
      return files;
  }
}

function initialCommits(first: InitialCheckpoint | undefined): CheckpointCommits | null {
  if (first === undefined || "problem" in first) return null;
  const { commit } = first;
  return { base: commit, last: commit, visit: commit, item: commit, meanwhile: [] };
}

function commitOf(files: Checkpoint | MissingCheckpoint | undefined): { readonly last: string } | undefined {
  return files && "commit" in files ? { last: files.commit } : undefined;
}
