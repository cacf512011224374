import type { ReworkDecision } from "../command/command.ts";
import type { SocketId } from "../model/ids.ts";
import type { EventBody, EventOf } from "./state/event.ts";
import { expectPhase } from "./state/expect-phase.ts";
import type { ParallelRun } from "./state/parallel-run.ts";
import type { CastState } from "./state/state.ts";
import { getValue } from "./state/persistent-map.ts";

export interface ReworkLimit {
  readonly limit: "maxTraversals" | "maxUnchanged";
  /** The visit that was not satisfied; null for the cast of a parallel item. */
  readonly visit: { readonly socket: SocketId; readonly visit: number } | null;
  /** The current item, which can be given up; null outside lists. */
  readonly item: { readonly loop: string; readonly index: number } | null;
  readonly reason: string;
}

/** [R6, R9] The limit of a `not_satisfied` edge, before the cast leaves its visit. */
export function reworkLimitOf({ phase, pass, handed }: CastState): ReworkLimit | undefined {
  if (phase.kind !== "ended" || phase.outcome !== "failed" || !phase.limit) return undefined;
  const { before } = phase;
  const { limit } = phase.limit;
  if (limit !== "maxTraversals" && limit !== "maxUnchanged") return undefined;
  if (before.kind === "forked") return reworkLimitOfItem(limit, before.fork);
  if (before.kind !== "leaving" || before.moved !== "no" || phase.reached?.where.when !== "not_satisfied")
    return undefined;
  const { socket, number } = before.visit;
  const item = pass ? { loop: pass.loop, index: pass.cursor } : null;
  return { limit, visit: { socket, visit: number }, item, reason: handed?.reason ?? "" };
}

/** The lowest failed item is the reason why the cast failed. */
function reworkLimitOfItem(limit: ReworkLimit["limit"], fork: ParallelRun): ReworkLimit | undefined {
  const run = getValue(fork.runs, String(fork.failed[0]));
  if (run?.kind !== "failed" || run.end.limit?.where.when !== "not_satisfied") return undefined;
  return { limit, visit: null, item: { loop: fork.loop, index: run.index }, reason: run.end.handed?.reason ?? "" };
}

/** [R6] The events of a person's decision, written when the cast resumes. */
export function reworkDecisionEvents(state: CastState, decision: ReworkDecision | null): readonly EventBody[] {
  const limit = reworkLimitOf(state);
  if (!limit?.visit || !decision || decision.kind === "hint") return [];
  const { visit, item, reason } = limit;
  if (decision.kind === "accept") return [{ type: "person_judged", ...visit, satisfied: true, text: "" }];
  return item ? [{ type: "item_given_up", ...item, reason }] : [];
}

/** [R6] A person accepts the result: the cast continues as if the visit were satisfied. */
export function acceptUnsatisfiedResult(state: CastState, event: EventOf<"person_judged">): CastState {
  const { moved } = expectPhase(state, event, "leaving");
  if (moved !== "no") throw new Error("what has moved on cannot be judged any more");
  return { ...state, satisfied: event.satisfied };
}

/** [R6] A person's hint comes before the reason: it matters more, and is cut last. */
export function withPersonHint({ handed }: CastState, hint: string | undefined): CastState["handed"] {
  if (!handed || hint === undefined || hint.trim() === "") return handed;
  const hintText = `The person you work for says: ${hint.trim()}`;
  const beside = (text: string): string => (text.trim() === "" ? hintText : `${hintText}\n\n${text}`);
  return { ...handed, text: handed.text.trim() === "" ? "" : beside(handed.text), reason: beside(handed.reason) };
}
