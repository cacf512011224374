import { materiaOf, socketOf } from "../compile/graph.ts";
import type { GraphSocket } from "../compile/graph.ts";
import type { Way } from "../compile/route.ts";
import { assign, patchState } from "../handoff/assign.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { END } from "../model/ids.ts";
import { never } from "../model/never.ts";
import type { WorkItem } from "../model/handoff.ts";
import type { CastEvent, EventBody, EventOf } from "./event.ts";
import { hitOf, limitReason, traversalKey } from "./limits.ts";
import { listAt } from "./list.ts";
import { reasonOf, remember } from "./rework.ts";
import { currentItem } from "./state.ts";
import type { Ask, CastState, Phase, Visit } from "./state.ts";
import { EMPTY_TALLY, increment } from "./tally.ts";
import { NO_USAGE, addUsage } from "./usage.ts";
import type { Usage } from "./usage.ts";

/** The only way a cast changes: live, on resume, and in the browser. Throws when the event cannot follow what happened so far. */
export function apply(state: CastState, event: CastEvent): CastState {
  if (event.seq !== state.seq + 1) throw new Error(`event ${event.seq} cannot follow event ${state.seq}`);
  return { ...applyBody(state, event), seq: event.seq };
}

function applyBody(state: CastState, event: EventBody): CastState {
  switch (event.type) {
    case "cast_started":
      expect(state, event, "unstarted");
      return arriveAt(state, { at: state.graph.entry, from: null });
    case "visit_started":
      return startVisit(state, event);
    case "handoff_accepted":
      return acceptHandoff(state, event);
    case "output_accepted":
      return acceptOutput(state, event);
    case "handoff_rejected": {
      const { visit } = expect(state, event, "visiting");
      return turnHad(state, { ...visit, repairs: visit.repairs + 1 }, event.usage, { kind: "repair", problems: event.issues });
    }
    case "turn_retried": {
      const { visit, ask } = expect(state, event, "visiting");
      return turnHad(state, visit, NO_USAGE, ask);
    }
    case "turn_answered": {
      const { visit, ask } = expect(state, event, "visiting");
      const had = turnHad(state, visit, event.usage, ask);
      return { ...had, phase: { kind: "answered", visit: { ...visit, usage: addUsage(visit.usage, event.usage) }, reply: event.text } };
    }
    case "turn_failed":
      return failTurn(state, event);
    case "visit_completed": {
      const { visit } = expect(state, event, "accepted");
      return { ...state, phase: { kind: "leaving", visit, moved: "no" }, done: { ...state.done, visits: state.done.visits + 1 } };
    }
    case "loop_entered":
      return enterLoop(state, event);
    case "cursor_advanced":
      return advance(state, event);
    case "loop_exhausted":
      return exhaust(state, event);
    case "edge_taken":
      return takeEdge(state, event);
    case "limit_reached":
      return { ...state, phase: { kind: "failing", reason: limitReason(state, event), limit: hitOf(state, event), before: state.phase } };
    case "cast_warned":
      return { ...state, warned: true };
    case "cast_waiting": {
      const { visit, reply } = expect(state, event, "answered");
      return { ...state, phase: { kind: "waiting", visit, reply } };
    }
    case "person_answered": {
      const { visit } = expect(state, event, "waiting");
      return { ...state, phase: { kind: "visiting", visit, ask: { kind: "answer", text: event.text } } };
    }
    case "person_finished": {
      const { visit, reply } = expect(state, event, "waiting");
      return { ...state, phase: { kind: "visiting", visit, ask: { kind: "finish", reply } } };
    }
    case "limits_raised":
      return raiseLimits(state, event);
    case "cast_resumed":
      return { ...state, phase: resumed(state.phase) };
    case "cast_ended":
      return endCast(state, event);
    default:
      return never(event);
  }
}

/** The phase that an event of this type needs; anything else means that the journal was not written by us. */
function expect<K extends Phase["kind"]>(state: CastState, event: EventBody, kind: K): Extract<Phase, { kind: K }> {
  const { phase } = state;
  if (phase.kind !== kind) throw new Error(`${event.type} cannot happen while the cast is ${phase.kind}`);
  if ("socket" in event && "visit" in phase && (event.socket !== phase.visit.socket || event.visit !== phase.visit.number)) {
    throw new Error(`${event.type} names visit ${event.visit} of ${event.socket}, but the cast is at visit ${phase.visit.number} of ${phase.visit.socket}`);
  }
  return phase as Extract<Phase, { kind: K }>; // its kind was compared above
}

function arriveAt(state: CastState, place: { at: Extract<Phase, { kind: "arriving" }>["at"]; from: Visit["from"] }): CastState {
  return { ...state, phase: { kind: "arriving", ...place }, counts: { ...state.counts, arrivals: place.at === END ? state.counts.arrivals : increment(state.counts.arrivals, place.at) } };
}

function startVisit(state: CastState, event: EventOf<"visit_started">): CastState {
  const { at, from } = expect(state, event, "arriving");
  if (at !== event.socket) throw new Error(`a visit of ${event.socket} cannot start while the cast is on its way to ${at}`);
  const reworked = (state.rework[event.socket] ?? []).length > 0;
  const visit: Visit = { socket: event.socket, number: event.visit, from, reworked, repairs: 0, usage: NO_USAGE };
  return { ...state, phase: { kind: "visiting", visit, ask: { kind: "begin" } }, visits: increment(state.visits, event.socket) };
}

function turnHad(state: CastState, visit: Visit, usage: Usage, ask: Ask): CastState {
  return {
    ...state,
    turns: increment(state.turns, visit.socket),
    usage: addUsage(state.usage, usage),
    phase: { kind: "visiting", visit: { ...visit, usage: addUsage(visit.usage, usage) }, ask },
  };
}

function acceptHandoff(state: CastState, event: EventOf<"handoff_accepted">): CastState {
  const { visit } = expect(state, event, "visiting");
  const socket = socketOf(state.graph, visit.socket);
  const { handoff } = event;
  const context = typeof handoff["context"] === "string" ? handoff["context"] : "";
  const satisfied = typeof handoff["satisfied"] === "boolean" ? handoff["satisfied"] : undefined;
  const text = context.trim() === "" ? (event.excerpt ?? "") : context;
  const workItems = socket.generator && Array.isArray(handoff["workItems"]) ? (handoff["workItems"] as readonly WorkItem[]) : null; // checked before it was accepted
  const kept = keep(state, socket, patchState(state.data, handoff), handoff);
  // A program that only sets state has said nothing, so what was said before it still stands.
  const silent = text === "" && workItems === null && materiaOf(state.graph, socket).type === "utility";
  const handed = silent ? state.handed : { ...handedBy(state, socket), text, workItems };
  return accepted({ ...kept, satisfied, handed }, visit, event);
}

function acceptOutput(state: CastState, event: EventOf<"output_accepted">): CastState {
  const { visit } = expect(state, event, "visiting");
  const socket = socketOf(state.graph, visit.socket);
  const kept = keep(state, socket, state.data, event.text);
  return accepted({ ...kept, satisfied: undefined, handed: { ...handedBy(state, socket), text: event.text, workItems: null } }, visit, event);
}

function keep(state: CastState, socket: GraphSocket, data: JsonObject, output: Json): CastState {
  const assigned = assign(socket.assign, output, { data, item: currentItem(state) });
  const replaced = assigned["workItems"] !== state.data["workItems"];
  return { ...state, data: assigned, lists: state.lists + (replaced ? 1 : 0) };
}

function handedBy(state: CastState, socket: GraphSocket) {
  return { socket: socket.id, materia: socket.materia, item: currentItem(state)?.title ?? null };
}

function accepted(state: CastState, visit: Visit, { approved, usage }: { approved?: true | undefined; usage: Usage }): CastState {
  // What a person approved was already counted as the turn that said it.
  const had = approved ? state : turnHad(state, visit, usage, { kind: "begin" });
  return { ...had, phase: { kind: "accepted", visit: { ...visit, usage: addUsage(visit.usage, usage) } } };
}

function failTurn(state: CastState, event: EventOf<"turn_failed">): CastState {
  const reason = `${event.socket}: ${event.message}`;
  if (state.phase.kind !== "visiting") return { ...state, phase: { kind: "failing", reason, limit: null, before: state.phase } };
  const { visit, ask } = expect(state, event, "visiting");
  const had = event.reason === "utility" ? state : turnHad(state, visit, event.usage, ask);
  return { ...had, phase: { kind: "failing", reason, limit: null, before: had.phase } };
}

function enterLoop(state: CastState, event: EventOf<"loop_entered">): CastState {
  const phase = expect(state, event, "arriving");
  const loop = state.graph.loops[event.loop];
  const items = loop?.items ? listAt(state, loop.items) : "the loop walks no list";
  if (typeof items === "string" || items.length !== event.size) throw new Error(`the loop ${event.loop} cannot be entered with ${event.size} items`);
  return {
    ...state,
    phase,
    pass: { loop: event.loop, items, cursor: 0 },
    counts: { ...state.counts, item: EMPTY_TALLY, allowed: {} },
    rework: withoutLoop(state, event.loop),
    done: { ...state.done, items: state.done.items + event.size },
  };
}

/** [G10, R4] A new item: nothing that was counted or said for the old one holds for it. */
function advance(state: CastState, event: EventOf<"cursor_advanced">): CastState {
  const phase = expect(state, event, "leaving");
  if (!state.pass || event.index !== state.pass.cursor + 1) throw new Error(`the cursor of ${event.loop} cannot move to ${event.index}`);
  return {
    ...state,
    phase: { ...phase, moved: "advanced" },
    pass: { ...state.pass, cursor: event.index },
    counts: { ...state.counts, item: EMPTY_TALLY, arrivals: EMPTY_TALLY, allowed: {} },
    rework: withoutLoop(state, event.loop),
    done: { ...state.done, itemsDone: state.done.itemsDone + 1 },
  };
}

function withoutLoop(state: CastState, loop: string): CastState["rework"] {
  const members = new Set<string>(state.graph.loops[loop]?.sockets);
  return Object.fromEntries(Object.entries(state.rework).filter(([id]) => !members.has(id)));
}

function exhaust(state: CastState, event: EventOf<"loop_exhausted">): CastState {
  if (event.by === "advance") return { ...state, phase: { ...expect(state, event, "leaving"), moved: "exhausted" }, pass: null };
  const { at } = expect(state, event, "arriving");
  if (at === END) throw new Error(`${event.loop} cannot be passed by on the way to the end`);
  return { ...state, phase: { kind: "bypassing", loop: event.loop, member: at }, pass: null };
}

function takeEdge(state: CastState, event: EventOf<"edge_taken">): CastState {
  if (state.phase.kind !== "leaving" && state.phase.kind !== "bypassing") throw new Error(`edge_taken cannot happen while the cast is ${state.phase.kind}`);
  const way = wayOf(state, event);
  const { scope, key } = traversalKey(state, event.from, way);
  const counted = { ...state.counts, [scope]: increment(state.counts[scope], key) };
  // A counted edge is progress of its own kind: the ways round it are limited by its count.
  const bounded = way.via === "edge" && way.edge.maxTraversals !== undefined;
  const staysInLoop = event.to !== END && state.pass !== null && socketOf(state.graph, event.to).loop === state.pass.loop;
  const moved: CastState = {
    ...state,
    pass: staysInLoop ? state.pass : null,
    counts: bounded ? { ...counted, arrivals: EMPTY_TALLY } : counted,
    rework: reworkAfter(state, event),
  };
  return arriveAt(moved, { at: event.to, from: event.from });
}

/** The authored way that an event speaks of. */
function wayOf(state: CastState, event: EventOf<"edge_taken">): Way {
  if (event.via === "none") return { via: "none", to: event.to };
  const socket = socketOf(state.graph, event.from);
  if (event.via === "edge") {
    const index = socket.edges.findIndex((edge) => edge.when === event.when && edge.to === event.to);
    const edge = socket.edges[index];
    if (!edge) throw new Error(`${event.from} has no edge to ${event.to}`);
    return { via: "edge", to: edge.to, edge, index };
  }
  const exit = Object.values(state.graph.loops).flatMap((loop) => loop.exits).find((each) => each.id === event.exit && each.from === event.from);
  if (!exit) throw new Error(`${event.from} has no exit ${event.exit}`);
  return { via: "exit", to: exit.targetSocketId, exit };
}

/** [R1, R4] A `not_satisfied` route brings its reason; any other kind of route clears what was kept for the socket. */
function reworkAfter(state: CastState, event: EventOf<"edge_taken">): CastState["rework"] {
  if (event.to === END) return state.rework;
  const kept = state.rework[event.to] ?? [];
  if (event.when === "not_satisfied" && state.satisfied === false && state.handed) {
    const reason = `${state.handed.materia} (${state.handed.socket}): ${reasonOf(state.handed.text)}`;
    return { ...state.rework, [event.to]: remember(kept, reason) };
  }
  if (kept.length === 0) return state.rework;
  const { [event.to]: _forgotten, ...others } = state.rework;
  return others;
}

function raiseLimits(state: CastState, event: EventOf<"limits_raised">): CastState {
  const { maxTokens, maxCostUsd, allow } = event;
  const budget = { ...state.budget, ...(maxTokens === undefined ? {} : { maxTokens }), ...(maxCostUsd === undefined ? {} : { maxCostUsd }) };
  const hit = state.phase.kind === "ended" || state.phase.kind === "failing" ? state.phase.limit : null;
  const key = hit?.key ?? "";
  const allowed = allow === undefined || key === "" ? state.counts.allowed : { ...state.counts.allowed, [key]: (state.counts.allowed[key] ?? 0) + allow };
  return { ...state, budget, warned: false, counts: { ...state.counts, allowed } };
}

function resumed(phase: Phase): Phase {
  return phase.kind === "ended" || phase.kind === "failing" ? resumed(phase.before) : phase;
}

function endCast(state: CastState, { outcome, reason }: EventOf<"cast_ended">): CastState {
  const { phase } = state;
  if (phase.kind === "ended") throw new Error("a cast ends once");
  const before = phase.kind === "failing" ? phase.before : phase;
  return { ...state, phase: { kind: "ended", outcome, reason, limit: phase.kind === "failing" ? phase.limit : null, before } };
}
