import type { CastStart, CastState } from "../cast/state/state.ts";
import type { EventBody } from "../cast/state/event.ts";
import { evaluateFormula, type TurnFormula, worstCase } from "../compile/worst-case.ts";
import type { Flow } from "../compile/flow.ts";
import { oneLine, thrownMessage } from "../model/text.ts";
import {
  mergeItemEvents,
  simulateCast,
  type ExternalEffect,
  type ItemsMode,
  type SimulatedCast,
} from "../cast/simulate.ts";
import { answerEvent, type SimulatedAnswer } from "../cast/simulated-answer.ts";

/** The graph that a fuzzer casts. */
export interface FuzzSubject {
  readonly start: CastStart;
  readonly flow: Flow;
  /** With every repair. */
  readonly worst: TurnFormula;
}

export function fuzzSubject(start: CastStart, flow: Flow): FuzzSubject {
  return { start, flow, worst: worstCase(start.graph, flow, start.limits).withRepairs };
}

/** One cast of a fuzzer with its findings. */
export interface FuzzedCast {
  readonly itemsGo: ItemsMode;
  readonly choices: readonly GivenAnswer[];
  readonly cast: SimulatedCast | undefined;
  readonly turns: number;
  readonly findings: readonly string[];
}

/** An answer and its source. A "no" by `merge` is a conflict of the item. */
export interface GivenAnswer extends SimulatedAnswer {
  readonly by: ExternalEffect["kind"] | "merge";
  readonly socket: string;
}

/** Whether a report lists the answer: a merge without a conflict needs no line. */
export function isReportedAnswer({ by, satisfied }: GivenAnswer): boolean {
  return by !== "merge" || !satisfied;
}

/** Findings that are faults of the graph or the engine. Reaching a limit is no fault. */
const FAULTS = ["endless", "beyond the worst case", "the engine failed", "state"] as const;

export function isFault(finding: string): boolean {
  return FAULTS.some((word) => finding.startsWith(word));
}

const MOST_ANSWERS = 20_000;

/** [T17] Runs a cast with chosen answers until it ends. */
export function runFuzzCast(
  { start, worst }: FuzzSubject,
  choose: (at: number) => SimulatedAnswer,
  itemsGo: ItemsMode = "one by one",
): FuzzedCast {
  const choices: GivenAnswer[] = [];
  let turns = 0;
  const answer = (asked: ExternalEffect, state: CastState): EventBody => {
    const choice = choose(choices.length);
    choices.push({ ...choice, by: asked.kind, socket: asked.socket.id });
    if (asked.kind === "agent" && choice.resetMs === undefined) turns += 1;
    return answerEvent(choice, asked, state);
  };
  const merges = (door: string): boolean => {
    const choice = choose(choices.length);
    choices.push({ ...choice, by: "merge", socket: door });
    return choice.satisfied;
  };
  try {
    const cast = simulateCast(start, answer, MOST_ANSWERS, itemsGo, merges);
    return { itemsGo, choices, cast, turns, findings: findingsIn(cast, turns, worst) };
  } catch (thrown) {
    const finding = `the engine failed: ${oneLine(thrownMessage(thrown), 200)}`;
    return { itemsGo, choices, cast: undefined, turns, findings: [finding] };
  }
}

function findingsIn(cast: SimulatedCast, turns: number, worst: TurnFormula): readonly string[] {
  const events = mergeItemEvents(cast.events, cast.items);
  const sizes = longestLists(events);
  const most = evaluateFormula(worst, (loop) => sizes.get(loop) ?? 0);
  const stopped = events.flatMap((event) => {
    if (event.type === "limit_reached") {
      const { socket, to } = event.where;
      return [`limit ${event.limit} at ${socket}${to === undefined ? "" : ` → ${to}`}`];
    }
    // The cast of the item has reported why it failed.
    return event.type === "turn_failed" && event.reason !== "item"
      ? [`${event.reason} at ${event.socket}: ${oneLine(event.message, 160)}`]
      : [];
  });
  return [
    ...(cast.ended ? [] : ["endless: it does not come to an end"]),
    ...(turns > most ? [`beyond the worst case: more turns than ${JSON.stringify(worst)}`] : []),
    ...stopped,
  ];
}

/** The longest list of each loop. */
function longestLists(events: SimulatedCast["events"]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const event of events)
    if (event.type === "loop_entered") sizes.set(event.loop, Math.max(sizes.get(event.loop) ?? 0, event.size));
  return sizes;
}
