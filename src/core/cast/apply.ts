import { materiaOf, socketOf } from "../compile/graph.ts";
import type { GraphSocket } from "../compile/graph.ts";
import { assign, assignedValues, patchState } from "../handoff/assign.ts";
import type { Assigned } from "../handoff/assign.ts";
import { isJsonObject } from "../model/values/json.ts";
import type { Json, JsonObject } from "../model/values/json.ts";
import type { Materia } from "../model/materia.ts";
import type { WorkItem } from "../model/handoff.ts";
import type { SocketId } from "../model/ids.ts";
import type { CastEvent, EventBody, EventOf } from "./state/event.ts";
import { filesAfter } from "./files.ts";
import { expect, expectRunning, expectUnfinished } from "./state/expect.ts";
import { hitOf } from "./limits/limits.ts";
import { withListsKept } from "./lists/list.ts";
import { applyItem, giveUpItem } from "./items/apply-items.ts";
import { advance, enterLoop, exhaust, giveUp, takeEdge } from "./move.ts";
import { notesAfter } from "./lists/notes.ts";
import { raiseLimits } from "./limits/raise.ts";
import { countVisit } from "./limits/returns.ts";
import { acceptAsItIs } from "./limits/rework-limit.ts";
import { endCast, inTurn, resume } from "./stop.ts";
import { reasonOf } from "./state/rework.ts";
import { NOTHING_USED, currentItem, itemKeyOf, surroundingsOf } from "./state/state.ts";
import type { Ask, CastState, Failure, Judged, Visit, Write } from "./state/state.ts";
import { withValue } from "./state/table.ts";
import { increment, turnKey } from "./state/tally.ts";
import type { Tally } from "./state/tally.ts";
import { NO_USAGE, addUsage, larger } from "./state/usage.ts";
import type { Usage } from "./state/usage.ts";

/** The only way a cast changes: live, on resume, and in the browser. Throws when the event cannot follow what happened so far. */
export function apply(state: CastState, event: CastEvent): CastState {
  if (event.seq !== state.seq + 1) throw new Error(`event ${event.seq} cannot follow event ${state.seq}`);
  const after = applyBody(state, event);
  // Most of what happens makes a new state, which nobody else has yet: another copy of it would cost as much as the event.
  const next: Mutable<CastState> = after === state ? { ...state } : after;
  next.files = filesAfter(state, event);
  next.seq = event.seq;
  return next;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function applyBody(state: CastState, event: EventBody): CastState {
  switch (event.type) {
    case "cast_started":
      expect(state, event, "unstarted");
      return { ...state, rehearsed: event.rehearsed === true, phase: firstArrival(state) };
    case "visit_started":
      return startVisit(state, event);
    case "handoff_accepted":
      return acceptHandoff(state, event);
    case "output_accepted":
      return acceptOutput(state, event);
    case "handoff_rejected": {
      const { visit } = expect(state, event, "visiting");
      return turnHad(state, { ...visit, repairs: visit.repairs + 1, turn: NOTHING_USED }, event.usage, {
        kind: "repair",
        problems: event.issues,
      });
    }
    case "turn_retried": {
      const { visit, ask } = expect(state, event, "visiting");
      return turnHad(state, visit, NO_USAGE, ask);
    }
    case "turn_answered": {
      const { visit, ask } = expect(state, event, "visiting");
      const had = turnHad(state, visit, event.usage, ask);
      return {
        ...had,
        phase: {
          kind: "answered",
          visit: { ...visit, usage: addUsage(visit.usage, event.usage), turn: NOTHING_USED },
          reply: event.text,
        },
      };
    }
    case "turn_stopped": {
      const { visit, ask } = expect(state, event, "visiting");
      return inTurn(state, { visit, ask }, { usage: event.usage, ms: event.ms });
    }
    case "turn_failed":
      return failTurn(state, event);
    case "checkpoint_taken":
      expect(state, event, "visiting");
      return state;
    case "visit_completed": {
      const { visit } = expect(state, event, "accepted");
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
      return (state.phase.kind === "forked" ? giveUpItem : giveUp)(state, event);
    case "loop_exhausted":
      return exhaust(state, event);
    case "edge_taken":
      return takeEdge(state, event);
    case "limit_reached":
      expectRunning(state, event);
      return failing(state, { kind: "limit", reached: event, hit: hitOf(state, event) });
    case "cast_warned":
      expectRunning(state, event);
      return { ...state, warned: true };
    case "cast_waiting":
      return waitForPerson(state, event);
    case "person_answered": {
      const { visit } = expect(state, event, "waiting");
      return { ...state, phase: { kind: "visiting", visit, ask: { kind: "answer", text: event.text } } };
    }
    case "person_finished": {
      const { visit, reply } = expect(state, event, "waiting");
      return { ...state, phase: { kind: "visiting", visit, ask: { kind: "finish", reply: event.reply ?? reply } } };
    }
    case "person_judged": {
      if (state.phase.kind === "leaving") return acceptAsItIs(state, event);
      const { visit } = expect(state, event, "waiting");
      const { satisfied, text } = event;
      return { ...state, phase: { kind: "visiting", visit, ask: { kind: "judged", satisfied, text } } };
    }
    case "limits_raised":
      expectUnfinished(state, event);
      return raiseLimits(state, event);
    case "cast_resumed":
      expectUnfinished(state, event);
      return resume(state, event);
    case "cast_ended":
      return endCast(state, event);
    default:
      return applyItem(state, event);
  }
}

/** [V6] A cast begins at the entry of its graph; that of an item where its loop is entered. */
function firstArrival({ graph, item }: CastState): CastState["phase"] {
  if (!item) return { kind: "arriving", at: graph.entry, from: null, reworked: false };
  const { door, from, reasons } = item.window;
  return { kind: "arriving", at: door, from, reworked: reasons.length > 0 };
}

function startVisit(state: CastState, event: EventOf<"visit_started">): CastState {
  const { at, from, reworked } = expect(state, event, "arriving");
  if (at !== event.socket)
    throw new Error(`a visit of ${event.socket} cannot start while the cast is on its way to ${at}`);
  const visit: Visit = {
    socket: event.socket,
    number: event.visit,
    from,
    reworked,
    repairs: 0,
    usage: NO_USAGE,
    turn: NOTHING_USED,
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

const WALKED_KEPT = 40;

function walkedAfter(walked: CastState["walked"], socket: SocketId): CastState["walked"] {
  const next = [...walked];
  if (next.length >= WALKED_KEPT) next.shift();
  next.push(socket);
  return next;
}

function waitForPerson(state: CastState, event: EventOf<"cast_waiting">): CastState {
  if (event.question !== undefined) {
    const { visit } = expect(state, event, "visiting");
    return { ...state, phase: { kind: "waiting", visit, reply: event.question } };
  }
  const { visit, reply } = expect(state, event, "answered");
  return { ...state, phase: { kind: "waiting", visit, reply } };
}

function turnHad(state: CastState, visit: Visit, usage: Usage, ask: Ask | Judged): CastState {
  return withTurn(state, visit, usage, {
    kind: "visiting",
    visit: { ...visit, usage: addUsage(visit.usage, usage) },
    ask,
  });
}

function withTurn(state: CastState, visit: Visit, usage: Usage, phase: CastState["phase"]): CastState {
  return {
    ...state,
    turns: turnsAfter(state, visit.socket),
    usage: addUsage(state.usage, usage),
    largest: larger(state.largest, addUsage(visit.turn.usage, usage)),
    phase,
  };
}

/** Counted for the socket, and for the item in hand. */
function turnsAfter(state: CastState, socket: SocketId): Tally {
  const counted = increment(state.turns, socket);
  const item = itemKeyOf(state);
  return item === null ? counted : increment(counted, turnKey(socket, item));
}

function acceptHandoff(state: CastState, event: EventOf<"handoff_accepted">): CastState {
  const { visit } = expect(state, event, "visiting");
  const socket = socketOf(state.graph, visit.socket);
  const { handoff } = event;
  const context = typeof handoff["context"] === "string" ? handoff["context"] : "";
  const satisfied = typeof handoff["satisfied"] === "boolean" ? handoff["satisfied"] : undefined;
  const materia = materiaOf(state.graph, socket);
  const reason = context.trim() === "" ? (event.excerpt ?? "") : reasonOf(context, materia);
  const kept = keep(state, socket, patchState(state.data, handoff), handoff);
  const workItems = socket.generator ? listOf(kept, handoff) : null;
  // What only sets state, or only says yes, has told nobody anything: what was said before it still stands.
  const silent =
    isPassedGate(materia, satisfied) ||
    (context === "" && reason === "" && workItems === null && materia.type !== "agent");
  const handed = silent ? state.handed : { ...handedBy(state, socket), text: context, reason, workItems };
  return accepted({ ...kept, satisfied, handed, notes: notesAfter(state, kept.data, socket, handoff) }, visit, event);
}

/** The list that was handed over: the very one that stands in state, by which a loop knows it. */
function listOf({ data }: CastState, { workItems }: JsonObject): readonly WorkItem[] | null {
  if (!Array.isArray(workItems)) return null;
  const { workItems: stands } = data;
  const isIt = stands !== workItems && JSON.stringify(stands) === JSON.stringify(workItems);
  return (isIt ? stands : workItems) as readonly WorkItem[]; // checked before it was accepted
}

function acceptOutput(state: CastState, event: EventOf<"output_accepted">): CastState {
  const { visit } = expect(state, event, "visiting");
  const socket = socketOf(state.graph, visit.socket);
  const kept = keep(state, socket, state.data, event.text);
  // [H13] A program that printed nothing has said nothing: what was handed on before it still stands.
  const silent = event.text === "" && materiaOf(state.graph, socket).type === "utility";
  const handed = silent ? state.handed : { ...handedBy(state, socket), text: event.text, reason: "", workItems: null };
  return accepted(
    { ...kept, satisfied: undefined, handed, notes: notesAfter(state, kept.data, socket, {}) },
    visit,
    event,
  );
}

/** [Q4] What a command printed while it had nothing to complain about is for people; the next agent needs what came before. */
function isPassedGate(materia: Materia, satisfied: boolean | undefined): boolean {
  return materia.type === "utility" && materia.gate === true && satisfied === true;
}

function keep(state: CastState, socket: GraphSocket, data: JsonObject, output: Json): CastState {
  const around = surroundingsOf({ data, pass: state.pass });
  const assigned = withListsKept(state, socket, assign(socket.assign, output, around));
  const kept = assigned === state.data ? state : { ...state, data: assigned };
  if (!state.item) return kept;
  const wrote = [...patchedBy(output), ...assignedValues(socket.assign, output, around).flatMap(writeOf)];
  return { ...kept, item: { ...state.item, wrote: [...state.item.wrote, ...wrote] } };
}

/** [V7] What a utility's own patch put there, as the writes that it is: writing the old value back counts. */
function patchedBy(output: Json): readonly Write[] {
  const patch = isJsonObject(output) ? output["state"] : undefined;
  return isJsonObject(patch) ? Object.entries(patch).map(([key, value]): Write => [[key], value]) : [];
}

function writeOf({ assignment, value }: Assigned): readonly Write[] {
  return value === undefined ? [] : [[assignment.target, value]];
}

function handedBy(state: CastState, socket: GraphSocket) {
  return { socket: socket.id, materia: socket.materia, item: currentItem(state)?.title ?? null };
}

function accepted(
  state: CastState,
  visit: Visit,
  { approved, usage }: { approved?: true | undefined; usage: Usage },
): CastState {
  const phase = { kind: "accepted", visit: { ...visit, usage: addUsage(visit.usage, usage) } } as const;
  // What a person approved was already counted as the turn that said it.
  return approved ? { ...state, phase } : withTurn(state, visit, usage, phase);
}

function failing(state: CastState, failure: Failure): CastState {
  return { ...state, phase: { kind: "failing", failure, before: state.phase } };
}

function failTurn(state: CastState, event: EventOf<"turn_failed">): CastState {
  const failure: Failure = { kind: "turn", socket: event.socket, message: event.message };
  if (state.phase.kind !== "visiting") return failing(state, failure);
  const { visit, ask } = expect(state, event, "visiting");
  // A reply that was missing was not had: once it is there, the cast goes on with it.
  const wasTurn = event.reason !== "utility" && event.reason !== "rehearsal";
  const had = wasTurn ? turnHad(state, visit, event.usage, ask) : state;
  return failing(had, failure);
}
