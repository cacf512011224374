import type { CastEvent, EventOf } from "../cast/state/event.ts";
import { addUsage, NO_USAGE, type Usage } from "../cast/state/usage.ts";
import type { Checkpoint, MissingCheckpoint } from "../model/checkpoint.ts";
import type { SocketId } from "../model/ids.ts";
import { withoutUndefined, type JsonObject } from "../model/json.ts";

export type VisitOutcome = "running" | "waiting" | "done" | "satisfied" | "not_satisfied" | "failed" | "aborted";

/** One visit of a cast: everything that reports, figures, comparisons and the page read from the journal. */
export interface VisitRecord {
  /** Among all visits of the cast, from 0. */
  readonly index: number;
  readonly socket: SocketId;
  readonly materia: string;
  /** Which visit of its socket, from 1. */
  readonly visit: number;
  readonly item: VisitItem | null;
  /** [I8] Its conversation, as `visit_started` has it. */
  readonly conversation: Pick<EventOf<"visit_started">, "continues" | "continuesFrom" | "fresh">;
  readonly startedAt: string;
  /** Null until the visit ends. */
  readonly endedAt: string | null;
  readonly outcome: VisitOutcome;
  /** Null until the engine accepts a reply. */
  readonly result: VisitResult | null;
  readonly isCompleted: boolean;
  readonly awaitsPerson: boolean;
  /** The model that answered; null until it has, and for programs and people. */
  readonly model: string | null;
  readonly usage: Usage;
  readonly turns: number;
  readonly repairs: number;
  /** [H25] Those of them that were calls of `hand_over`. */
  readonly toolRepairs: number;
  /** The first and the last event of the visit. Events up to the next visit belong to it. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly endSeq: number | null;
  /** The event that led here, and the event that led away. */
  readonly cameBy: number | null;
  readonly leftBy: number | null;
  /** The socket whose "not satisfied" led here. */
  readonly sentBackFrom: SocketId | null;
  readonly givenUp: string | null;
  /** The checkpoint at its start; null without checkpoints. */
  readonly startCommit: string | null;
  /** Null while it has changed no file. */
  readonly files: VisitFiles | null;
}

export interface VisitItem {
  readonly loop: string;
  /** Which pass through a list of the cast, from 1. */
  readonly pass: number;
  readonly index: number;
  readonly of: number;
  readonly key: string;
  readonly title: string;
}

/** What a visit hands on: the fields of a handoff, or plain text. */
export type VisitResult =
  | { readonly kind: "handoff"; readonly handoff: JsonObject }
  | { readonly kind: "output"; readonly text: string };

/** The checkpoints before and after a visit, and its last report about files. */
export interface VisitFiles {
  readonly from: string;
  readonly to: string;
  readonly now: Checkpoint | MissingCheckpoint;
}

/** The latest visit of a cast, with the facts that the next one needs. */
export interface VisitFold {
  readonly visit: VisitRecord | null;
  readonly pass: { readonly number: number; readonly loop: string; readonly size: number };
  readonly way: { readonly seq: number; readonly sentBackFrom: SocketId | null } | null;
  readonly commit: string | null;
}

export const NO_VISITS: VisitFold = { visit: null, pass: { number: 0, loop: "", size: 0 }, way: null, commit: null };

/** One event further. The cost does not depend on earlier events. */
export function advanceVisits(fold: VisitFold, event: CastEvent): VisitFold {
  const visit = event.type === "visit_started" ? startVisit(fold, event) : fold.visit && updateVisit(fold.visit, event);
  const pass =
    event.type === "loop_entered" ? { number: fold.pass.number + 1, loop: event.loop, size: event.size } : fold.pass;
  const way =
    event.type === "edge_taken"
      ? { seq: event.seq, sentBackFrom: event.when === "not_satisfied" ? event.from : null }
      : fold.way;
  return { visit, pass, way, commit: commitAfter(event) ?? fold.commit };
}

export function foldVisits(events: Iterable<CastEvent>): readonly VisitRecord[] {
  const visits: VisitRecord[] = [];
  let fold = NO_VISITS;
  for (const event of events) {
    fold = advanceVisits(fold, event);
    if (fold.visit) visits[fold.visit.index] = fold.visit;
  }
  return visits;
}

/** `Socket-5#2`. */
export function visitKey(socket: string, visit: number): string {
  return `${socket}#${visit}`;
}

/** The number that people see: among all visits of the cast, from 1. */
export function visitNumber({ index }: Pick<VisitRecord, "index">): number {
  return index + 1;
}

/** What a visit handed on, as text; null until the engine accepts a reply. */
export function resultText({ result }: Pick<VisitRecord, "result">): string | null {
  if (!result) return null;
  return result.kind === "handoff" ? JSON.stringify(result.handoff, null, 2) : result.text;
}

export function eventsOfVisit(events: readonly CastEvent[], { firstSeq, lastSeq }: VisitRecord): readonly CastEvent[] {
  const first = events[0]?.seq ?? 1;
  return events.slice(firstSeq - first, lastSeq - first + 1);
}

function startVisit({ visit, pass, way, commit }: VisitFold, event: CastEvent & EventOf<"visit_started">): VisitRecord {
  const { continues, continuesFrom, fresh } = event;
  return {
    index: visit ? visit.index + 1 : 0,
    socket: event.socket,
    materia: event.materia,
    visit: event.visit,
    item: event.item && { loop: pass.loop, pass: pass.number, of: pass.size, ...event.item },
    conversation: withoutUndefined({ continues, continuesFrom, fresh }),
    startedAt: event.at,
    endedAt: null,
    outcome: "running",
    result: null,
    isCompleted: false,
    awaitsPerson: false,
    model: null,
    usage: NO_USAGE,
    turns: 0,
    repairs: 0,
    toolRepairs: 0,
    firstSeq: event.seq,
    lastSeq: event.seq,
    endSeq: null,
    cameBy: way?.seq ?? null,
    leftBy: null,
    sentBackFrom: way?.sentBackFrom ?? null,
    givenUp: null,
    startCommit: commit,
    files: null,
  };
}

function rejected(visit: VisitRecord, { usage, byTool }: EventOf<"handoff_rejected">): VisitRecord {
  const toolRepairs = visit.toolRepairs + (byTool ? 1 : 0);
  return { ...withUsage(visit, usage), repairs: visit.repairs + 1, toolRepairs, turns: visit.turns + 1 };
}

function updateVisit(visit: VisitRecord, event: CastEvent): VisitRecord {
  const now: VisitRecord = { ...visit, lastSeq: event.seq };
  switch (event.type) {
    case "handoff_accepted":
      return accepted(now, event, { kind: "handoff", handoff: event.handoff });
    case "output_accepted":
      return accepted(now, event, { kind: "output", text: event.text });
    case "visit_completed":
      return completed(now, event);
    case "checkpoint_taken":
      return { ...now, ...filesAfter(now, event) };
    case "handoff_rejected":
      return rejected(now, event);
    case "turn_answered":
      return { ...withUsage(now, event.usage), model: event.model ?? null, turns: visit.turns + 1 };
    case "turn_stopped":
    case "turn_retried":
    case "model_switched":
    case "cast_sleeping":
      return event.usage ? withUsage(now, event.usage) : now;
    case "turn_failed":
      return visit.endSeq === null ? ended(withUsage(now, event.usage), event, interruption(event.reason)) : now;
    case "limit_reached": // One that closes a way does not undo the result of the visit.
      return visit.endSeq === null ? ended(now, event, "failed") : { ...now, leftBy: visit.leftBy ?? event.seq };
    case "cast_waiting":
      return { ...now, outcome: "waiting", awaitsPerson: true };
    case "person_answered":
    case "person_finished":
    case "person_judged":
      return { ...now, outcome: "running", awaitsPerson: false, endSeq: null, endedAt: null };
    case "cast_resumed":
      return visit.result === null ? resumed(now, event) : now;
    case "item_given_up":
      return { ...now, givenUp: event.reason };
    case "edge_taken":
      return { ...now, leftBy: event.seq };
    case "cast_ended":
      return visit.endSeq === null ? ended(now, event, interruption(event.outcome)) : now;
    default:
      return now;
  }
}

function completed(visit: VisitRecord, event: CastEvent & EventOf<"visit_completed">): VisitRecord {
  const { usage, model = visit.model } = event;
  return { ...ended(visit, event, visit.outcome), isCompleted: true, model, usage, ...filesAfter(visit, event) };
}

type AcceptedEvent = CastEvent & (EventOf<"handoff_accepted"> | EventOf<"output_accepted">);

function accepted(visit: VisitRecord, event: AcceptedEvent, result: VisitResult): VisitRecord {
  const satisfied = result.kind === "handoff" ? result.handoff["satisfied"] : undefined;
  const outcome = satisfied === true ? "satisfied" : satisfied === false ? "not_satisfied" : "done";
  // A person approved the last reply: the agent took no further turn.
  const turns = visit.turns + (event.approved ? 0 : 1);
  return { ...ended(withUsage(visit, event.usage), event, outcome), result, turns, model: event.model ?? visit.model };
}

function ended(visit: VisitRecord, { seq, at }: CastEvent, outcome: VisitOutcome): VisitRecord {
  return { ...visit, endSeq: seq, endedAt: at, outcome };
}

/** The same visit goes on. */
function resumed(visit: VisitRecord, { usage = NO_USAGE }: EventOf<"cast_resumed">): VisitRecord {
  const outcome = visit.awaitsPerson ? "waiting" : "running";
  return { ...withUsage(visit, usage), endSeq: null, endedAt: null, outcome };
}

function withUsage(visit: VisitRecord, usage: Usage): VisitRecord {
  return { ...visit, usage: addUsage(visit.usage, usage) };
}

function interruption(why: string): VisitOutcome {
  return why === "aborted" ? "aborted" : "failed";
}

function filesAfter(
  { startCommit: from, files: before }: VisitRecord,
  { files: now }: EventOf<"visit_completed"> | EventOf<"checkpoint_taken">,
): Pick<VisitRecord, "files"> | undefined {
  if (now === undefined || from === null) return undefined;
  return { files: { from, to: "commit" in now ? now.commit : (before?.to ?? from), now } };
}

/** The checkpoint that an event reports. [V40] Changes by items or by other programs belong to no visit. */
export function commitAfter(event: CastEvent): string | undefined {
  switch (event.type) {
    case "cast_started":
    case "checkpoint_taken":
    case "visit_completed":
    case "loop_joined":
    case "cast_resumed":
      return event.files && "commit" in event.files ? event.files.commit : undefined;
    default:
      return undefined;
  }
}
