import { apply } from "../cast/apply.ts";
import { decide } from "../cast/decide.ts";
import { next } from "../cast/next.ts";
import type { CastEvent, EventBody } from "../cast/state/event.ts";
import { phaseBeforeEnd, type CastStart } from "../cast/state/state.ts";
import { NO_USAGE, totalTokens } from "../cast/state/usage.ts";
import { failWith, ok, type Result, suggest, typed } from "../model/issue.ts";
import { findDifferences, type ReplayDifference, type RecordedCast } from "./differences.ts";
import { hasResult } from "../cast/summary.ts";
import { foldVisits, visitKey } from "../history/visits.ts";
import {
  findItemDifferences,
  loopForkKey,
  nextVisitKey,
  replayCast,
  type StopBefore,
  type ReplayResult,
} from "./replay.ts";

/** The events that a fork reuses, and the visits that it runs. */
export type CastFork = Readonly<ReturnType<typeof buildFork>>;

export interface CastForkRequest {
  readonly now: CastStart;
  /** The first visit to run: `Socket-5#2`, or `Socket-5` for the last visit of that socket. */
  readonly visit?: string | undefined;
  /** The handoff of that visit, instead of running it. */
  readonly handoff?: string | undefined;
}

/** [T20] The events before a visit: the named one, else the first one that the edit affects. */
export function forkCast(recorded: RecordedCast, { now, visit, handoff }: CastForkRequest): Result<CastFork> {
  const whole = replayCast(recorded, now);
  const differences = findDifferences(recorded, whole);
  const keys = visitKeysIn(recorded.events);
  const named = visit === undefined ? undefined : keys.findLast((key) => key === visit || key.startsWith(`${visit}#`));
  if (visit !== undefined && named === undefined) {
    const hint = `one of ${keys.slice(0, 12).join(", ")}`;
    return failWith("unknown_visit", visit, `this cast has no visit "${visit}"`, hint);
  }
  const touched = firstAffectedVisit(differences, whole.after);
  const [item] = findItemDifferences(recorded, now);
  if (named === undefined && touched === undefined && item === undefined && hasResult(whole.after.state))
    return failWith(
      "unchanged_fork",
      now.castId,
      "the current configuration would not change this cast",
      suggest`name the visit to begin with: ${typed`fork ${now.castId}@${keys.at(-1) ?? "Socket-1#1"}`}`,
    );
  // A named visit keeps all visits before it, even those that an edit affects.
  const ends: readonly unknown[] = named === undefined ? [touched?.visit, item?.loop] : [named];
  const again = (endsBefore: StopBefore): ReplayResult => replayCast(recorded, now, endsBefore).after;
  const before = again((key) => ends.includes(key));
  const { unanswered } = before;
  // A visit without an answer runs again.
  const stop = unanswered && visitKey(unanswered.socket.id, unanswered.visit);
  const answers = unanswered ? again((key) => key === stop) : before;
  // [V22] Item casts belong to the recorded cast, so a fork inside a parallel loop begins before the loop.
  const phase = phaseBeforeEnd(answers.state.phase);
  const loop = phase.kind === "forked" ? loopForkKey(phase.fork.number) : undefined;
  const kept = loop === undefined ? answers : again((key) => key === loop || ends.includes(key));
  const due = next(kept.state);
  const place = due.kind === "fork" ? `the items of ${due.loop.id}` : nextVisitKey(due);
  const at = place ?? named ?? touched?.visit ?? keys.at(-1) ?? "";
  const edited = touched?.visit === at ? touched : named === undefined ? item : undefined;
  const stood = at === named ? "you named it" : "the cast stopped there";
  const why = edited ? `${edited.kind}: ${edited.message}` : stood;
  const taken = handoff === undefined ? ok(kept) : withWrittenHandoff(kept, handoff);
  return taken.ok ? ok(buildFork(recorded, taken.value, at, why)) : taken;
}

/** The first visit that would run differently. A changed way affects the visit that it leads to. */
function firstAffectedVisit(differences: readonly ReplayDifference[], { events, unanswered }: ReplayResult) {
  const [first] = differences;
  if (!first || !WAY_DIFFERENCES.has(first.kind)) return first;
  const keys = visitKeysIn(events);
  const behind =
    keys[keys.indexOf(first.visit) + 1] ?? (unanswered && visitKey(unanswered.socket.id, unanswered.visit));
  return { ...first, visit: behind ?? first.visit };
}

const WAY_DIFFERENCES: ReadonlySet<ReplayDifference["kind"]> = new Set(["edge", "limit", "end"]);

function visitKeysIn(events: readonly CastEvent[]): readonly string[] {
  return foldVisits(events).map(({ socket, visit }) => visitKey(socket, visit));
}

/** [T21] The visit with a handoff that a person wrote. */
function withWrittenHandoff(kept: ReplayResult, text: string): Result<ReplayResult> {
  const events = [...kept.events];
  const at = events.at(-1)?.at ?? "";
  let { state } = kept;
  const note = (body: EventBody): void => {
    const event: CastEvent = { ...body, seq: state.seq + 1, at };
    state = apply(state, event);
    events.push(event);
  };
  for (let effect = next(state); ; effect = next(state)) {
    if (effect.kind === "record") for (const body of effect.events) note(body);
    else if (effect.kind !== "agent")
      return failWith("bad_option", "--handoff", "--handoff works only for a visit of an agent");
    else {
      const body = decide(state, effect.socket, { kind: "replied", text, usage: NO_USAGE });
      if (body.type === "handoff_rejected") return failWith("bad_option", "--handoff", body.issues.join("; "));
      note(body);
      return ok({ ...kept, events, state });
    }
  }
}

function buildFork(recorded: RecordedCast, { events, state }: ReplayResult, at: string, why: string) {
  const completed = foldVisits(events).filter(({ isCompleted }) => isCompleted);
  const reused = completed.map(({ socket, visit }) => visitKey(socket, visit));
  const left = visitKeysIn(recorded.events).filter((key) => !reused.includes(key) && key !== at);
  return {
    events,
    state,
    /** The first visit that it runs, or the place where the cast stopped. */
    visit: at,
    reused,
    saved: { tokens: totalTokens(state.usage), cost: state.usage.cost },
    anew: [{ visit: at, why }, ...left.map((visit) => ({ visit, why: `it follows ${at}` }))],
  };
}
