import { apply } from "../cast/apply.ts";
import { next } from "../cast/next.ts";
import type { CastEvent, EventOf } from "../cast/state/event.ts";
import type { CastStart, CastState } from "../cast/state/state.ts";
import { visitKey } from "../history/visits.ts";
import { writeAgentPrompt, type AgentPrompt } from "../prompt/agent-prompt.ts";
import { initialState } from "../cast/state/initial-state.ts";

/** A past cast: its start and its journal. */
export interface RecordedCast {
  readonly start: CastStart;
  readonly events: readonly CastEvent[];
  /** The raw replies of a visit, if the caller loaded them. */
  readonly rawReplies?: (socket: string, visit: number) => readonly string[] | undefined;
}

/** [T14] What the engine did not decide: answers by visit, and events that resumed a stopped cast. */
export interface ExternalInputs {
  readonly answers: ReadonlyMap<string, readonly CastEvent[]>;
  readonly resumptions: readonly CastEvent[];
  /** The end of each visit, with its checkpoint. */
  readonly completed: ReadonlyMap<string, EventOf<"visit_completed">>;
  /** The prompts of each visit, turn by turn. */
  readonly prompts: ReadonlyMap<string, readonly AgentPrompt[]>;
  readonly state: CastState;
}

/** Every event that the engine would not decide by itself is an external input. */
export function externalInputsOf({ start, events }: RecordedCast): ExternalInputs {
  const answers = new Map<string, CastEvent[]>();
  const prompts = new Map<string, AgentPrompt[]>();
  const resumptions: CastEvent[] = [];
  const completed = new Map<string, EventOf<"visit_completed">>();
  let state = initialState(start);
  for (const event of events) {
    const key = "visit" in state.phase ? visitKey(state.phase.visit.socket, state.phase.visit.number) : undefined;
    const isOver = state.phase.kind === "ended";
    if (event.type === "cast_resumed" || event.type === "limits_raised") {
      if (isOver) resumptions.push(event);
    } else if (key !== undefined && !isEngineDecision(state, event)) {
      appendTo(answers, key, event);
      const text = isRefusal(event) ? undefined : promptNow(state);
      if (text) appendTo(prompts, key, text);
    }
    if (event.type === "visit_completed") completed.set(visitKey(event.socket, event.visit), event);
    state = apply(state, event);
  }
  return { answers, resumptions, completed, prompts, state };
}

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

/** The prompt of the next turn. */
function promptNow(state: CastState): AgentPrompt | undefined {
  const effect = next(state);
  return effect.kind === "agent" ? writeAgentPrompt(state, effect) : undefined;
}

export function appendTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
