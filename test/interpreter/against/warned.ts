import type { CastEvent, EventOf } from "../../../src/core/cast/state/event.ts";
import type { FlowStep } from "../../../src/core/compile/flow.ts";
import type { CompiledChain } from "../../../src/core/compile/targets/compile.ts";
import type { Ran } from "./engine.ts";

/** [G18, O16, L15] What happened although the check takes it for impossible. */
export function impossibleIn({ log }: Ran, { graph, flow }: CompiledChain): readonly string[] {
  const events = log.flatMap(({ event }) => (event ? [event] : []));
  // [R6] A person may give up an item where no edge does.
  if (events.some((event, at) => event.type === "cast_resumed" && isDecision(events[at + 1], events[at - 1])))
    return [];
  return events.flatMap((event, at) => {
    if (event.type === "visit_started")
      return flow.reached.has(flow.numberOf.get(event.socket) ?? -1) ? [] : [`${event.socket} is never reached`];
    const before = events[at - 1];
    if (event.type !== "edge_taken" || (before?.type === "loop_exhausted" && before.by === "empty")) return [];
    // [V29] The cast of an item ends behind it, wherever the loop leads. [L15] Giving up the last item is no end of a part.
    if (before?.type === "loop_exhausted" && event.to === "end") return [];
    const steps = flow.steps[flow.numberOf.get(event.from) ?? -1] ?? [];
    if (steps.some((step) => isStep(step, event))) return [];
    return [
      `never taken: ${event.from} ${event.to} ${event.via} ${event.index} of ${graph.sockets[event.from]?.materia}`,
    ];
  });
}

function isDecision(after: CastEvent | undefined, before: CastEvent | undefined): boolean {
  if (before?.type === "limits_raised" && before.items !== undefined) return true;
  return after?.type === "item_given_up" || after?.type === "person_judged";
}

function isStep({ way }: FlowStep, { via, index, then }: EventOf<"edge_taken">): boolean {
  if (way.via !== via) return false;
  return way.via === "none" || (way.index === index && (way.via === "exit" || way.then === then));
}
