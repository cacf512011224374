import { castStatus } from "../cast/summary.ts";
import { foldVisits } from "../history/visits.ts";
import { lastLimitReached } from "./expectations.ts";
import {
  type RandomSource,
  seededRandom,
  randomAnswer,
  SIMPLEST_ANSWER,
  type SimulatedAnswer,
  answerHandoff,
  answerReplyText,
  mergeItemEvents,
  simulateCast,
  type ExternalEffect,
  type ItemsMode,
  type SimulatedCast,
  answerEvent,
} from "../cast/simulate.ts";
import { coverableNames, coveredNames } from "../history/way-names.ts";
import type { Graph, GraphSocket } from "../compile/graph.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { CastStart, CastState } from "../cast/state/state.ts";
import type { EventBody } from "../cast/state/event.ts";
import { evaluateFormula, type TurnFormula, worstCase } from "../compile/worst-case.ts";
import type { Flow } from "../compile/flow.ts";
import { oneLine, thrownMessage } from "../model/text.ts";

export interface FuzzSubject {
  readonly start: CastStart;
  readonly flow: Flow;
  /** With every repair. */
  readonly worst: TurnFormula;
}

export function fuzzSubject(start: CastStart, flow: Flow): FuzzSubject {
  return { start, flow, worst: worstCase(start.graph, flow, start.limits).withRepairs };
}

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

/** Findings that are faults of the graph or the engine. Reaching a limit is no fault. */
const FAULT = /^(?:endless|beyond the worst case|the engine failed|state)/;

const MOST_ANSWERS = 20_000;

/** [T17] Runs a cast with chosen answers until it ends. */
export function runFuzzCast(
  { start, worst }: FuzzSubject,
  choose: (at: number) => SimulatedAnswer,
  itemsGo: ItemsMode = "one by one",
): FuzzedCast {
  const choices: GivenAnswer[] = [];
  let turns = 0;
  const give = (by: GivenAnswer["by"], socket: string): SimulatedAnswer => {
    const choice = choose(choices.length);
    choices.push({ ...choice, by, socket });
    return choice;
  };
  const answer = (asked: ExternalEffect, state: CastState): EventBody => {
    const choice = give(asked.kind, asked.socket.id);
    if (asked.kind === "agent" && choice.resetMs === undefined) turns += 1;
    return answerEvent(choice, asked, state);
  };
  const merges = (door: string): boolean => give("merge", door).satisfied;
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
  const sizes = new Map<string, number>();
  for (const event of events)
    if (event.type === "loop_entered") sizes.set(event.loop, Math.max(sizes.get(event.loop) ?? 0, event.size));
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

export type FuzzResult = Readonly<ReturnType<typeof fuzzGraph>>;

/** [T17] Random and hostile casts of a graph. Equal seeds give equal results. */
export function fuzzGraph(
  subject: FuzzSubject,
  { casts, seed, items }: { readonly casts: number; readonly seed: number; readonly items: number },
) {
  const { start, flow } = subject;
  const { graph } = start;
  const unreachable: readonly string[] = flow.sockets.flatMap(({ id }, number) =>
    flow.reached.has(number) ? [] : [id],
  );
  const missing = new Set<string>([...unreachable, ...coverableNames(graph, flow)]);
  const outcomes: Record<string, number> = {};
  const found = new Map<string, { casts: number; smallest: FuzzedCast }>();
  let mostTurns = 0;
  let conflicts = 0;
  for (let number = 0; number < casts; number += 1) {
    const chance = seededRandom(seed + number);
    // Both ways to run the items of a parallel loop need tests.
    const one = runFuzzCast(subject, answerChooser(chance, items), number % 2 === 0 ? "one by one" : "at once");
    const { cast, turns, findings } = one;
    mostTurns = Math.max(mostTurns, turns);
    if (cast?.events.some(({ type }) => type === "item_conflicted")) conflicts += 1;
    const outcome = cast ? castStatus(cast.state, false) : "broken";
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (cast && missing.size > 0)
      for (const each of coveredNames(graph, mergeItemEvents(cast.events, cast.items))) missing.delete(each);
    for (const what of new Set(findings)) {
      const before = found.get(what);
      const smallest = before && before.smallest.choices.length <= one.choices.length ? before.smallest : one;
      found.set(what, { casts: (before?.casts ?? 0) + 1, smallest });
    }
  }
  const findings = [...found].map(([what, each]) => ({
    what,
    fault: FAULT.test(what),
    casts: each.casts,
    smallest: shrinkFuzzedCast(subject, each.smallest, what),
  }));
  return {
    casts,
    seed,
    outcomes,
    mostTurns,
    conflicts,
    findings: findings.toSorted((a, b) => Number(b.fault) - Number(a.fault) || b.casts - a.casts),
    /** Names of coverage that no cast took, sockets that nothing leads to included. */
    missing: [...missing],
    unreachable,
  };
}

/** Most answers are valid: with random ones few casts get beyond the first sockets. */
function answerChooser(chance: RandomSource, items: number) {
  const most = chance.below(items + 1);
  return () => randomAnswer(chance, most);
}

const MOST_TRIES = 200;

/** The smallest cast with the same finding: fewer and simpler answers. */
function shrinkFuzzedCast(subject: FuzzSubject, found: FuzzedCast, what: string): FuzzedCast {
  let best = found;
  const accept = (choices: readonly SimulatedAnswer[]): boolean => {
    const one = runFuzzCast(subject, (at) => choices[at] ?? SIMPLEST_ANSWER, found.itemsGo);
    if (!one.findings.includes(what) || one.choices.length > best.choices.length) return false;
    best = one;
    return true;
  };
  let at = 0;
  // Each try costs a cast.
  for (let tries = 0; tries < MOST_TRIES && at < best.choices.length; tries += 1) {
    const { choices } = best;
    // Try without the answer, then with the simplest one.
    if (accept([...choices.slice(0, at), ...choices.slice(at + 1)]) && best.choices.length < choices.length) continue;
    if (!isSimplestAnswer(choices[at] ?? SIMPLEST_ANSWER))
      accept([...choices.slice(0, at), SIMPLEST_ANSWER, ...choices.slice(at + 1)]);
    at += 1;
  }
  return best;
}

function isSimplestAnswer({ satisfied, items, hostile, resetMs }: SimulatedAnswer): boolean {
  const { satisfied: yes, items: few } = SIMPLEST_ANSWER;
  return satisfied === yes && items === few && hostile === undefined && resetMs === undefined;
}

/** [T18] A cast as a test file; nothing if a utility must give a special answer, because tests run utilities. */
export function fuzzedCastToTest({ choices, cast }: FuzzedCast, graph: Graph): JsonObject | undefined {
  if (!cast || choices.some((choice) => choice.by === "utility" && !isSimplestAnswer(choice))) return undefined;
  // A test cannot create a merge conflict.
  if (choices.some(({ by, satisfied }) => by === "merge" && !satisfied)) return undefined;
  const replies: Record<string, Json[]> = {};
  const answers: Json[] = [];
  for (const choice of choices) {
    const socket = graph.sockets[choice.socket];
    // [Z3] A refusal changes nothing of the way: a test needs none.
    const isRefusal = choice.by === "agent" && choice.resetMs !== undefined;
    if (!socket || isRefusal || choice.by === "utility" || choice.by === "merge") continue;
    const isPerson = graph.materia[socket.materia]?.type === "person";
    const { satisfied } = choice;
    const verdict = { json: satisfied ? { satisfied } : { satisfied, context: "no" } };
    if (choice.by === "wait" && !isPerson) answers.push(true);
    else (replies[choice.socket] ??= []).push(isPerson ? verdict : agentReply(choice, socket));
  }
  const limit = lastLimitReached(cast.events);
  return {
    cast: { loadout: graph.name, request: "Found by fuzzing", ...(answers.length === 0 ? {} : { answers }) },
    replies,
    expect: {
      outcome: castStatus(cast.state, false),
      path: foldVisits(cast.events).map(({ socket }) => socket),
      ...(limit === null ? {} : { limit }),
    },
  };
}

function agentReply(choice: GivenAnswer, socket: GraphSocket): Json {
  if (choice.hostile !== undefined || socket.parse === "text") return { text: answerReplyText(choice, socket) };
  return { json: answerHandoff(choice) };
}
