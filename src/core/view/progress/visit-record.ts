import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import type { Checkpoint, MissingCheckpoint } from "../../model/checkpoint.ts";
import { reworkReasonsFor } from "../../cast/state/rework-reasons.ts";
import type { ReworkReason } from "../../cast/state/parallel-run.ts";
import type { CastState } from "../../cast/state/state.ts";
import { NO_USAGE, type Usage } from "../../cast/state/usage.ts";
import type { SocketId } from "../../model/ids.ts";
import { assertNever } from "../../model/assert-never.ts";

export type VisitOutcome = "running" | "waiting" | "done" | "satisfied" | "not_satisfied" | "failed" | "aborted";

/** One stay at a socket, as a timeline shows it. Times in milliseconds of work since the cast began. */
export interface VisitRecord {
  /** Among all visits of the cast, from 0. */
  readonly index: number;
  readonly socket: SocketId;
  readonly materia: string;
  readonly visit: number;
  readonly item: VisitItem | null;
  readonly startedAt: string;
  readonly from: number;
  /** Null while it lasts. */
  readonly to: number | null;
  readonly outcome: VisitOutcome;
  readonly usage: Usage;
  readonly repairs: number;
  /** The first event of it, and the last so far: the way on is one of them. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The event that led here, and the one that led away. */
  readonly cameBy: number | null;
  readonly leftBy: number | null;
  /** Why its item was given up behind it; null where it was not. */
  readonly givenUp: string | null;
  /** Why it is done again, newest first. */
  readonly reasons: readonly ReworkReason[];
  /** What it has made of the files so far; null where it changed none. */
  readonly files: VisitFiles | null;
}

/** The checkpoint that a visit began from, and what became of it. */
export interface VisitFiles {
  readonly from: string;
  readonly now: Checkpoint | MissingCheckpoint;
}

export interface VisitItem {
  readonly loop: string;
  /** Which walk through the loop's list, from 1. */
  readonly pass: number;
  readonly index: number;
  readonly of: number;
  /** What it is called in the journal, `WI-4`. */
  readonly key: string;
  readonly title: string;
}

/** What the visits before and the clock say of a new one. */
export interface VisitArrival {
  readonly index: number;
  readonly pass: number;
  readonly at: number;
  readonly cameBy: number | null;
}

export function startVisitRecord(
  before: CastState,
  event: CastEvent & EventOf<"visit_started">,
  { index, pass, at, cameBy }: VisitArrival,
): VisitRecord {
  return {
    index,
    socket: event.socket,
    materia: event.materia,
    visit: event.visit,
    item:
      event.item && before.pass
        ? {
            loop: before.pass.loop,
            pass,
            index: event.item.index,
            of: before.pass.items.length,
            key: event.item.key,
            title: event.item.title,
          }
        : null,
    startedAt: event.at,
    from: at,
    to: null,
    outcome: "running",
    usage: NO_USAGE,
    repairs: 0,
    firstSeq: event.seq,
    lastSeq: event.seq,
    cameBy,
    leftBy: null,
    givenUp: null,
    reasons: isReworked(before) ? reworkReasonsFor(before, event.socket) : [],
    files: null,
  };
}

function isReworked({ phase }: CastState): boolean {
  return phase.kind === "arriving" && phase.reworked;
}

/** The visit after an event that belongs to it; `pointAt` is the work done so far. */
export function updateVisitRecord(visit: VisitRecord, after: CastState, event: CastEvent, at: number): VisitRecord {
  const now = { ...visit, lastSeq: event.seq, usage: visitUsageAfter(after, visit) };
  switch (event.type) {
    case "handoff_accepted": {
      const { satisfied } = event.handoff;
      return {
        ...now,
        to: at,
        outcome: satisfied === true ? "satisfied" : satisfied === false ? "not_satisfied" : "done",
      };
    }
    case "output_accepted":
      return { ...now, to: at, outcome: "done" };
    case "visit_completed":
      return { ...now, to: at, usage: event.usage, ...visitFilesAfter(after, event.files) };
    case "checkpoint_taken":
      return { ...now, ...visitFilesAfter(after, event.files) };
    case "handoff_rejected":
      return { ...now, repairs: visit.repairs + 1 };
    case "turn_failed":
      return visit.to === null ? { ...now, to: at, outcome: interruptedOutcome(event.reason) } : now;
    case "limit_reached":
      // A limit that closes a way does not undo what the visit said.
      return visit.to === null ? { ...now, to: at, outcome: "failed" } : { ...now, leftBy: event.seq };
    case "cast_waiting":
      return { ...now, outcome: "waiting" };
    case "person_answered":
    case "person_finished":
    case "person_judged":
      return { ...now, outcome: "running" };
    case "cast_resumed":
      // The same visit is tried again.
      return after.phase.kind === "visiting" ? { ...now, to: null, outcome: "running" } : now;
    case "item_given_up":
      return { ...now, givenUp: event.reason };
    case "edge_taken":
      return { ...now, leftBy: event.seq };
    case "cast_ended":
      return visit.to === null ? { ...now, to: at, outcome: interruptedOutcome(event.outcome) } : now;
    case "cast_started":
    case "visit_started":
    case "turn_retried":
    case "turn_stopped":
    case "turn_answered":
    case "loop_entered":
    case "cursor_advanced":
    case "loop_exhausted":
    case "cast_warned":
    case "limits_raised":
    case "loop_forked":
    case "item_started":
    case "item_ended":
    case "item_merged":
    case "item_conflicted":
    case "loop_joined":
    case "spent_elsewhere":
      return now;
    default:
      return assertNever(event);
  }
}

function interruptedOutcome(why: string): VisitOutcome {
  return why === "aborted" ? "aborted" : "failed";
}

function visitFilesAfter(
  { files }: CastState,
  now: Checkpoint | MissingCheckpoint | undefined,
): Pick<VisitRecord, "files"> | undefined {
  return now && files ? { files: { from: files.visit, now } } : undefined;
}

function visitUsageAfter({ phase }: CastState, visit: VisitRecord): Usage {
  const inHand = phase.kind === "failing" || phase.kind === "ended" ? phase.before : phase;
  return "visit" in inHand && inHand.visit.socket === visit.socket && inHand.visit.number === visit.visit
    ? inHand.visit.usage
    : visit.usage;
}
