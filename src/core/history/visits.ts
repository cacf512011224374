import type { CastEvent, LimitName } from "../cast/state/event.ts";
import type { CastState } from "../cast/state/state.ts";
import { materiaOf, socketOf, type Graph } from "../compile/graph.ts";
import { error, fail, ok, type Result } from "../model/issue.ts";
import type { SocketId } from "../model/ids.ts";

export interface ObservedVisit {
  readonly socket: string;
  readonly materia: string;
  readonly visit: number;
}

export function observedVisits(events: readonly CastEvent[]): readonly ObservedVisit[] {
  return events.flatMap((event) =>
    event.type === "visit_started" ? [{ socket: event.socket, materia: event.materia, visit: event.visit }] : [],
  );
}

export function castOutcome({ phase }: Pick<CastState, "phase">): string {
  return phase.kind === "ended" ? phase.outcome : phase.kind === "waiting" ? "waiting" : phase.kind;
}

/** Why it ended so, where the journal says. */
export function endReason({ phase }: Pick<CastState, "phase">): string {
  return phase.kind === "ended" ? phase.reason : "";
}

export function lastLimitReached(events: readonly CastEvent[]): LimitName | null {
  const last = events.findLast((event) => event.type === "limit_reached");
  return last?.type === "limit_reached" ? last.limit : null;
}

/** A visit of a cast. */
export interface NumberedVisit {
  readonly socket: SocketId;
  readonly visit: number;
  readonly materia: string;
  /** Which of all visits of the cast it is, from 1. */
  readonly number: number;
}

interface VisitedCast {
  readonly events: readonly CastEvent[];
  readonly file: { readonly graph: Graph };
}

/** The visits that a cast has begun, in order. */
export function castVisits({ events }: Pick<VisitedCast, "events">): readonly NumberedVisit[] {
  return events
    .filter((event) => event.type === "visit_started")
    .map(({ socket, visit, materia }, at) => ({ socket, visit, materia, number: at + 1 }));
}

/** Those of agents: only they leave a conversation. */
export function agentVisits({ events, file: { graph } }: VisitedCast): readonly NumberedVisit[] {
  return castVisits({ events }).filter(({ socket }) => materiaOf(graph, socketOf(graph, socket)).type === "agent");
}

/** `Socket-4#2`, `Socket-4` for its last visit, or the number that its card begins with; without a name the last one. */
export function findVisit(visits: readonly NumberedVisit[], name: string | undefined): Result<NumberedVisit> {
  const [socket, number] = (name ?? "").split("#");
  const found = visits.findLast(
    (each) =>
      name === undefined ||
      name === String(each.number) ||
      (each.socket === socket && (number === undefined || number === String(each.visit))),
  );
  if (found) return ok(found);
  if (name === undefined) return fail(error("unknown_visit", "visit", "no agent of this cast has been asked yet"));
  const known = visits.slice(-MAX_SUGGESTIONS).map((each) => `${each.socket}#${each.visit}`);
  const hint = known.length === 0 ? {} : { hint: `one of ${known.join(", ")}` };
  return fail({ ...error("unknown_visit", name, `there is no visit "${name}" here`), ...hint });
}

const MAX_SUGGESTIONS = 12;
