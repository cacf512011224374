import { givesUp, materiaOf, socketOf, type GraphLoop } from "../../compile/graph.ts";
import { itemKey } from "../../model/handoff.ts";
import { budgetWarning, conflictsAllowed, limitOfConflict, limitOfTurn } from "../limits/limits.ts";
import type { EventBody } from "../state/event.ts";
import type { Fork, ItemRun } from "../state/fork.ts";
import type { CastState } from "../state/state.ts";
import { NO_USAGE } from "../state/usage.ts";
import { baseOf, childId, runAt, type Ended, type Running } from "./runs.ts";

/** What a parallel loop needs of the world. */
export type ItemsEffect =
  /** Where its items begin, if they can be worked on at once. */
  | { readonly kind: "fork"; readonly loop: GraphLoop }
  /** These are worked on, and this one is merged, all at once. */
  | {
      readonly kind: "items";
      readonly fork: Fork;
      readonly running: readonly Running[];
      readonly merge: Ended | null;
    }
  /** All are merged: the person's branch and files follow. */
  | { readonly kind: "join"; readonly fork: Fork };

type Decision = ItemsEffect | { readonly kind: "record"; readonly events: readonly EventBody[] };

/** [V5] Depends on what is written alone: the lowest item that may begin, what runs, what is merged, the end. */
export function nextOfFork(state: CastState, fork: Fork): Decision {
  const loop = state.graph.loops[fork.loop];
  if (!loop) throw new Error(`the graph has no loop ${fork.loop}`);
  const warning = budgetWarning(state);
  if (warning) return record(warning);
  const first = isOver(state, fork) ? undefined : runAt(fork, fork.merged);
  const given = givenUp(state, loop, fork, first);
  if (given) return record(given);
  const due = dueItem(state, fork, first);
  if (due !== undefined) return record(started(state, fork, due));
  const running = fork.running.flatMap((index) => runningAt(fork, index));
  const merge = first?.kind === "ended" ? first : null;
  if (running.length > 0 || merge) return { kind: "items", fork, running, merge };
  // [V11] What failed behind an item that ended the cast would never have begun one by one.
  return isOver(state, fork) ? { kind: "join", fork } : failure(state, fork, first);
}

function record(event: EventBody): Decision {
  return { kind: "record", events: [event] };
}

function runningAt(fork: Fork, index: number): readonly Running[] {
  const run = runAt(fork, index);
  return run?.kind === "running" ? [run] : [];
}

/** [V10] An item that its own cast gave up, or whose work may not be tried again where the loop gives items up. */
function givenUp(state: CastState, loop: GraphLoop, fork: Fork, first: ItemRun | undefined): EventBody | undefined {
  const base = { type: "item_given_up", loop: fork.loop, index: fork.merged } as const;
  if (first?.kind === "ended" && first.end.gaveUp !== undefined && !first.told)
    return { ...base, reason: first.end.gaveUp };
  if (first?.kind === "stuck" && isStuckForGood(state, fork, first) && givesUp(state.graph, loop))
    return { ...base, reason: first.conflict?.reason ?? "" };
  return undefined;
}

function isStuckForGood(state: CastState, fork: Fork, { index, conflict }: ItemRun): boolean {
  return (conflict?.round ?? 0) > conflictsAllowed(state, fork.number, index);
}

/** The place of the item that begins now, if one may. */
function dueItem(state: CastState, fork: Fork, first: ItemRun | undefined): number | undefined {
  const { pass } = state;
  if (!pass || fork.running.length >= fork.lanes || fork.failed.length > 0 || isOver(state, fork)) return undefined;
  if (limitOfFirstTurn(state, fork)) return undefined;
  if (first?.kind === "stuck") return isStuckForGood(state, fork, first) ? undefined : fork.merged;
  const end = fork.ender ?? pass.items.length;
  for (let index = fork.begun; index < end; index += 1)
    if (!runAt(fork, index) && (pass.items[index]?.after ?? []).every((number) => number <= fork.merged)) return index;
  return undefined;
}

/** [V13] The budget keeps an item from beginning only where it begins with a turn. */
function limitOfFirstTurn(state: CastState, { door }: Fork): EventBody | undefined {
  const { type } = materiaOf(state.graph, socketOf(state.graph, door));
  return type === "agent" ? limitOfTurn(state, door) : undefined;
}

/** Whether nothing is left to be merged: the list is at its end, or the item that ended the cast is merged. */
function isOver({ pass }: CastState, fork: Fork): boolean {
  return fork.merged >= Math.min(pass?.items.length ?? 0, (fork.ender ?? Infinity) + 1);
}

function started(state: CastState, fork: Fork, index: number): EventBody {
  const { pass } = state;
  if (!pass) throw new Error("a fork is inside a pass");
  const before = runAt(fork, index);
  const attempt = (before?.attempt ?? 0) + 1;
  return {
    type: "item_started",
    loop: fork.loop,
    index,
    title: pass.items[index]?.title ?? "",
    child: childId(state.castId, fork, index, attempt),
    attempt,
    base: before?.conflict?.onto ?? baseOf(fork, pass, index).commit,
  };
}

/** [V11] Only when nobody is at work any more: the lowest item that stopped says why the cast fails. */
function failure(state: CastState, fork: Fork, first: ItemRun | undefined): Decision {
  const [lowest = Infinity] = fork.failed;
  // One that may be tried again has not failed: what keeps it from that is told.
  if (first?.kind === "stuck" && isStuckForGood(state, fork, first))
    return record(limitOfConflict(state, fork.number, first.index));
  const run = runAt(fork, lowest);
  if (run?.kind !== "failed") {
    const limit = limitOfFirstTurn(state, fork);
    if (!limit) throw new Error(`the loop ${fork.loop} has items left, and none can begin`);
    return record(limit);
  }
  const { limit, reason } = run.end;
  if (limit) return record({ type: "limit_reached", ...limit });
  const title = state.pass?.items[run.index]?.title ?? "";
  const message = `${itemKey(run.index)} "${title}" failed: ${reason}`;
  return record({ type: "turn_failed", socket: fork.door, visit: 0, reason: "item", message, usage: NO_USAGE });
}
