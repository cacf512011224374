import { materiaOf, socketOf, type GraphSocket } from "../compile/graph.ts";
import { assign, readAssignedValues, applyStatePatch } from "../handoff/assign.ts";
import type { WorkItem } from "../model/handoff.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { reuseUnchangedLists, madeLists, updateNotes } from "./item-lists.ts";
import type { EventOf } from "./state/event.ts";
import { expectPhase } from "./state/expect-phase.ts";
import { withReport } from "./state/reports.ts";
import { reworkReasonText } from "./state/rework-reasons.ts";
import type { CastPhase, CastState, Visit, StateWrite } from "./state/state.ts";
import { currentItem, assignSourcesOf } from "./state/current-item.ts";
import { addItemCount } from "./state/item-counts.ts";
import { increment } from "./state/persistent-map.ts";
import { addUsage, maxUsage, type Usage } from "./state/usage.ts";

export function acceptHandoff(state: CastState, event: EventOf<"handoff_accepted">): CastState {
  const { visit } = expectPhase(state, event, "visiting");
  const socket = socketOf(state.graph, visit.socket);
  const { handoff } = event;
  const context = typeof handoff["context"] === "string" ? handoff["context"] : "";
  const satisfied = typeof handoff["satisfied"] === "boolean" ? handoff["satisfied"] : undefined;
  const materia = materiaOf(state.graph, socket);
  const reason = context.trim() === "" ? (event.excerpt ?? "") : reworkReasonText(context, materia);
  const kept = keep(state, socket, applyStatePatch(state.data, handoff), handoff);
  const workItems = socket.generator ? handedList(kept, handoff) : null;
  // [Q4] Output of a passing command is for people; the next agent needs the earlier handoff.
  const isPassedGate = materia.type === "utility" && materia.gate === true && satisfied === true;
  // Nor does output that only sets state replace the last handoff text.
  const silent =
    isPassedGate || (context.trim() === "" && reason === "" && workItems === null && materia.type !== "agent");
  const handed = silent ? state.handed : { ...handoffSource(state, socket), text: context, reason, workItems };
  const notes = updateNotes(state, kept.data, socket, handoff);
  const report = context.trim() === "" ? reason : context;
  const reports = reportsAfter(state, socket, report, satisfied);
  return withAcceptedVisit(state, event, { ...kept, visit, satisfied, handed, notes, reports });
}

/** [P12, P14] Only agents report. */
function reportsAfter(state: CastState, socket: GraphSocket, text: string, satisfied?: boolean): CastState["reports"] {
  if (materiaOf(state.graph, socket).type !== "agent") return state.reports;
  return withReport(state, handoffSource(state, socket), text, satisfied);
}

/** The list that was handed over: the same object as in state, because a loop recognises its list by identity. */
function handedList({ data }: KeptOutput, { workItems }: JsonObject): readonly WorkItem[] | null {
  if (!Array.isArray(workItems)) return null;
  const { workItems: stands } = data;
  const isIt = stands !== workItems && JSON.stringify(stands) === JSON.stringify(workItems);
  return (isIt ? stands : workItems) as readonly WorkItem[]; // checked before it was accepted
}

export function acceptOutput(state: CastState, event: EventOf<"output_accepted">): CastState {
  const { visit } = expectPhase(state, event, "visiting");
  const socket = socketOf(state.graph, visit.socket);
  const kept = keep(state, socket, state.data, event.text);
  // [H13] A program without output keeps the last handoff.
  const silent = event.text === "" && materiaOf(state.graph, socket).type === "utility";
  const handed = silent
    ? state.handed
    : { ...handoffSource(state, socket), text: event.text, reason: "", workItems: null };
  const notes = updateNotes(state, kept.data, socket, {});
  const reports = reportsAfter(state, socket, event.text);
  return withAcceptedVisit(state, event, { ...kept, visit, satisfied: undefined, handed, notes, reports });
}

type KeptOutput = Pick<CastState, "data" | "item">;

function keep(state: CastState, socket: GraphSocket, data: JsonObject, output: Json): KeptOutput {
  const around = assignSourcesOf({ data, pass: state.pass });
  const kept = reuseUnchangedLists(state, socket, assign(socket.assign, output, around));
  if (!state.item) return { data: kept, item: null };
  const wrote = [
    ...patchWrites(output),
    ...readAssignedValues(socket.assign, output, around).flatMap(({ assignment, value }): readonly StateWrite[] =>
      value === undefined ? [] : [[assignment.target, value]],
    ),
  ];
  const made = madeLists(state, socket, kept);
  const newLists = made && { newLists: [...new Set([...(state.item.newLists ?? []), ...made])] };
  return { data: kept, item: { ...state.item, wrote: [...state.item.wrote, ...wrote], ...newLists } };
}

/** [V7] The patch of a utility as writes. Writing the old value back counts too. */
function patchWrites(output: Json): readonly StateWrite[] {
  const patch = isJsonObject(output) ? output["state"] : undefined;
  return isJsonObject(patch) ? Object.entries(patch).map(([key, value]): StateWrite => [[key], value]) : [];
}

function handoffSource(state: CastState, socket: GraphSocket) {
  return { socket: socket.id, materia: socket.materia, item: currentItem(state)?.title ?? null };
}

interface VisitResult extends KeptOutput, Pick<CastState, "satisfied" | "handed" | "notes" | "reports"> {
  readonly visit: Visit;
}

function withAcceptedVisit(
  state: CastState,
  event: EventOf<"handoff_accepted"> | EventOf<"output_accepted">,
  { visit, data, item, satisfied, handed, notes, reports }: VisitResult,
): CastState {
  const { approved, usage } = event;
  // An approved reply was already counted as a turn.
  const { turns, itemTurns, usage: used, largest } = approved ? state : turnCounts(state, visit, usage);
  return {
    ...state,
    turns,
    itemTurns,
    usage: used,
    largest,
    data,
    item,
    satisfied,
    handed,
    notes,
    reports,
    phase: { kind: "accepted", visit: { ...visit, ...modelOf(event), usage: addUsage(visit.usage, usage) } },
  };
}

/** A person who approves a reply names no model: the one that wrote it stays. */
export function modelOf({ model }: Pick<EventOf<"visit_completed">, "model">): { readonly model?: string } {
  return model === undefined ? {} : { model };
}

export type VisitPhase = Extract<CastPhase, { kind: "visiting" }>;

export function addFinishedTurn(
  state: CastState,
  visit: Visit,
  usage: Usage,
  ask: VisitPhase["ask"],
): CastState & { readonly phase: VisitPhase } {
  const { turns, itemTurns, usage: used, largest } = turnCounts(state, visit, usage);
  const phase = { kind: "visiting", visit: { ...visit, usage: addUsage(visit.usage, usage) }, ask } as const;
  return { ...state, turns, itemTurns, usage: used, largest, phase };
}

type TurnCounts = Pick<CastState, "turns" | "itemTurns" | "usage" | "largest">;

function turnCounts(state: CastState, visit: Visit, usage: Usage): TurnCounts {
  const { turns, itemTurns, pass } = state;
  return {
    turns: increment(turns, visit.socket),
    itemTurns: pass ? addItemCount(itemTurns, pass.cursor, visit.socket, 1) : itemTurns,
    usage: addUsage(state.usage, usage),
    largest: maxUsage(state.largest, addUsage(visit.turn.usage, usage)),
  };
}
