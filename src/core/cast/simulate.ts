import { appendAll } from "../model/lists.ts";
import { apply } from "./apply.ts";
import { itemResultOf, itemEndedEvent, itemMergeEvent, type MergeOutcome } from "./decide-items.ts";
import { itemCastStart } from "./item-runs.ts";
import { visitCompletedEvent, next, type Effect } from "./next.ts";
import type { CastEvent, EventBody } from "./state/event.ts";
import type { CastStart, CastState } from "./state/state.ts";
import type { SocketId } from "../model/ids.ts";
import { initialState } from "./state/initial-state.ts";
import { decide, type EffectOutcome } from "./decide.ts";
import { NO_USAGE } from "./state/usage.ts";
import { materiaOf, type GraphSocket } from "../compile/graph.ts";
import { isGate } from "../model/materia.ts";
import { type JsonObject, withValueAt } from "../model/json.ts";

export type ExternalEffect = Extract<Effect, { kind: "agent" | "utility" | "wait" }>;

export interface SimulatedCast {
  readonly events: readonly CastEvent[];
  readonly items: ItemEvents;
  readonly state: CastState;
  readonly ended: boolean;
}

const EPOCH_TIME = "1970-01-01T00:00:00.000Z";

type AnswerEffect = (asked: ExternalEffect, state: CastState) => EventBody;

export type ItemsMode = "at once" | "one by one";

export type CanMerge = (door: SocketId) => boolean;

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
      if (merge) note(itemMergeEvent(state, fork, merge, mergeOutcome(fork.tip, merges(fork.door))));
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

function mergeOutcome(tip: string, merges: boolean): MergeOutcome {
  if (merges) return { kind: "merged", commit: tip };
  const reason = "The work cannot be merged: somebody else changed the same lines.";
  return { kind: "conflicted", onto: tip, tree: NO_COMMIT, files: ["file"], reason };
}

function forkOrJoinEvent(effect: Extract<Effect, { kind: "fork" | "join" }>, itemsGo: ItemsMode): EventBody {
  if (effect.kind === "join") return { type: "loop_joined", loop: effect.fork.loop, commit: effect.fork.tip };
  const { id, parallel = 1 } = effect.loop;
  const forked = { type: "loop_forked", loop: id, lanes: parallel } as const;
  if (itemsGo === "at once") return { ...forked, base: NO_COMMIT };
  return { ...forked, base: null, reason: "nothing is really worked on" };
}

const NO_COMMIT = "0".repeat(40);

export type ItemEvents = ReadonlyMap<string, readonly CastEvent[]>;

/** [T26] As if the items ran one by one: each at its merge or conflict, and those that never merged where the cast stops. */
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
    if (STOP_EVENTS.includes(event.type)) for (const index of [...open.keys()].toSorted((a, b) => a - b)) bring(index);
    // The item's own cast has this event.
    if (!isGivenUp) all.push(event);
  }
  return all;
}

const STOP_EVENTS: readonly CastEvent["type"][] = ["loop_joined", "limit_reached", "turn_failed", "cast_ended"];

/** Without events that belong to the cast and not to its item: its start, and the way from the item to the end. */
function itemSteps(events: readonly CastEvent[]): readonly CastEvent[] {
  const end = events.findIndex(({ type }) => type === "loop_exhausted");
  return (end === -1 ? events : events.slice(0, end)).filter(({ type }) => !CAST_ONLY_EVENTS.includes(type));
}

const CAST_ONLY_EVENTS: readonly CastEvent["type"][] = [
  "cast_started",
  "loop_entered",
  "cast_ended",
  "spent_elsewhere",
];

export interface SimulatedAnswer {
  readonly satisfied: boolean;
  readonly items: number;
  readonly hostile?: number;
  /** [T17] The provider of an agent refuses for so long, instead of a reply. */
  readonly resetMs?: number;
}

export const SIMPLEST_ANSWER: SimulatedAnswer = { satisfied: true, items: 1 };

const HOSTILE_REPLIES: readonly [string, ...string[]] = [
  "I would rather not say.",
  "",
  "[]",
  "null",
  '{"satisfied":"yes"}',
  '{"workItems":{}}',
  '{"workItems":[{"title":1}]}',
  '{"__proto__":{"satisfied":true}}',
  '{"satisfied":true',
  '```json\n{"satisfied":false}\n```\nor {"satisfied":true}',
  '{"tasks":[],"passed":true}',
  '{"context":7,"satisfied":false}',
];

export function randomAnswer(chance: RandomSource, mostItems: number): SimulatedAnswer {
  const satisfied = chance.next() < 0.6;
  const items = chance.below(mostItems + 1);
  const luck = chance.next();
  if (luck < 0.04) return { satisfied, items, hostile: chance.below(HOSTILE_REPLIES.length) };
  // A retry, or a sleep.
  return luck < 0.98 ? { satisfied, items } : { satisfied, items, resetMs: luck < 0.99 ? 1_000 : 7_200_000 };
}

export function answerEvent(choice: SimulatedAnswer, asked: ExternalEffect, state: CastState): EventBody {
  const { socket } = asked;
  const place = { socket: socket.id, visit: asked.visit.number };
  if (asked.kind === "wait") {
    const isGateOfPerson = materiaOf(state.graph, socket).type === "person";
    const { satisfied } = choice;
    return isGateOfPerson
      ? { type: "person_judged", ...place, satisfied, text: satisfied ? "" : "no" }
      : { type: "person_finished", ...place };
  }
  return decide(state, socket, answerOutcome(choice, asked, state));
}

function answerOutcome(choice: SimulatedAnswer, { kind, socket }: ExternalEffect, { graph }: CastState): EffectOutcome {
  if (kind === "agent" && choice.resetMs !== undefined) return refusedOutcome(choice.resetMs);
  if (kind === "agent") return { kind: "replied", text: answerReplyText(choice, socket), usage: NO_USAGE };
  if (isGate(materiaOf(graph, socket))) return { kind: "ended", code: choice.satisfied ? 0 : 1, printed: "no" };
  return { kind: "exited", stdout: programOutput(choice, socket), cut: false };
}

function refusedOutcome(at: number): EffectOutcome {
  const turn = { message: "limit", failure: "provider", model: "fuzz/x", models: ["fuzz/x"], wasAsked: true } as const;
  return { kind: "refused", refusal: { kind: "until", at }, ...turn, usage: NO_USAGE, ms: 0, now: 0 };
}

export function answerReplyText(choice: SimulatedAnswer, { parse }: GraphSocket): string {
  if (choice.hostile !== undefined) return HOSTILE_REPLIES[choice.hostile] ?? "";
  return parse === "text" ? "done" : JSON.stringify(answerHandoff(choice));
}

export function answerHandoff({ satisfied, items }: SimulatedAnswer): JsonObject {
  const workItems = Array.from({ length: items }, (_, index) => ({ title: `Item ${index + 1}`, context: "" }));
  return { satisfied, context: satisfied ? "" : "not yet", workItems };
}

/** A program returns every field that its socket assigns. */
function programOutput(choice: SimulatedAnswer, { parse, assign }: GraphSocket): string {
  if (parse === "text") return "done";
  const handoff = answerHandoff(choice);
  const { workItems = [] } = handoff;
  let whole = handoff;
  for (const { from, path } of assign)
    if (from === "output" && path.length > 0 && !Object.hasOwn(handoff, path[0] ?? ""))
      whole = withValueAt(whole, path, workItems);
  return JSON.stringify(whole);
}

export interface RandomSource {
  readonly next: () => number;
  readonly below: (limit: number) => number;
  readonly pick: <T>(from: readonly [T, ...T[]]) => T;
}

/** mulberry32: small, fast, and good enough to choose answers. */
export function seededRandom(seed: number): RandomSource {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, pick: (from) => from[below(from.length)] ?? from[0] };
}
