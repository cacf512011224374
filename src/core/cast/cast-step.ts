import { apply } from "./apply.ts";
import type { CastEvent } from "./state/event.ts";
import type { CastState } from "./state/state.ts";

/** One event with the cast before and after it, so that observers need not fold again. */
export interface CastStep {
  readonly event: CastEvent;
  readonly before: CastState;
  readonly after: CastState;
}

export function applyStep(before: CastState, event: CastEvent): CastStep {
  return { event, before, after: apply(before, event) };
}

/** The steps of stored events, one by one. Intermediate states are not kept. */
export function* replaySteps(start: CastState, events: Iterable<CastEvent>): Iterable<CastStep> {
  let before = start;
  for (const event of events) {
    const step = applyStep(before, event);
    before = step.after;
    yield step;
  }
}
