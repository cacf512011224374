import { apply } from "../cast/apply.ts";
import { endsCast } from "../cast/item-lists.ts";
import { decide, type EffectOutcome } from "../cast/decide.ts";
import { visitCompletedEvent, next, type Effect } from "../cast/next.ts";
import type { CastEvent, EventBody, EventOf } from "../cast/state/event.ts";
import type { CastStart, CastState } from "../cast/state/state.ts";
import { NO_USAGE } from "../cast/state/usage.ts";
import { type Graph, type GraphSocket, materiaOf } from "../compile/graph.ts";
import {
  feedsParallelLoop,
  handoffModeOf,
  refusalNeedsReason,
  requiredHandoffFields,
} from "../compile/socket-outputs.ts";
import { withoutUndefined } from "../model/json.ts";
import { itemKeyOfCast, parallelRunNumber } from "../model/ids.ts";
import { appendTo } from "../model/lists.ts";
import { isGate } from "../model/materia.ts";
import { writeAgentPrompt, type AgentPrompt } from "../prompt/agent-prompt.ts";
import type { ExternalEffect } from "../cast/simulate.ts";
import { visitKey } from "../history/visits.ts";
import { findDifferences, recordedInputsOf, type RecordedInputs, type RecordedCast, isRefusal } from "./differences.ts";
import { initialState } from "../cast/state/initial-state.ts";
import { countOf } from "../cast/state/persistent-map.ts";
import { hasResult } from "../cast/summary.ts";

export interface ReplayResult {
  readonly events: readonly CastEvent[];
  readonly prompts: ReadonlyMap<string, readonly AgentPrompt[]>;
  readonly state: CastState;
  /** The visit at which the replay ended, because the recording has no answer for it. */
  readonly unanswered?: { readonly socket: GraphSocket; readonly visit: number };
}

export interface ReplayComparison {
  readonly before: RecordedInputs;
  readonly after: ReplayResult;
}

/** Decides whether a replay ends early, before each visit and before each parallel loop. */
export type StopBefore = (key: string) => boolean;

/** [T14] The recorded answers on the current configuration. Runs nothing and writes nothing. */
export function replayCast(
  recorded: RecordedCast,
  now: CastStart,
  endsBefore: StopBefore = () => false,
): ReplayComparison {
  const before = recordedInputsOf(recorded);
  const { answers, resumptions } = before;
  const items = recorded.events.filter(({ type }) => ITEM_EVENT_TYPES.has(type));
  const prompts = new Map<string, AgentPrompt[]>();
  const events: CastEvent[] = [];
  let state = initialState(now);
  const note = (body: EventBody, at: string): void => {
    const event: CastEvent = { ...body, seq: state.seq + 1, at };
    state = apply(state, event);
    events.push(event);
    // [V13] What other items had used by then.
    const elsewhere = recorded.events[events.length];
    if (elsewhere?.type === "spent_elsewhere" && canApply(state, elsewhere)) note(elsewhere, elsewhere.at);
  };
  let at = recorded.events[0]?.at ?? "";
  for (;;) {
    const effect = next(state);
    if (effect.kind === "record") {
      const visit = nextVisitKey(effect);
      if (visit !== undefined && endsBefore(visit)) break;
      // [V50] Which loops run one by one because of their edges, the engine decides again.
      if (effect.events[0]?.type === "loop_forked" && items[0]?.type === "loop_forked") items.shift();
      for (const body of effect.events) note(asRecorded(body, recorded), at);
      continue;
    }
    if (effect.kind === "stop") {
      if (resumptions.length === 0 || hasResult(state)) break;
      for (const again of takeResumption(resumptions)) note(again, (at = again.at));
      continue;
    }
    if (effect.kind === "sleep" || effect.kind === "fork" || effect.kind === "items" || effect.kind === "join") {
      if (effect.kind === "fork" && endsBefore(loopForkKey(state.forks + 1))) break;
      // [V7] The journal has the results of item casts; each item cast has its own replay.
      const event = effect.kind === "sleep" ? { type: "cast_woken" as const, at } : items.shift();
      if (!event || !canApply(state, event)) break;
      note(event, (at = event.at));
      continue;
    }
    const key = visitKey(effect.socket.id, effect.visit.number);
    if (effect.kind === "checkpoint") {
      note(visitCompletedEvent(state, effect.visit, before.completed.get(key)?.files), at);
      continue;
    }
    const answer = answers.get(key)?.shift();
    if (effect.kind === "agent" && !(answer && isRefusal(answer)))
      appendTo(prompts, key, writeAgentPrompt(state, effect));
    const body = answer && answerFor({ recorded, state, effect, answer, turnsTaken: prompts.get(key)?.length ?? 1 });
    if (!body || !answer) {
      const unanswered = { socket: effect.socket, visit: effect.visit.number };
      return { before, after: { events, prompts, state, unanswered } };
    }
    note(body, (at = answer.at));
  }
  return { before, after: { events, prompts, state } };
}

/** [T51] Where parallel items would differ, each named before its visit, with the loop that a fork begins before. */
export function findItemDifferences(recorded: RecordedCast, { graph, limits }: CastStart) {
  const ends = recorded.events.filter((event) => event.type === "item_ended");
  const endOf = new Map(ends.map((end) => [end.child, end]));
  return (recorded.items ?? []).flatMap((item) => {
    const { castId, window } = item.start;
    const walked = window && graph.loops[window.loop];
    // The replay of its parent says that there are no such items now.
    if (!window || walked?.parallel === undefined) return [];
    const loop = loopForkKey(Number(parallelRunNumber(castId)));
    const gone = { visit: `${window.door}#1`, kind: "socket" as const, message: `${window.door} was removed` };
    const replay = walked.sockets.includes(window.door) && replayCast(item, { ...item.start, graph, limits });
    const inside = replay ? findDifferences(item, replay) : [gone];
    const end = endOf.get(castId);
    const isSame = replay && inside.length === 0 && end;
    const found = isSame ? differencesBehind(end, recorded.start.graph, replay.after.state) : inside;
    return found.map((each) => ({ ...each, visit: `${itemKeyOfCast(castId)} ${each.visit}`, loop }));
  });
}

/** [V11] Whether the cast ends behind an item is decided by the edges of the socket from which the item advanced. */
function differencesBehind(end: EventOf<"item_ended">, was: Graph, { graph: is, lastPass, visits }: CastState) {
  const [before, now] = [was, is].map((graph) => endsCast({ graph, pass: lastPass }, end));
  if (end.advanced === null || before === now) return [];
  const message = `the cast ${now ? "ends" : "goes on"} behind this item`;
  return [{ visit: visitKey(end.advanced, countOf(visits, end.advanced)), kind: "edge" as const, message }];
}

export function nextVisitKey(effect: Effect): string | undefined {
  const begins = effect.kind === "record" ? effect.events.find((body) => body.type === "visit_started") : undefined;
  return begins && visitKey(begins.socket, begins.visit);
}

/** The key of the n-th parallel loop among the keys of visits. */
export function loopForkKey(number: number): string {
  return `fork ${number}`;
}

const ITEM_EVENT_TYPES: ReadonlySet<string> = new Set([
  "loop_forked",
  "item_ended",
  "item_merged",
  "item_conflicted",
  "loop_joined",
]);

/** Whether the recorded event of an item fits the current state; the socket that left the item may be gone. */
function canApply(state: CastState, event: EventBody & Pick<CastEvent, "at">): boolean {
  if (event.type === "item_ended" && event.advanced !== null && !state.graph.sockets[event.advanced]) return false;
  try {
    return Boolean(apply(state, { ...event, seq: state.seq + 1 }));
  } catch {
    return false;
  }
}

/** What the shell has added to an event of the engine. */
function asRecorded(body: EventBody, recorded: RecordedCast): EventBody {
  if (body.type === "cast_started") return startedAsRecorded(body, recorded);
  return body.type === "visit_started" && body.continues !== undefined ? continuedAsRecorded(body, recorded) : body;
}

/** [I4] A conversation that was too long or missing then is so in a replay. */
function continuedAsRecorded(body: EventOf<"visit_started">, { events }: RecordedCast): EventBody {
  const then = events.find(
    (event) => event.type === "visit_started" && event.socket === body.socket && event.visit === body.visit,
  );
  if (then?.type !== "visit_started" || then.fresh === undefined) return body;
  const { continues: _visit, continuesFrom: _castId, ...started } = body;
  return { ...started, fresh: then.fresh };
}

/** A replay has the first checkpoint of the recording, and its mark as a rehearsal. */
function startedAsRecorded(body: EventOf<"cast_started">, { events: [first] }: RecordedCast): EventBody {
  if (first?.type !== "cast_started") return body;
  const { castId, request, loadout, type } = body;
  const { files, rehearsed } = first;
  return { type, castId, request, loadout, ...withoutUndefined({ files, rehearsed }) };
}

/** Removes the next resume, with the limits raised before it and the decision about refused work behind it. */
function takeResumption(resumptions: CastEvent[]): readonly CastEvent[] {
  const at = resumptions.findIndex(({ type }) => type === "cast_resumed");
  const isDecided = /^(?:person_judged|item_given_up)$/.test(resumptions[at + 1]?.type ?? "");
  return resumptions.splice(0, at === -1 ? resumptions.length : at + (isDecided ? 2 : 1));
}

interface ReplayQuestion {
  readonly recorded: RecordedCast;
  readonly state: CastState;
  readonly effect: ExternalEffect;
  readonly answer: CastEvent;
  readonly turnsTaken: number;
}

/** The event of a recorded answer now; nothing if a different kind of materia would answer. */
function answerFor({ recorded, state, effect, answer, turnsTaken }: ReplayQuestion): EventBody | undefined {
  const { socket } = effect;
  const before = recorded.start.graph.sockets[socket.id];
  const { seq: _seq, at: _at, ...body } = answer;
  if (effect.kind === "wait") return PERSON_EVENTS.has(body.type) || body.type === "cast_ended" ? body : undefined;
  if (PERSON_EVENTS.has(body.type)) return undefined;
  if (!REPLY_EVENTS.has(body.type)) return body;
  if (before && replyContract(recorded.start.graph, before) === replyContract(state.graph, socket)) {
    // Another socket may no longer set the values of the state that it assigns.
    const readsState = socket.assign.some(({ from }) => from !== "output");
    return readsState ? decideAgain(state, effect, replyTextOf(body), body) : body;
  }
  if (before && materiaKind(recorded.start.graph, before) !== materiaKind(state.graph, socket)) return undefined;
  const text = recorded.rawReplies?.(socket.id, effect.visit.number)?.[turnsTaken - 1] ?? replyTextOf(body);
  return decideAgain(state, effect, text, body);
}

const PERSON_EVENTS: ReadonlySet<string> = new Set(["person_answered", "person_finished", "person_judged"]);
const REPLY_EVENTS: ReadonlySet<string> = new Set([
  "handoff_accepted",
  "output_accepted",
  "handoff_rejected",
  "turn_answered",
]);

/** Everything that decides how the engine reads a reply. */
export function replyContract(graph: Graph, socket: GraphSocket): string {
  const { parse, generator, interactive, assign } = socket;
  const kind = materiaKind(graph, socket);
  const fields = requiredHandoffFields(graph, socket).keys();
  const needs = [...fields, refusalNeedsReason(graph, socket), feedsParallelLoop(graph, socket)];
  return JSON.stringify([kind, parse, generator, interactive, assign, needs]);
}

function materiaKind(graph: Graph, socket: GraphSocket): string {
  const materia = materiaOf(graph, socket);
  return isGate(materia) ? `${materia.type} gate` : materia.type;
}

function replyTextOf(body: EventBody): string | undefined {
  if (body.type === "handoff_accepted") return JSON.stringify(body.handoff);
  return body.type === "output_accepted" || body.type === "turn_answered" ? body.text : undefined;
}

/** Reads the reply again, and keeps the recorded event if the result is equal. */
function decideAgain(
  state: CastState,
  effect: Extract<ExternalEffect, { kind: "agent" | "utility" }>,
  text: string | undefined,
  otherwise: EventBody,
): EventBody {
  if (text === undefined) return otherwise;
  const usage = "usage" in otherwise ? (otherwise.usage ?? NO_USAGE) : NO_USAGE;
  const outcome: EffectOutcome =
    effect.kind === "agent"
      ? { kind: "replied", text, ...replyWay(state, effect, otherwise), usage }
      : { kind: "exited", stdout: text, cut: false };
  const body = decide(state, effect.socket, outcome);
  const isSame =
    body.type === otherwise.type && JSON.stringify(replyContent(body)) === JSON.stringify(replyContent(otherwise));
  return isSame ? otherwise : body;
}

/** [H25] A recorded reply is given as its agent would give it now, unless it called the tool then. */
function replyWay({ graph }: CastState, { socket }: ExternalEffect, then: EventBody): { byTool?: true } {
  const wasCall = (then.type === "handoff_accepted" && then.found === "tool") || ("byTool" in then && then.byTool);
  return wasCall || handoffModeOf(graph, socket) === "tool" ? { byTool: true } : {};
}

function replyContent(body: EventBody): unknown {
  return body.type === "handoff_accepted" ? body.handoff : replyTextOf(body);
}
