import type { CastEvent } from "../../core/cast/state/event.ts";
import { initialState } from "../../core/cast/state/state.ts";
import { applyStep } from "../../core/cast/step.ts";
import { advanceTimeline, startTimeline, type CastTimeline } from "../../core/view/now/trail.ts";
import { castStartOf } from "./cast-file.ts";
import type { CastFold } from "./cast-store.ts";

/** How a cast stands. */
export const TIMELINE: CastFold<CastTimeline> = {
  begin: (file) => startTimeline(initialState(castStartOf(file))),
  step: (trail, event) => advanceTimeline(trail, applyStep(trail.state, event)),
};

export interface TimelineWithEvents {
  readonly timeline: CastTimeline;
  readonly events: CastEvent[];
}

/** The same, with every event that led there. */
export const TIMELINE_WITH_EVENTS: CastFold<TimelineWithEvents> = {
  begin: (file) => ({ timeline: TIMELINE.begin(file), events: [] }),
  step: ({ timeline: trail, events }, event) => {
    const next = TIMELINE.step(trail, event);
    events.push(event);
    return { timeline: next, events };
  },
};
