import type { GraphSocket } from "../compile/graph.ts";
import { findAssignProblems } from "../handoff/assign.ts";
import { readHandoff, type UnusableReply } from "../handoff/read-handoff.ts";
import { handoffModeOf } from "../compile/socket-outputs.ts";
import { HAND_OVER } from "../model/handoff.ts";
import type { SocketId } from "../model/ids.ts";
import { truncate, truncateStart, stripControls } from "../model/text.ts";
import { withoutUndefined } from "../model/json.ts";
import type { EventBody, EventOf } from "./state/event.ts";
import { outputExcerpt } from "./state/rework-reasons.ts";
import type { CastState, PersonDecision, CastPhase, Visit } from "./state/state.ts";
import { decideRefusal, type RefusedTurn } from "./decide-refusal.ts";
import { assignSourcesOf } from "./state/current-item.ts";
import { NO_USAGE, totalsOf, type Usage } from "./state/usage.ts";

export type EffectOutcome =
  | {
      readonly kind: "replied";
      readonly text: string;
      /** [H25] The text is the argument of `hand_over`. */
      readonly byTool?: true;
      readonly model?: string;
      readonly usage: Usage;
    }
  | { readonly kind: "failed"; readonly reason: string; readonly message: string; readonly usage: Usage }
  | { readonly kind: "stopped"; readonly usage: Usage; readonly ms: number; readonly repeated?: number }
  | { readonly kind: "exited"; readonly stdout: string; readonly cut: boolean }
  /** The program of a gate ended by itself; both output streams. */
  | { readonly kind: "ended"; readonly code: number; readonly printed: string }
  | RefusedTurn
  | PersonDecision
  | { readonly kind: "aborted" };

/** How much of a plain text the next prompt gets; the artifacts hold all of it. */
export const MAX_KEPT_TEXT = 6_000;

export function decide(state: CastState, socket: GraphSocket, outcome: EffectOutcome): EventBody {
  const { phase } = state;
  if (outcome.kind === "aborted") return abortedEvent(state);
  if (phase.kind !== "visiting") throw new Error(`nothing can be decided while ${phase.kind}`);
  const place = placeOf(phase.visit);
  switch (outcome.kind) {
    case "failed":
      return failedEvent(place, outcome.reason, outcome.message, outcome.usage);
    case "refused":
      return decideRefusal(state, phase.visit, outcome);
    case "stopped": {
      const { usage, ms, repeated } = outcome;
      return { type: "turn_stopped", ...place, usage, ms, ...withoutUndefined({ repeated }) };
    }
    case "exited":
      return decideExit(state, socket, phase.visit, outcome);
    case "ended": {
      const answer = { satisfied: outcome.code === 0, context: printedText(socket, outcome) };
      return decideGate(state, socket, place, answer);
    }
    case "judged":
      return decideGate(state, socket, place, { satisfied: outcome.satisfied, context: outcome.text });
    case "replied":
      return decideReply(state, socket, phase, outcome);
  }
}

interface VisitPlace {
  readonly socket: SocketId;
  readonly visit: number;
}

function placeOf({ socket, number }: Visit): VisitPlace {
  return { socket, visit: number };
}

export function abortedEvent(state: CastState): EventBody {
  return { type: "cast_ended", outcome: "aborted", reason: "stopped by a person", totals: totalsOf(state) };
}

/** [Q2] The end of a program's output, where errors usually are. */
const MAX_PRINTED_TEXT = 4_000;

function printedText({ materia }: GraphSocket, { code, printed }: Extract<EffectOutcome, { kind: "ended" }>): string {
  const text = truncateStart(stripControls(printed).trim(), MAX_PRINTED_TEXT);
  return text === "" && code !== 0 ? `${materia} exited with code ${code} and printed nothing` : text;
}

/** [Q1, Q6] Yes or no with a text, as a handoff. */
function decideGate(
  state: CastState,
  socket: GraphSocket,
  place: VisitPlace,
  handoff: { readonly satisfied: boolean; readonly context: string },
): EventBody {
  const { inReply: said, inState: stands } = findAssignProblems(socket.assign, handoff, assignSourcesOf(state));
  const problems = [...said, ...stands];
  if (problems.length > 0) return failedEvent(place, "state", problems.join("; "), NO_USAGE);
  return { type: "handoff_accepted", ...place, handoff, found: "exact", dropped: [], usage: NO_USAGE };
}

function decideReply(
  state: CastState,
  socket: GraphSocket,
  { visit, ask }: Extract<CastPhase, { kind: "visiting" }>,
  { text, byTool, usage, model }: Extract<EffectOutcome, { kind: "replied" }>,
): EventBody {
  const place = placeOf(visit);
  const by = model === undefined ? undefined : { model };
  // [A8] A person ends an interactive visit; no reply does.
  if (socket.interactive && (ask.kind === "begin" || ask.kind === "answer"))
    return { type: "turn_answered", ...place, text, ...by, usage };
  const way = byTool ? { byTool } : undefined;
  const isUncalled = !byTool && socket.parse === "json" && handoffModeOf(state.graph, socket) === "tool";
  const read = isUncalled ? UNCALLED : readReply(state, socket, visit, text, usage);
  if (read.ok)
    return { ...read.event, ...(byTool && read.event.type === "handoff_accepted" ? { found: "tool" } : {}), ...by };
  // [H16] A repair would not help: no reply can supply missing state.
  if (read.blame === "state") return failedEvent(place, "state", read.problems.join("; "), usage);
  return { type: "handoff_rejected", ...place, attempt: visit.repairs + 1, issues: [...read.problems], ...way, usage };
}

const UNCALLED: UnusableReply = {
  ok: false,
  problems: [`the result was given as text, not by a call of ${HAND_OVER}`],
  blame: "reply",
};

function failedEvent(place: VisitPlace, reason: string, message: string, usage: Usage): EventBody {
  return { type: "turn_failed", ...place, reason, message: truncate(message, 2_000), usage };
}

/** [H12] A program is not asked twice: a result that breaks the contract fails the cast at once. */
function decideExit(
  state: CastState,
  socket: GraphSocket,
  visit: Visit,
  { stdout, cut: wasCut }: Extract<EffectOutcome, { kind: "exited" }>,
): EventBody {
  const read = readReply(state, socket, visit, stdout, NO_USAGE);
  if (read.ok) return read.event;
  const why = wasCut ? "its standard output was cut at 1 MiB, so its JSON is not whole" : read.problems.join("; ");
  const message = `${socket.materia} gave no usable result: ${why}`;
  return { type: "turn_failed", ...placeOf(visit), reason: "utility", message, usage: NO_USAGE };
}

export function acceptReply(state: CastState, socket: GraphSocket, visit: Visit, reply: string): EventBody | undefined {
  const read = readReply(state, socket, visit, reply, NO_USAGE);
  if (read.ok) return { ...read.event, approved: true };
  return read.blame === "state" ? failedEvent(placeOf(visit), "state", read.problems.join("; "), NO_USAGE) : undefined;
}

type ReplyReading =
  | { readonly ok: true; readonly event: EventOf<"handoff_accepted"> | EventOf<"output_accepted"> }
  | UnusableReply;

function readReply(state: CastState, socket: GraphSocket, visit: Visit, text: string, usage: Usage): ReplyReading {
  const place = placeOf(visit);
  if (socket.parse === "text") return readText(state, socket, place, text, usage);
  const reading = readHandoff(state.graph, socket, text, assignSourcesOf(state));
  if (!reading.ok) return reading;
  const { handoff, found, words, dropped, hints } = reading;
  const { satisfied, context } = handoff;
  const silent = satisfied === false && (typeof context !== "string" || context.trim() === "");
  // [R1] Dropped fields never become a reason: the text before the object does, else the stored object.
  const reason = dropped.length === 0 ? text : words.trim() || JSON.stringify(handoff);
  const more = {
    ...(hints.length > 0 ? { hints: [...hints] } : undefined),
    ...(silent ? { excerpt: outputExcerpt(reason) } : undefined),
  };
  const accepted = { handoff, found, dropped: [...dropped], ...more, usage };
  return { ok: true, event: { type: "handoff_accepted", ...place, ...accepted } };
}

/** [H13, H14] Plain text is passed on unchanged; only text for state is stored whole. */
function readText(state: CastState, socket: GraphSocket, place: VisitPlace, reply: string, usage: Usage): ReplyReading {
  const faults = findAssignProblems(socket.assign, reply, assignSourcesOf(state));
  if (faults.inReply.length > 0) return { ok: false, problems: faults.inReply, blame: "reply" };
  if (faults.inState.length > 0) return { ok: false, problems: faults.inState, blame: "state" };
  const whole = socket.assign.some((assignment) => assignment.from === "output");
  const text = whole ? reply.trim() : truncate(reply.trim(), MAX_KEPT_TEXT);
  return { ok: true, event: { type: "output_accepted", ...place, text, chars: reply.length, usage } };
}
