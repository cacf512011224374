import { createTurnControl, type TurnControl } from "../../src/apps/pi/agents/turn-control.ts";

/** Nobody interrupts, so nobody is asked. */
export function noQuestions(): TurnControl {
  return createTurnControl({ ask: async () => ({ kind: "stop" }), onUnread: () => undefined });
}
