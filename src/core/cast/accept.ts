import { materiaOf, socketOf, type GraphSocket } from "../compile/graph.ts";
import { assign, assignedValues, patchState, type Assigned } from "../handoff/assign.ts";
import type { WorkItem } from "../model/handoff.ts";
import type { SocketId } from "../model/ids.ts";
import type { Materia } from "../model/materia.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/values/json.ts";
import { withListsKept } from "./lists/list.ts";
import { notesAfter } from "./lists/notes.ts";
import type { EventOf } from "./state/event.ts";
import { expect } from "./state/expect.ts";
import { reasonOf } from "./state/rework.ts";
import {
  currentItem,
  itemKeyOf,
  surroundingsOf,
  type Ask,
  type CastState,
  type Judged,
  type Visit,
  type Write,
} from "./state/state.ts";
import { increment, turnKey, type Tally } from "./state/tally.ts";
import { addUsage, larger, type Usage } from "./state/usage.ts";

export function acceptHandoff(state: CastState, event: EventOf<"handoff_accepted">): CastState {
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
  const notes = notesAfter(state, kept.data, socket, handoff);
  return accepted(state, event, { ...kept, visit, satisfied, handed, notes });
}

/** The list that was handed over: the very one that stands in state, by which a loop knows it. */
function listOf({ data }: Kept, { workItems }: JsonObject): readonly WorkItem[] | null {
  if (!Array.isArray(workItems)) return null;
  const { workItems: stands } = data;
  const isIt = stands !== workItems && JSON.stringify(stands) === JSON.stringify(workItems);
  return (isIt ? stands : workItems) as readonly WorkItem[]; // checked before it was accepted
}

export function acceptOutput(state: CastState, event: EventOf<"output_accepted">): CastState {
  const { visit } = expect(state, event, "visiting");
  const socket = socketOf(state.graph, visit.socket);
  const kept = keep(state, socket, state.data, event.text);
  // [H13] A program that printed nothing has said nothing: what was handed on before it still stands.
  const silent = event.text === "" && materiaOf(state.graph, socket).type === "utility";
  const handed = silent ? state.handed : { ...handedBy(state, socket), text: event.text, reason: "", workItems: null };
  const notes = notesAfter(state, kept.data, socket, {});
  return accepted(state, event, { ...kept, visit, satisfied: undefined, handed, notes });
}

/** [Q4] What a command printed while it had nothing to complain about is for people; the next agent needs what came before. */
function isPassedGate(materia: Materia, satisfied: boolean | undefined): boolean {
  return materia.type === "utility" && materia.gate === true && satisfied === true;
}

/** What is kept of an output: state, and for the cast of an item what was written into it. */
type Kept = Pick<CastState, "data" | "item">;

function keep(state: CastState, socket: GraphSocket, data: JsonObject, output: Json): Kept {
  const around = surroundingsOf({ data, pass: state.pass });
  const kept = withListsKept(state, socket, assign(socket.assign, output, around));
  if (!state.item) return { data: kept, item: null };
  const wrote = [...patchedBy(output), ...assignedValues(socket.assign, output, around).flatMap(writeOf)];
  return { data: kept, item: { ...state.item, wrote: [...state.item.wrote, ...wrote] } };
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

/** What a visit leaves behind. */
interface Left extends Kept, Pick<CastState, "satisfied" | "handed" | "notes"> {
  readonly visit: Visit;
}

function accepted(
  state: CastState,
  { approved, usage }: { approved?: true | undefined; usage: Usage },
  { visit, data, item, satisfied, handed, notes }: Left,
): CastState {
  // What a person approved was already counted as the turn that said it.
  const { turns, usage: used, largest } = approved ? state : counted(state, visit, usage);
  return {
    ...state,
    turns,
    usage: used,
    largest,
    data,
    item,
    satisfied,
    handed,
    notes,
    phase: { kind: "accepted", visit: { ...visit, usage: addUsage(visit.usage, usage) } },
  };
}

/** One more turn was had, and the visit goes on. */
export function turnHad(state: CastState, visit: Visit, usage: Usage, ask: Ask | Judged): CastState {
  const { turns, usage: used, largest } = counted(state, visit, usage);
  const phase = { kind: "visiting", visit: { ...visit, usage: addUsage(visit.usage, usage) }, ask } as const;
  return { ...state, turns, usage: used, largest, phase };
}

/** What is counted of a turn that was had. */
function counted(state: CastState, visit: Visit, usage: Usage): Pick<CastState, "turns" | "usage" | "largest"> {
  return {
    turns: turnsAfter(state, visit.socket),
    usage: addUsage(state.usage, usage),
    largest: larger(state.largest, addUsage(visit.turn.usage, usage)),
  };
}

/** Counted for the socket, and for the item in hand. */
function turnsAfter(state: CastState, socket: SocketId): Tally {
  const counted = increment(state.turns, socket);
  const item = itemKeyOf(state);
  return item === null ? counted : increment(counted, turnKey(socket, item));
}
