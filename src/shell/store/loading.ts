import type { CastEvent } from "../../core/cast/state/event.ts";
import { startState } from "../../core/cast/state/state.ts";
import { stepFrom } from "../../core/cast/step.ts";
import { follow, startTrail, type Trail } from "../../core/view/now/trail.ts";
import { startOf } from "./cast-file.ts";
import type { Folding } from "./cast-store.ts";

/** How a cast stands. */
export const TRAIL: Folding<Trail> = {
  begin: (file) => startTrail(startState(startOf(file))),
  step: (trail, event) => follow(trail, stepFrom(trail.state, event)),
};

export interface WithEvents {
  readonly trail: Trail;
  readonly events: CastEvent[];
}

/** The same, with every event that led there. */
export const WITH_EVENTS: Folding<WithEvents> = {
  begin: (file) => ({ trail: TRAIL.begin(file), events: [] }),
  step: ({ trail, events }, event) => {
    const next = TRAIL.step(trail, event);
    events.push(event);
    return { trail: next, events };
  },
};
