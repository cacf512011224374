import { socketOf } from "../compile/graph.ts";
import { acceptHandoff, acceptOutput, addFinishedTurn, modelOf } from "./apply-accepted.ts";
import type { CastEvent, EventBody, EventOf, EventType } from "./state/event.ts";
import { expectPhase, expectNotEnded, expectNotCompleted } from "./state/expect-phase.ts";
import { limitHitOf, unchangedAfterVisit } from "./limits.ts";
import {
  applyItemConflict,
  applyItemEnded,
  applyItemGivenUp,
  applyItemMerged,
  joinParallelRun,
  placeholderVisit,
  startItem,
  startParallelRun,
} from "./apply-items.ts";
import { advance, enterLoop, exhaustLoop, giveUpCurrentItem, takeEdge } from "./apply-moves.ts";
import { applyRefusal, raiseLimits, endState, addPartialTurn, resumeState } from "./apply-stops.ts";
import { countVisit, walkedAfter } from "./state/traversal-counts.ts";
import { conversationToContinue, withConversation } from "./state/conversations.ts";
import { acceptUnsatisfiedResult } from "./rework-limit.ts";
import {
  NEW_VISIT,
  NO_TURN_USAGE,
  type CastState,
  type CastFailure,
  type Visit,
  type CheckpointCommits,
  type ProviderState,
} from "./state/state.ts";
import { withValue, increment } from "./state/persistent-map.ts";
import { addUsage } from "./state/usage.ts";
import { withoutUndefined } from "../model/json.ts";
import type { Checkpoint, InitialCheckpoint, MissingCheckpoint } from "../model/checkpoint.ts";

/** The only way a cast changes: live, on resume and in the browser. Throws if the event cannot follow the state. */
export function apply(state: CastState, event: CastEvent): CastState {
  if (event.seq !== state.seq + 1) throw new Error(`event ${event.seq} cannot follow event ${state.seq}`);
  const applyEvent = APPLY_EVENT[event.type] as ApplyEvent<EventType>; // the table pairs each type with its event
  const after = applyEvent(state, event);
  // Most events make a new state that nobody else holds, so it is changed in place: a copy would cost as much as the event.
  const next: Mutable<CastState> = after === state ? { ...state } : after;
  next.files = checkpointsAfter(state, event);
  next.seq = event.seq;
  return next;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type ApplyEvent<K extends EventType> = (state: CastState, event: Extract<CastEvent, { type: K }>) => CastState;

const APPLY_EVENT: { readonly [K in EventType]: ApplyEvent<K> } = {
  cast_started: (state, event) => {
    expectPhase(state, event, "unstarted");
    const { rehearsed = false, branch } = event;
    return { ...state, rehearsed, ...withoutUndefined({ branch }), phase: firstArrival(state) };
  },
  visit_started: startVisit,
  handoff_accepted: acceptHandoff,
  output_accepted: acceptOutput,
  handoff_rejected: (state, event) => {
    const { visit } = expectPhase(state, event, "visiting");
    const repaired = { ...visit, repairs: visit.repairs + 1, turn: NO_TURN_USAGE };
    return addFinishedTurn(state, repaired, event.usage, { kind: "repair", problems: event.issues });
  },
  turn_retried: applyRefusal,
  model_switched: applyRefusal,
  cast_sleeping: applyRefusal,
  cast_woken: applyRefusal,
  turn_answered: (state, event) => {
    const { visit, ask } = expectPhase(state, event, "visiting");
    const had = addFinishedTurn(state, visit, event.usage, ask);
    const usage = addUsage(visit.usage, event.usage);
    const answered = { ...visit, ...modelOf(event), usage, turn: NO_TURN_USAGE };
    return { ...had, phase: { kind: "answered", visit: answered, reply: event.text } };
  },
  turn_stopped: (state, event) => {
    const { visit, ask } = expectPhase(state, event, "visiting");
    const { usage, ms, repeated } = event;
    return addPartialTurn(state, { visit, ask }, { usage, ms, ...withoutUndefined({ repeated }) });
  },
  turn_failed: failTurn,
  checkpoint_taken: expectVisiting,
  turn_compacted: expectVisiting,
  extension_asked: expectVisiting,
  visit_completed: completeVisit,
  visit_skipped: skipVisit,
  loop_entered: enterLoop,
  cursor_advanced: advance,
  item_given_up: (state, event) => (state.phase.kind === "forked" ? applyItemGivenUp : giveUpCurrentItem)(state, event),
  loop_exhausted: exhaustLoop,
  edge_taken: takeEdge,
  limit_reached: (state, event) => {
    expectNotEnded(state, event);
    return startFailing(state, { kind: "limit", reached: event, hit: limitHitOf(state, event) });
  },
  cast_warned: (state, event) => {
    expectNotEnded(state, event);
    return { ...state, warned: true };
  },
  cast_waiting: waitForPerson,
  person_answered: (state, event) => {
    const { visit } = expectPhase(state, event, "waiting");
    return { ...state, phase: { kind: "visiting", visit, ask: { kind: "answer", text: event.text } } };
  },
  person_finished: (state, event) => {
    const { visit, reply } = expectPhase(state, event, "waiting");
    return { ...state, phase: { kind: "visiting", visit, ask: { kind: "finish", reply: event.reply ?? reply } } };
  },
  person_judged: (state, event) => {
    if (state.phase.kind === "leaving") return acceptUnsatisfiedResult(state, event);
    const { visit } = expectPhase(state, event, "waiting");
    const { satisfied, text } = event;
    return { ...state, phase: { kind: "visiting", visit, ask: { kind: "judged", satisfied, text } } };
  },
  limits_raised: (state, event) => {
    expectNotCompleted(state, event);
    return raiseLimits(state, event);
  },
  cast_resumed: (state, event) => {
    expectNotCompleted(state, event);
    return resumeState(state, event);
  },
  cast_ended: endState,
  loop_forked: startParallelRun,
  item_started: startItem,
  item_ended: applyItemEnded,
  item_merged: applyItemMerged,
  item_conflicted: applyItemConflict,
  loop_joined: joinParallelRun,
  spent_elsewhere: (state, event) => {
    expectNotEnded(state, event);
    const { item } = state;
    return { ...state, item: item && { ...item, elsewhere: addUsage(item.elsewhere, event.usage) } };
  },
};

/** The event changes nothing in the state. */
function expectVisiting(state: CastState, event: EventBody): CastState {
  expectPhase(state, event, "visiting");
  return state;
}

/** [V29] A cast starts at the entry of its graph, the cast of an item at the entry of its loop. */
function firstArrival({ graph, item }: CastState): CastState["phase"] {
  if (!item) return { kind: "arriving", at: graph.entry, from: null, reworked: false };
  const { door, from, reasons, isFirstVisit = false } = item.window;
  return { kind: "arriving", at: door, from, reworked: reasons.length > 0 && !isFirstVisit };
}

function startVisit(state: CastState, event: EventOf<"visit_started">): CastState {
  const { at, from, reworked } = expectPhase(state, event, "arriving");
  if (at !== event.socket)
    throw new Error(`a visit of ${event.socket} cannot start while the cast is on its way to ${at}`);
  const continues =
    event.continues === undefined ? undefined : conversationToContinue(state, { at: event.socket, reworked });
  const visit: Visit = {
    socket: event.socket,
    number: event.visit,
    from,
    reworked,
    ...(continues && { continues }),
    ...NEW_VISIT,
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

function completeVisit(state: CastState, event: EventOf<"visit_completed">): CastState {
  const { visit } = expectPhase(state, event, "accepted");
  const { done, item } = state;
  const { files } = event;
  const commit = commitOf(files)?.last ?? state.files?.last ?? null;
  return {
    ...state,
    conversations: withConversation(state, visit, commit),
    providers: providersAfterVisit(state, event),
    phase: { kind: "leaving", visit, moved: "no", gaveUp: false },
    counts: unchangedAfterVisit(state, visit, event.files),
    done: { ...done, visits: done.visits + 1 },
    // [V51] A visit without changes leaves what is known.
    item: item && files ? { ...item, isResolved: "resolves" in files && files.resolves } : item,
  };
}

/** [V51] As if the agent had been satisfied, without a visit. */
function skipVisit(state: CastState, event: EventOf<"visit_skipped">): CastState {
  const { at: to, from } = expectPhase(state, event, "arriving");
  const { skips: at } = event;
  if (at !== to || !state.item) throw new Error(`${at} cannot be skipped`);
  return {
    ...state,
    satisfied: socketOf(state.graph, at).parse === "json" ? true : undefined,
    item: { ...state.item, skipped: [...state.item.skipped, at] },
    phase: { kind: "leaving", visit: placeholderVisit(at, from), moved: "no", gaveUp: false },
  };
}

/** [Z6, Z14] A completed visit ends a series of sleeps, and tells which model answered. */
function providersAfterVisit(state: CastState, { socket, model }: EventOf<"visit_completed">): ProviderState {
  const { providers, graph, pass } = state;
  if (model === undefined) return providers.sleeps === 0 ? providers : { ...providers, sleeps: 0 };
  const { materia } = socketOf(graph, socket);
  const item = pass?.cursor ?? null;
  const answered = Object.hasOwn(providers.answered, materia) ? providers.answered[materia] : undefined;
  const before = answered?.item === item ? answered.models : [];
  if (providers.sleeps === 0 && answered?.item === item && before.includes(model)) return providers;
  const models = before.includes(model) ? before : [...before, model];
  return { ...providers, sleeps: 0, answered: { ...providers.answered, [materia]: { item, models } } };
}

function waitForPerson(state: CastState, event: EventOf<"cast_waiting">): CastState {
  const { question } = event;
  if (question === undefined) return { ...state, phase: { ...expectPhase(state, event, "answered"), kind: "waiting" } };
  const { visit } = expectPhase(state, event, "visiting");
  return { ...state, phase: { kind: "waiting", visit, reply: question } };
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
