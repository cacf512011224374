import { parseEvent, type EventBody, type EventOf } from "../../core/cast/state/event.ts";
import { abortedEvent, decide } from "../../core/cast/decide.ts";
import { applyStep, type CastStep } from "../../core/cast/timeline.ts";
import { visitCompletedEvent, next, type Effect } from "../../core/cast/next.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import { itemsAsleepEvent, sleepUntilReset } from "./provider-sleep.ts";
import { isPlainJson } from "../../core/model/json.ts";
import { totalTokens, NO_USAGE } from "../../core/cast/state/usage.ts";
import type { AgentHost, Ports } from "../ports.ts";
import { redactEvent } from "../secrets/redact-event.ts";
import { runAgentTurn, earlierTurns } from "./agent-turn.ts";
import { checkpointVisit } from "./visit-checkpoints.ts";
import {
  isPauseSignal,
  pauseUntil,
  type Interruption,
  type RunOptions,
  type RunOutcome,
} from "../context/run-context.ts";
import { openParallelItems, type ParallelItems } from "../items/parallel-items.ts";
import { settleContinuation } from "./continue-conversation.ts";
import { runUtilityVisit } from "./utility-visit.ts";
import { materiaOf } from "../../core/compile/graph.ts";
import { itemKey } from "../../core/model/handoff.ts";

/** The loop: next → run the effect → append → apply. It starts, resumes and continues every cast. */
export async function runCast(start: CastState, ports: Ports, options: RunOptions): Promise<RunOutcome> {
  const items = openParallelItems(ports, options.signal);
  try {
    const isResumed = options.firstEvents?.some(({ type }) => type === "cast_resumed");
    const resumedAt = isResumed ? ports.now().getTime() : undefined;
    return await runLoop(createEventLog(start, ports, options), items, ports, { ...options, resumedAt });
  } finally {
    await items.close();
  }
}

async function runLoop(log: EventLog, items: ParallelItems, ports: Ports, options: RunOptions): Promise<RunOutcome> {
  for (const body of options.firstEvents ?? []) log.addEvent(body);
  let interruption = options.interruption;
  for (;;) {
    const effect = await decideUntilEffect(log, ports, options);
    // [B8] Write the visit and its checkpoint together: another machine needs both.
    const isWrittenTogether = effect.kind === "checkpoint" && options.isOnFleet;
    const problem = isWrittenTogether ? undefined : await log.write();
    if (problem !== undefined) return { kind: "broken", state: log.writtenState(), problem };
    const state = isWrittenTogether ? log.latestState() : log.writtenState();
    if (effect.kind === "stop") return { kind: "ended", state };
    if (effect.kind === "checkpoint") {
      log.addEvent(visitCompletedEvent(state, effect.visit, await checkpointVisit(effect, state, ports)));
      continue;
    }
    if (effect.kind !== "wait" && isPauseSignal(options.signal)) return { kind: "paused", state };
    if (options.signal.aborted && !isPauseSignal(options.signal)) {
      // [V14] End the items first.
      await items.abort(effect, state);
      log.addEvent(abortedEvent(state));
      continue;
    }
    if (effect.kind === "wait") return { kind: "waiting", state };
    if (effect.kind === "sleep") {
      const slept = await sleepUntilReset(effect.phase, state.castId, ports, options);
      if (slept === "left") return { kind: "asleep", state };
      if (slept === "awake") log.addEvent({ type: "cast_woken" });
      continue;
    }
    // [D36] A process that slept may have lost its cast: it must not act for it.
    if (!(await ports.holdsClaim())) return endBroken(log, "another process owns this cast now");
    if (effect.kind === "fork" || effect.kind === "items" || effect.kind === "join") {
      const result = await items.step(effect, state);
      if (result.kind === "decided") log.addEvent(result.decide(log.latestState()));
      if (result.kind === "broken") return endBroken(log, result.problem);
      if (result.kind === "asleep") log.addEvent(itemsAsleepEvent(result.sleep, log.latestState()));
      if (effect.kind !== "join" || !options.isOnFleet) continue;
      // [B49] Flush now: steps after the join may run on another worker.
      const stands = await endPaused(log);
      if (stands.kind === "broken" || isPauseSignal(options.signal)) return stands;
      continue;
    }
    const turn = effect.kind === "agent" && ports.admit ? await ports.admit(state, options.signal) : undefined;
    if (turn && totalTokens(turn.usedElsewhere) + turn.usedElsewhere.cost > 0) {
      // [V13] Record the usage first: the state decides whether the turn may start.
      turn.end();
      log.addEvent({ type: "spent_elsewhere", usage: turn.usedElsewhere });
      continue;
    }
    const context = { state, ports, options, interruption, admission: turn, report: log.report };
    const done = await (effect.kind === "agent" ? runAgentTurn(effect, context) : runUtilityVisit(effect, context));
    turn?.end();
    interruption = undefined;
    if (done.kind === "broken") return endBroken(log, done.problem);
    if (done.kind === "aborted" && isPauseSignal(options.signal)) return endPaused(log);
    const decided = storableEvent(decide(log.latestState(), effect.socket, done));
    log.addEvent(decided);
    if (done.kind !== "refused") continue;
    // The transcript has what was done so far; without one the turn starts again.
    if (done.wasAsked) interruption = REFUSED;
    if (decided.type === "turn_retried") await waitForRetry(decided, done.now, { log, ports, options });
  }
}

async function waitForRetry(
  { attempt, delayMs, error }: EventOf<"turn_retried">,
  now: number,
  { log, ports, options }: { readonly log: EventLog; readonly ports: Ports; readonly options: RunOptions },
): Promise<void> {
  // A failure stops the next write.
  await log.write();
  // Without it a wait of minutes would look like an agent that says nothing.
  options.onProgress?.({ kind: "retrying", attempt, delayMs, error }, log.writtenState());
  await pauseUntil(now + delayMs, ports, options.signal);
}

const REFUSED: Interruption = {
  note: "The provider of the model interrupted you. Go on where you were, and finish the work.",
  isAsked: true,
};

/** Why the reader of the journal would refuse an event; undefined if it would not. */
function unreadableReason(body: EventBody): string | undefined {
  const line = { seq: 1, at: "", ...body };
  // Without the round trip through text wherever JSON gives the same value back.
  if (isPlainJson(line) && typeof parseEvent(line) !== "string") return undefined;
  const read = parseEvent(JSON.parse(JSON.stringify(line)));
  return typeof read === "string" ? read : undefined;
}

/** [J28] A result that could not be read again fails its turn, not the whole cast. */
function storableEvent(body: EventBody): EventBody {
  const wrong = unreadableReason(body);
  if (wrong === undefined || !("socket" in body) || !("visit" in body)) return body;
  const { socket, visit } = body;
  const message = `the result of the turn cannot be stored: ${wrong}`;
  return { type: "turn_failed", socket, visit, reason: "provider", message, usage: NO_USAGE };
}

/** Events reported during the effect may still be pending. */
async function endBroken(log: EventLog, problem: string): Promise<RunOutcome> {
  await log.write();
  return { kind: "broken", state: log.writtenState(), problem };
}

async function endPaused(log: EventLog): Promise<RunOutcome> {
  const problem = await log.write();
  const state = log.writtenState();
  return problem === undefined ? { kind: "paused", state } : { kind: "broken", state, problem };
}

/** Write handoff files before the events that name them. */
async function writeHandoffs(
  events: readonly EventOf<"handoff_accepted">[],
  { artifacts }: Ports,
): Promise<string | undefined> {
  for (const event of events) {
    const text = `${JSON.stringify(event.handoff, undefined, 1)}\n`;
    const problem = await artifacts.write(event.socket, event.visit, "handoff.json", text);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function decideUntilEffect(log: EventLog, ports: Ports, options: RunOptions) {
  for (;;) {
    const effect = next(log.latestState());
    const scripted = effect.kind === "wait" ? scriptedAnswer(effect, log.latestState(), ports.agents) : undefined;
    if (scripted) log.addEvent(scripted);
    else if (effect.kind !== "record") return effect;
    else
      for (const body of effect.events) {
        const isContinued = body.type === "visit_started" && body.continues !== undefined;
        log.addEvent(isContinued ? await settleContinuation(body, log.latestState(), ports, options) : body);
      }
  }
}

/** Pending events: `latestState` includes them, `writtenState` does not. */
type EventLog = ReturnType<typeof createEventLog>;

function createEventLog(start: CastState, ports: Ports, options: RunOptions) {
  let ahead = start;
  let written = start;
  let pending: CastStep[] = [];
  let problem: string | undefined;
  let writing: Promise<void> | undefined;
  const timeText = timeFormatter();
  const note = (body: EventBody): void => {
    // [S12] Redact before applying: a resumed cast must have the same state as the running one.
    const event = redactEvent({ seq: ahead.seq + 1, at: timeText(ports.now()), ...body }, ports.redact);
    const step = applyStep(ahead, event);
    ahead = step.after;
    pending.push(step);
  };
  const flush = async (): Promise<void> => {
    const [steps, reached] = [pending, ahead];
    pending = [];
    // A failed write leaves a gap: write nothing after it.
    if (steps.length === 0 || problem !== undefined) return;
    const events = steps.map(({ event }) => event);
    // Write before anything depends on it: a crash may repeat an unanswered turn, but loses no answer.
    const handoffs = events.filter((event) => event.type === "handoff_accepted");
    if (handoffs.length > 0) problem = await writeHandoffs(handoffs, ports);
    problem ??= await ports.journal.append(events, reached.seq - events.length);
    if (problem !== undefined) return;
    written = reached;
    options.onSteps?.(steps);
  };
  const write = async (): Promise<string | undefined> => {
    // Finish the running write first.
    const flushed = writing ? writing.then(flush) : flush();
    writing = flushed;
    await flushed;
    if (writing === flushed) writing = undefined;
    return problem;
  };
  return {
    latestState: () => ahead,
    writtenState: () => written,
    addEvent: note,
    report: (body: EventBody): void => {
      if (unreadableReason(body) !== undefined) return;
      note(body);
      // A failure stops the next write, and the loop waits for that one.
      void write().catch(() => undefined);
    },
    write,
  };
}

/** Formats each moment once: several events share it. */
function timeFormatter(): (now: Date) => string {
  let last = Number.NaN;
  let text = "";
  return (now) => {
    if (now.getTime() !== last) text = now.toISOString();
    last = now.getTime();
    return text;
  };
}

/** [Q13] The scripted answer for a person's gate; undefined when a real person must answer. */
function scriptedAnswer(
  { socket, visit }: Extract<Effect, { kind: "wait" }>,
  state: CastState,
  { answerGate: judge }: AgentHost,
): EventBody | undefined {
  if (!judge || materiaOf(state.graph, socket).type !== "person") return undefined;
  const judgement = judge({
    socket: socket.id,
    materia: socket.materia,
    item: state.pass ? itemKey(state.pass.cursor) : null,
    earlierTurns: () => earlierTurns(state),
  });
  const place = { socket: socket.id, visit: visit.number };
  if (judgement?.kind === "failed")
    return { type: "turn_failed", ...place, reason: "rehearsal", message: judgement.message, usage: NO_USAGE };
  return judgement && { type: "person_judged", ...place, satisfied: judgement.satisfied, text: judgement.text };
}
