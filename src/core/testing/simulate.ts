import { apply } from "../cast/apply.ts";
import { completed, next } from "../cast/next.ts";
import type { Effect } from "../cast/next.ts";
import type { CastEvent, EventBody } from "../cast/state/event.ts";
import { startState } from "../cast/state/state.ts";
import type { CastStart, CastState } from "../cast/state/state.ts";

/** Something that the engine asks of the world. */
export type Asked = Extract<Effect, { kind: "agent" | "utility" | "wait" }>;

export interface Simulated {
  readonly events: readonly CastEvent[];
  readonly state: CastState;
  /** Whether it came to its end. */
  readonly ended: boolean;
}

const NO_TIME = "1970-01-01T00:00:00.000Z";

/** A cast through the engine itself, with answers that cost nothing; given up after so many of them. */
export function simulate(
  start: CastStart,
  answer: (asked: Asked, state: CastState) => EventBody,
  mostAnswers: number,
): Simulated {
  const events: CastEvent[] = [];
  let state = startState(start);
  const note = (body: EventBody): void => {
    const event: CastEvent = { ...body, seq: state.seq + 1, at: NO_TIME };
    state = apply(state, event);
    events.push(event);
  };
  for (let answers = 0; answers <= mostAnswers;) {
    const effect = next(state);
    if (effect.kind === "stop") return { events, state, ended: true };
    if (effect.kind === "record") for (const body of effect.events) note(body);
    else if (effect.kind === "checkpoint") note(completed(state, effect.visit));
    else if (effect.kind === "fork")
      note({ type: "loop_forked", loop: effect.loop.id, lanes: 1, base: null, reason: "nothing is really worked on" });
    else if (effect.kind === "items" || effect.kind === "join") throw new Error("without a base there is no fork");
    else {
      note(answer(effect, state));
      answers += 1;
    }
  }
  return { events, state, ended: false };
}
