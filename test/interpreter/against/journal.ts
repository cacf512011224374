import { apply } from "../../../src/core/cast/apply.ts";
import type { CastEvent, EventBody } from "../../../src/core/cast/state/event.ts";
import type { CastStart, CastState } from "../../../src/core/cast/state/state.ts";
import type { Graph } from "../texts.ts";
import { factsOf } from "./facts.ts";
import { initialState } from "../../../src/core/cast/state/initial-state.ts";

/** When everything happens. */
export const EVENT_TIME = "2026-01-01T00:00:00.000Z";

/** What happened in one of the casts of a case: an event, or something that stands in no journal. */
export interface Entry {
  readonly cast: string;
  readonly event?: CastEvent;
  readonly facts: readonly string[];
}

/** One cast over the log of all. */
export interface Journal {
  readonly castId: string;
  readonly state: () => CastState;
  readonly events: () => readonly CastEvent[];
  readonly note: (body: EventBody) => void;
  readonly tell: (fact: string) => void;
}

/** A cast from what the log has of it already. */
export function openJournal(log: Entry[], start: CastStart, graph: Graph): Journal {
  const cast = start.castId;
  const events = log.flatMap((entry) => (entry.cast === cast && entry.event ? [entry.event] : []));
  let state = events.reduce(apply, initialState(start));
  return {
    castId: cast,
    state: () => state,
    events: () => events,
    note: (body) => {
      const event: CastEvent = { ...body, seq: state.seq + 1, at: EVENT_TIME };
      const facts = factsOf(event, graph, state.phase.kind === "forked");
      state = apply(state, event);
      events.push(event);
      log.push({ cast, event, facts });
    },
    tell: (fact) => log.push({ cast, facts: [fact] }),
  };
}

/** [V7] The facts of a cast, those of an item where it is its turn, or where the cast stops with it. */
export function factsIn(log: readonly Entry[], top: string): readonly string[] {
  const facts: string[] = [];
  const untold = new Map<string, string[]>();
  const child = new Map<number, string>();
  const failed = new Set<number>();
  const bring = (index: number): void => {
    const cast = child.get(index) ?? "";
    facts.push(...(untold.get(cast) ?? []));
    untold.delete(cast);
  };
  for (const entry of log) {
    const { event } = entry;
    if (entry.cast !== top) {
      untold.set(entry.cast, [...(untold.get(entry.cast) ?? []), ...entry.facts]);
      continue;
    }
    if (event?.type === "item_started") child.set(event.index, event.child);
    if (event?.type === "item_ended" && event.outcome === "failed") failed.add(event.index);
    if (event?.type === "item_merged" || event?.type === "item_conflicted") bring(event.index);
    if (event?.type === "limit_reached" || event?.type === "turn_failed")
      for (const index of [...failed].toSorted((a, b) => a - b)) bring(index);
    if (event?.type === "cast_resumed") failed.clear();
    facts.push(...entry.facts);
  }
  return facts;
}
