import type { CastEvent, EventOf } from "../cast/state/event.ts";
import { appendTo } from "../model/lists.ts";
import { type Graph, castSocketLabel } from "../compile/graph.ts";
import { oneLine } from "../model/text.ts";
import { castStatus, endReason } from "../cast/summary.ts";
import { eventsOfVisit, foldVisits, visitKey } from "../history/visits.ts";
import { countWaysTaken } from "../history/way-names.ts";
import type { ReplayComparison } from "./replay.ts";
import { type AgentPrompt, writeAgentPrompt } from "../prompt/agent-prompt.ts";
import { apply } from "../cast/apply.ts";
import { next } from "../cast/next.ts";
import type { CastStart, CastState } from "../cast/state/state.ts";
import { initialState } from "../cast/state/initial-state.ts";

export interface RecordedCast {
  readonly start: CastStart;
  readonly events: readonly CastEvent[];
  /** The raw replies of a visit, if the caller loaded them. */
  readonly rawReplies?: (socket: string, visit: number) => readonly string[] | undefined;
  /** The casts of its parallel items. */
  readonly items?: readonly RecordedCast[];
}

/** [T14] What the engine did not decide: answers by visit, and events that resumed a stopped cast. */
export type RecordedInputs = ReturnType<typeof recordedInputsOf>;

/** Every event that the engine would not decide by itself is an external input. */
export function recordedInputsOf({ start, events }: RecordedCast) {
  const answers = new Map<string, CastEvent[]>();
  const prompts = new Map<string, AgentPrompt[]>();
  const resumptions: CastEvent[] = [];
  /** The end of each visit, with its checkpoint. */
  const completed = new Map<string, EventOf<"visit_completed">>();
  let state = initialState(start);
  for (const event of events) {
    const key = "visit" in state.phase ? visitKey(state.phase.visit.socket, state.phase.visit.number) : undefined;
    const isInput = !BESIDE_ANSWERS.test(event.type) && !isEngineDecision(state, event);
    // [R6] A decision about refused work belongs to the resume before it.
    if (state.phase.kind === "ended" || (isInput && state.phase.kind === "leaving")) resumptions.push(event);
    else if (isInput && key !== undefined) {
      appendTo(answers, key, event);
      const due = isRefusal(event) ? undefined : next(state);
      const text = due?.kind === "agent" ? writeAgentPrompt(state, due) : undefined;
      if (text) appendTo(prompts, key, text);
    }
    if (event.type === "visit_completed") completed.set(visitKey(event.socket, event.visit), event);
    state = apply(state, event);
  }
  return { answers, resumptions, completed, prompts, state };
}

const BESIDE_ANSWERS = /^(?:cast_resumed|limits_raised|spent_elsewhere)$/;

/** The same turn continues after it, with the same prompt. */
export function isRefusal({ type }: CastEvent): boolean {
  return type === "turn_retried" || type === "model_switched" || type === "cast_sleeping";
}

function isEngineDecision(state: CastState, { type }: CastEvent): boolean {
  const effect = next(state);
  // The end of a visit has its checkpoint.
  if (effect.kind === "checkpoint") return type === "visit_completed";
  return effect.kind === "record" && effect.events.some((body) => body.type === type);
}

export type ReplayDifferenceKind = "prompt" | "fields" | "handoff" | "edge" | "limit" | "socket" | "end";

export interface ReplayDifference {
  /** `Socket-2#1`; the last visit for a difference at the end. */
  readonly visit: string;
  readonly kind: ReplayDifferenceKind;
  readonly message: string;
}

function differs(visit: string, kind: ReplayDifferenceKind, message: string): ReplayDifference {
  return { visit, kind, message };
}

interface Graphs {
  readonly was: Graph;
  readonly is: Graph;
}

interface VisitTrack {
  readonly key: string;
  readonly materia: string;
  readonly socket: string;
  readonly events: readonly CastEvent[];
}

/** [T30] Where the cast would now differ: the first difference and its consequences. */
export function findDifferences(recorded: RecordedCast, replay: ReplayComparison): readonly ReplayDifference[] {
  const { before, after } = replay;
  const [old, now] = [visitTracks(recorded.events), visitTracks(after.events)];
  const graphs = { was: recorded.start.graph, is: after.state.graph };
  const found: ReplayDifference[] = [];
  const parted = old.findIndex((track, index) => track.key !== now[index]?.key);
  const together = parted === -1 ? Math.min(old.length, now.length) : Math.min(parted, now.length);
  for (let index = 0; index < together; index += 1) {
    const [left, right] = [old[index], now[index]];
    if (!left || !right) break;
    if (left.materia !== right.materia)
      found.push(differs(left.key, "socket", `${right.socket} has ${right.materia} now, not ${left.materia}`));
    const [oldPrompts, newPrompts] = [before.prompts.get(left.key) ?? [], after.prompts.get(left.key) ?? []];
    found.push(
      ...oldPrompts.flatMap((text, turn) => {
        const other = newPrompts[turn];
        return other ? promptDifferences(left.key, text, other) : [];
      }),
      ...answerDifferences(left, right),
      ...wayDifferences(left, right, graphs),
    );
  }
  found.push(
    ...differencesAfterParting(old.slice(together), now.slice(together), graphs),
    ...endDifferences(replay, now.at(-1)),
  );
  // Two turns of a visit may have the same prompt; report one difference.
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

function visitTracks(events: readonly CastEvent[]): readonly VisitTrack[] {
  return foldVisits(events).map((visit) => ({
    key: visitKey(visit.socket, visit.visit),
    socket: visit.socket,
    materia: visit.materia,
    events: eventsOfVisit(events, visit),
  }));
}

function answerDifferences(left: VisitTrack, right: VisitTrack): readonly ReplayDifference[] {
  const [was, is] = [resultOf(left), resultOf(right)];
  if (!was || !is) return [];
  const problems = right.events.flatMap((event) =>
    event.type === "handoff_rejected" ? event.issues : event.type === "turn_failed" ? [event.message] : [],
  );
  const isRefused = is.type === "handoff_rejected" || is.type === "turn_failed";
  if (isRefused && was.type !== is.type)
    return [differs(left.key, "fields", `the answer is no longer accepted: ${oneLine(problems.join("; "), 300)}`)];
  const [old, now] = [answerText(was), answerText(is)];
  if (old === now) return [];
  return [differs(left.key, "handoff", `was ${oneLine(old, 160)}, is ${oneLine(now, 160)}`)];
}

const RESULTS = /^(?:handoff_accepted|output_accepted|handoff_rejected|turn_failed)$/;

function resultOf({ events }: VisitTrack): CastEvent | undefined {
  return events.findLast(({ type }) => RESULTS.test(type));
}

function answerText(event: CastEvent): string {
  if (event.type === "handoff_accepted") return JSON.stringify(event.handoff);
  return event.type === "output_accepted" ? event.text : event.type;
}

function wayDifferences(left: VisitTrack, right: VisitTrack, { was, is }: Graphs): readonly ReplayDifference[] {
  const [old, now] = [[...countWaysTaken(was, left.events).keys()], [...countWaysTaken(is, right.events).keys()]];
  const [limit, reached] = [limitIn(left), limitIn(right)];
  // A visit without an accepted reply takes no way; the difference of the reply says enough.
  const isOtherWay = old.join(", ") !== now.join(", ") && now.length > 0;
  if (reached === limit) return isOtherWay ? [differs(left.key, "edge", edgeText(old, now))] : [];
  return [differs(left.key, "limit", reached === "" ? `${limit} is no longer reached` : `${reached} is reached`)];
}

function limitIn({ events }: VisitTrack): string {
  const hit = events.find((event) => event.type === "limit_reached");
  return hit?.type === "limit_reached" ? `${hit.limit} ${hit.value}` : "";
}

function edgeText(old: readonly string[], now: readonly string[]): string {
  const words = (ways: readonly string[]): string => (ways.length === 0 ? "no way on" : ways.join(", "));
  return `${words(now)} is taken, not ${words(old)}`;
}

function differencesAfterParting(old: readonly VisitTrack[], now: readonly VisitTrack[], { was, is }: Graphs) {
  const gone = [...new Set(old.map(({ socket }) => socket))].filter((id) => !Object.hasOwn(is.sockets, id));
  const come = now.filter(({ socket }) => !Object.hasOwn(was.sockets, socket));
  const path = (tracks: readonly VisitTrack[]): string => {
    const shown = tracks.slice(0, 8).map(({ key, materia }) => `${key} (${materia})`);
    return `${shown.join(", ")}${tracks.length > 8 ? `, … ${tracks.length - 8} more` : ""}`;
  };
  const parted = now[0] ?? old[0];
  const [went, goes] = [old.length === 0 ? "the end" : path(old), now.length === 0 ? "no further visit" : path(now)];
  return [
    ...come.map(({ key, socket, materia }) => differs(key, "socket", `${socket} (${materia}) is new`)),
    ...gone.map((id) => differs(old.find(({ socket }) => socket === id)?.key ?? id, "socket", `${id} was removed`)),
    ...(parted ? [differs(parted.key, "edge", `then ${goes}, not ${went}`)] : []),
  ];
}

function endDifferences({ before, after }: ReplayComparison, last: VisitTrack | undefined) {
  if (after.unanswered) {
    const { socket, visit: number } = after.unanswered;
    const key = visitKey(socket.id, number);
    // The recorded cast stopped at the same visit: no difference.
    const { phase } = before.state;
    if ("visit" in phase && visitKey(phase.visit.socket, phase.visit.number) === key) return [];
    const message = `the recorded cast has no answer of ${castSocketLabel(socket)} here; later visits are unknown`;
    return [differs(key, "end", message)];
  }
  const [was, is] = [castStatus(before.state, false), castStatus(after.state, false)];
  if (was === is || (before.state.phase.kind !== "ended" && after.state.phase.kind !== "ended")) return [];
  const reason = oneLine(endReason(after.state), 200);
  return [differs(last?.key ?? "", "end", `${is}${reason === "" ? "" : ` (${reason})`}, not ${was}`)];
}

const INSTRUCTIONS = "Instructions";

/** The sections that differ, each with its first differing line. */
function promptDifferences(visit: string, before: AgentPrompt, after: AgentPrompt): readonly ReplayDifference[] {
  if (before.system === after.system && before.prompt === after.prompt) return [];
  const [old, now] = [sectionsOf(before), sectionsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [whole, other] = [old.get(name) ?? "", now.get(name) ?? ""];
    if (whole === other) return [];
    const [was, is] = firstDifference(whole.split("\n"), other.split("\n"));
    const how = was === "" ? `is new: "${is}"` : is === "" ? `is gone: "${was}"` : `was "${was}", is "${is}"`;
    return [differs(visit, "prompt", `${name} ${how}`)];
  });
}

function sectionsOf({ system, prompt }: AgentPrompt): ReadonlyMap<string, string> {
  return new Map([...splitSections(system, INSTRUCTIONS), ...splitSections(prompt, "Prompt")]);
}

/** A heading is a line alone, followed by an empty line, as prompts are written. */
function splitSections(text: string, first: string): readonly (readonly [string, string])[] {
  const [head = "", ...rest] = text.split(/(?:^|\n\n)## (?=[^\n]+\n\n)/);
  const sections = rest.map((part): readonly [string, string] => {
    const end = part.indexOf("\n");
    return [part.slice(0, end), part.slice(end).trim()];
  });
  return [...(head.trim() === "" ? [] : [[first, head.trim()] as const]), ...sections];
}

function firstDifference(old: readonly string[], now: readonly string[]): readonly [string, string] {
  const at = old.findIndex((line, index) => line !== now[index]);
  const line = at === -1 ? old.length : at;
  return [oneLine(old[line] ?? "", 160), oneLine(now[line] ?? "", 160)];
}
