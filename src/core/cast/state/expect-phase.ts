import type { EventBody } from "./event.ts";
import type { CastState, CastPhase } from "./state.ts";

/** The phase that an event of this type needs. Any other phase means that another program wrote the journal. */
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

/** After its end a cast accepts only a resume. */
export function expectNotEnded({ phase }: CastState, event: EventBody): void {
  if (phase.kind === "ended") throw new Error(`${event.type} cannot follow the end of a cast`);
}

/** A cast that reached the end of its graph cannot be resumed. */
export function expectNotCompleted({ phase }: CastState, event: EventBody): void {
  if (phase.kind === "ended" && (phase.outcome === "completed" || phase.outcome === "not_satisfied")) {
    throw new Error(`${event.type} cannot follow the end of a cast that is ${phase.outcome}`);
  }
}
