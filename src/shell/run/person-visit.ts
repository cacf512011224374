import type { EventBody } from "../../core/cast/state/event.ts";
import type { Effect } from "../../core/cast/next.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import { NO_USAGE } from "../../core/cast/state/usage.ts";
import { materiaOf } from "../../core/compile/graph.ts";
import { itemKey } from "../../core/model/handoff.ts";
import type { AgentHost } from "../ports.ts";
import { earlierTurns } from "./earlier-turns.ts";

/** [Q13] What a script answers for the person that is waited for; nothing where a real one is to be asked. */
export function scriptedAnswer(
  { socket, visit }: Extract<Effect, { kind: "wait" }>,
  state: CastState,
  { answerGate: judge }: AgentHost,
): EventBody | undefined {
  if (!judge || materiaOf(state.graph, socket).type !== "person") return undefined;
  const said = judge({
    socket: socket.id,
    materia: socket.materia,
    item: state.pass ? itemKey(state.pass.cursor) : null,
    earlierTurns: () => earlierTurns(state),
  });
  const place = { socket: socket.id, visit: visit.number };
  if (said?.kind === "failed")
    return { type: "turn_failed", ...place, reason: "rehearsal", message: said.message, usage: NO_USAGE };
  return said && { type: "person_judged", ...place, satisfied: said.satisfied, text: said.text };
}
