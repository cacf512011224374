import { apply } from "../cast/apply.ts";
import { next } from "../cast/next.ts";
import type { CastEvent, EventOf } from "../cast/state/event.ts";
import { initialState, type CastStart, type CastState } from "../cast/state/state.ts";
import { visitKey } from "../history/visits.ts";
import { writeAgentPrompt, type AgentPrompt } from "../prompt/agent-prompt.ts";

/** A cast that happened: what it was started with, and its journal. */
export interface RecordedCast {
  readonly start: CastStart;
  readonly events: readonly CastEvent[];
  /** The replies of a visit as they were given, where they were asked for. */
  readonly rawReplies?: (socket: string, visit: number) => readonly string[] | undefined;
}

/** [T14] What came from outside: answers by visit, and what set the cast going again behind an end. */
export interface ExternalInputs {
  readonly answers: ReadonlyMap<string, readonly CastEvent[]>;
  readonly resumptions: readonly CastEvent[];
  /** How each visit ended, with its checkpoint where there was one. */
  readonly completed: ReadonlyMap<string, EventOf<"visit_completed">>;
  /** What the agents of each visit were told, turn by turn. */
  readonly prompts: ReadonlyMap<string, readonly AgentPrompt[]>;
  readonly state: CastState;
}

/** Whatever the engine would not have decided by itself came from outside. */
export function externalInputsOf({ start, events }: RecordedCast): ExternalInputs {
  const answers = new Map<string, CastEvent[]>();
  const told = new Map<string, AgentPrompt[]>();
  const resumptions: CastEvent[] = [];
  const completed = new Map<string, EventOf<"visit_completed">>();
  let state = initialState(start);
  for (const event of events) {
    const key = currentVisitKey(state);
    const isOver = state.phase.kind === "ended";
    if (event.type === "cast_resumed" || event.type === "limits_raised") {
      if (isOver) resumptions.push(event);
    } else if (key !== undefined && !isEngineDecision(state, event)) {
      appendTo(answers, key, event);
      const text = event.type === "turn_retried" ? undefined : promptNow(state);
      if (text) appendTo(told, key, text);
    }
    if (event.type === "visit_completed") completed.set(visitKey(event.socket, event.visit), event);
    state = apply(state, event);
  }
  return { answers, resumptions, completed, prompts: told, state };
}

function isEngineDecision(state: CastState, { type }: CastEvent): boolean {
  const effect = next(state);
  // What a visit made of the files comes with its end.
  if (effect.kind === "checkpoint") return type === "visit_completed";
  return effect.kind === "record" && effect.events.some((body) => body.type === type);
}

/** What the agent is told that would be asked now. */
function promptNow(state: CastState): AgentPrompt | undefined {
  const effect = next(state);
  return effect.kind === "agent" ? writeAgentPrompt(state, effect) : undefined;
}

function currentVisitKey({ phase }: CastState): string | undefined {
  return "visit" in phase ? visitKey(phase.visit.socket, phase.visit.number) : undefined;
}

export function appendTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
