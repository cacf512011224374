import { decide, type EffectOutcome } from "./decide.ts";
import type { EventBody } from "./state/event.ts";
import type { CastState } from "./state/state.ts";
import { NO_USAGE } from "./state/usage.ts";
import { materiaOf, type GraphSocket } from "../compile/graph.ts";
import { isGate } from "../model/materia.ts";
import { type JsonObject, withValueAt } from "../model/json.ts";
import type { ExternalEffect } from "./simulate.ts";

/** An answer of an agent, program or person: yes or no, a list of so many items, or an invalid one. */
export interface SimulatedAnswer {
  readonly satisfied: boolean;
  readonly items: number;
  /** The index of a hostile reply, instead of a good one. */
  readonly hostile?: number;
  /** [T17] The provider of an agent refuses for so long, instead of a reply. */
  readonly resetMs?: number;
}

export const SIMPLEST_ANSWER: SimulatedAnswer = { satisfied: true, items: 1 };

/** Replies that break the contract, or try to reach other state. */
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

/** The outcome of a choice for the engine. */
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
  const whole = assign.reduce<JsonObject>(
    (object, { from, path }) =>
      from === "output" && path.length > 0 && !Object.hasOwn(handoff, path[0] ?? "")
        ? withValueAt(object, path, workItems)
        : object,
    handoff,
  );
  return JSON.stringify(whole);
}

/** Random numbers that are the same for the same seed on every machine. */
export interface RandomSource {
  /** From 0 up to, but not including, 1. */
  readonly next: () => number;
  /** A whole number below `limit`. */
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
