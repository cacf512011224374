import { appendAll } from "../model/lists.ts";
import { apply } from "./apply.ts";
import { itemResultOf, itemEndedEvent, itemMergeEvent, type MergeOutcome } from "./decide-items.ts";
import { itemCastStart } from "./item-runs.ts";
import { visitCompletedEvent, next, type Effect } from "./next.ts";
import type { CastEvent, EventBody } from "./state/event.ts";
import type { CastStart, CastState } from "./state/state.ts";
import type { SocketId } from "../model/ids.ts";
import { initialState } from "./state/initial-state.ts";

/** A request of the engine. */
export type ExternalEffect = Extract<Effect, { kind: "agent" | "utility" | "wait" }>;

export interface SimulatedCast {
  readonly events: readonly CastEvent[];
  /** The casts of parallel items. */
  readonly items: ItemEvents;
  readonly state: CastState;
  /** Whether it reached its end. */
  readonly ended: boolean;
}

const EPOCH_TIME = "1970-01-01T00:00:00.000Z";

type AnswerEffect = (asked: ExternalEffect, state: CastState) => EventBody;

/** How parallel items run: all at once, or one by one. */
export type ItemsMode = "at once" | "one by one";

/** Whether the work of an item that starts at this socket can be merged. */
export type CanMerge = (door: SocketId) => boolean;

/** Runs a cast through the engine with free answers; stops after so many of them. */
export function simulateCast(
  start: CastStart,
  answer: AnswerEffect,
  mostAnswers: number,
  itemsGo: ItemsMode = "one by one",
  merges: CanMerge = () => true,
): SimulatedCast {
  const events: CastEvent[] = [];
  const items = new Map<string, readonly CastEvent[]>();
  let answers = 0;
  const counted: AnswerEffect = (asked, state) => {
    answers += 1;
    return answer(asked, state);
  };
  let state = initialState(start);
  const note = (body: EventBody): void => {
    const event: CastEvent = { ...body, seq: state.seq + 1, at: EPOCH_TIME };
    state = apply(state, event);
    events.push(event);
  };
  const over = (ended: boolean): SimulatedCast => ({ events, items, state, ended });
  while (answers <= mostAnswers) {
    const effect = next(state);
    if (effect.kind === "stop") return over(true);
    if (effect.kind === "record") for (const body of effect.events) note(body);
    else if (effect.kind === "sleep") note({ type: "cast_woken" });
    else if (effect.kind === "checkpoint") note(visitCompletedEvent(state, effect.visit));
    else if (effect.kind === "fork" || effect.kind === "join") note(forkOrJoinEvent(effect, itemsGo));
    else if (effect.kind === "items") {
      const { fork, merge, running } = effect;
      const [run] = running;
      if (merge)
        note(itemMergeEvent(state, fork, merge, merges(fork.door) ? mergedAt(fork.tip) : conflictAt(fork.tip)));
      else if (run) {
        const item = simulateCast(itemCastStart(state, fork, run), counted, mostAnswers - answers);
        items.set(run.child, item.events);
        if (!item.ended) return over(false);
        note(itemEndedEvent(state, fork, run, itemResultOf(item.state)));
      }
    } else note(counted(effect, state));
  }
  return over(false);
}

function mergedAt(commit: string): MergeOutcome {
  return { kind: "merged", commit };
}

function conflictAt(onto: string): MergeOutcome {
  const reason = "The work cannot be merged: somebody else changed the same lines.";
  return { kind: "conflicted", onto, tree: NO_COMMIT, files: ["file"], reason };
}

/** No files exist, so only made-up conflicts occur. */
function forkOrJoinEvent(effect: Extract<Effect, { kind: "fork" | "join" }>, itemsGo: ItemsMode): EventBody {
  if (effect.kind === "join") return { type: "loop_joined", loop: effect.fork.loop, commit: effect.fork.tip };
  const { id, parallel = 1 } = effect.loop;
  const forked = { type: "loop_forked", loop: id, lanes: parallel } as const;
  if (itemsGo === "at once") return { ...forked, base: NO_COMMIT };
  return { ...forked, base: null, reason: "nothing is really worked on" };
}

const NO_COMMIT = "0".repeat(40);

/** Events of the casts of items, by their ids. */
export type ItemEvents = ReadonlyMap<string, readonly CastEvent[]>;

/**
 * [T26] The events of a cast with those of its items, as if they ran one by one: each item at its merge or conflict,
 * not at its completion. Items that were never merged come where the cast stops.
 */
export function mergeItemEvents(events: readonly CastEvent[], items: ItemEvents): readonly CastEvent[] {
  if (items.size === 0) return events;
  const open = new Map<number, string>();
  const all: CastEvent[] = [];
  const bring = (index: number): void => {
    const own = items.get(open.get(index) ?? "") ?? [];
    open.delete(index);
    appendAll(all, itemSteps(own));
  };
  for (const event of events) {
    if (event.type === "item_started") open.set(event.index, event.child);
    const isGivenUp = event.type === "item_given_up" && open.has(event.index);
    if (isGivenUp || event.type === "item_merged" || event.type === "item_conflicted") bring(event.index);
    if (STOP_EVENTS.has(event.type)) for (const index of [...open.keys()].toSorted((a, b) => a - b)) bring(index);
    // The item's own cast has this event.
    if (!isGivenUp) all.push(event);
  }
  return all;
}

const STOP_EVENTS: ReadonlySet<CastEvent["type"]> = new Set([
  "loop_joined",
  "limit_reached",
  "turn_failed",
  "cast_ended",
]);

/** Without events that belong to the cast and not to its item: its start, and the way from the item to the end. */
function itemSteps(events: readonly CastEvent[]): readonly CastEvent[] {
  const end = events.findIndex(({ type }) => type === "loop_exhausted");
  return (end === -1 ? events : events.slice(0, end)).filter(({ type }) => !CAST_ONLY_EVENTS.has(type));
}

const CAST_ONLY_EVENTS: ReadonlySet<CastEvent["type"]> = new Set([
  "cast_started",
  "loop_entered",
  "cast_ended",
  "spent_elsewhere",
]);
