import type { CastEvent, LimitName } from "../cast/state/event.ts";
import type { CastState } from "../cast/state/state.ts";
import type { Json, JsonObject } from "../model/values/json.ts";
import { valueAt } from "../model/values/path.ts";
import { countWaysTaken } from "./way-names.ts";

/** All that can be expected of a cast, as it was. */
export interface ObservedCast {
  readonly state: CastState;
  readonly events: readonly CastEvent[];
  readonly exitCode: number;
  /** What each turn of an agent was told, in order. */
  readonly turns: readonly TurnPrompt[];
  /** The files that are asked about; null where there is none. */
  readonly files: ReadonlyMap<string, string | null>;
}

export interface TurnPrompt {
  readonly socket: string;
  readonly materia: string;
  /** Which visit of its socket. */
  readonly visit: number;
  readonly text: string;
}

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

export function stateValueAt(data: JsonObject, path: string): Json {
  return valueAt(data, path.split(".")) ?? null;
}

/** What `--update` writes where nothing was expected yet. */
export function fullExpectation({ state, events, exitCode }: ObservedCast): JsonObject {
  const limit = lastLimitReached(events);
  const { items, itemsDone, itemsGivenUp = 0 } = state.done;
  return {
    outcome: castOutcome(state),
    exitCode,
    path: observedVisits(events).map(({ materia }) => materia),
    edges: Object.fromEntries(countWaysTaken(state.graph, events)),
    ...(items === 0 ? {} : { items: { done: itemsDone, givenUp: itemsGivenUp } }),
    ...(limit === null ? {} : { limit }),
  };
}
