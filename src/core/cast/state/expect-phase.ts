import type { EventBody } from "./event.ts";
import type { CastState, CastPhase } from "./state.ts";

/** The phase that an event of this type needs; anything else means that the journal was not written by us. */
export function expectPhase<K extends CastPhase["kind"]>(
  state: CastState,
  event: EventBody,
  kind: K,
): Extract<CastPhase, { kind: K }> {
  const { phase } = state;
  if (phase.kind !== kind) throw new Error(`${event.type} cannot happen while the cast is ${phase.kind}`);
  if (
    "socket" in event &&
    "visit" in phase &&
    (event.socket !== phase.visit.socket || event.visit !== phase.visit.number)
  ) {
    throw new Error(
      `${event.type} names visit ${event.visit} of ${event.socket}, but the cast is at visit ${phase.visit.number} of ${phase.visit.socket}`,
    );
  }
  return phase as Extract<CastPhase, { kind: K }>; // its kind was compared above
}

/** Nothing happens to a cast that has ended, except that it is resumed. */
export function expectNotEnded({ phase }: CastState, event: EventBody): void {
  if (phase.kind === "ended") throw new Error(`${event.type} cannot follow the end of a cast`);
}

/** What reached the end of its graph is over for good. */
export function expectNotCompleted({ phase }: CastState, event: EventBody): void {
  if (phase.kind === "ended" && (phase.outcome === "completed" || phase.outcome === "not_satisfied")) {
    throw new Error(`${event.type} cannot follow the end of a cast that is ${phase.outcome}`);
  }
}
