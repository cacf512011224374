import { abortedEvent, decide } from "../../core/cast/decide.ts";
import type { EventBody, EventOf } from "../../core/cast/state/event.ts";
import { applyStep, type CastStep } from "../../core/cast/cast-step.ts";
import { visitCompletedEvent, next, type Effect } from "../../core/cast/next.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import { assertNever } from "../../core/model/assert-never.ts";
import { type Usage, NO_USAGE } from "../../core/cast/state/usage.ts";
import type { AgentHost, Ports } from "../ports.ts";
import { redactEvent } from "../secrets/redact-event.ts";
import { runAgentTurn, earlierTurns } from "./agent-turn.ts";
import { checkpointVisit } from "./visit-checkpoints.ts";
import {
  isPauseSignal,
  type EffectContext,
  type EffectResult,
  type RunOptions,
  type RunOutcome,
} from "../context/run-context.ts";
import { openParallelItems, type ParallelItems } from "../items/parallel-items.ts";
import { runUtilityVisit } from "./utility-visit.ts";
import { materiaOf } from "../../core/compile/graph.ts";
import { itemKey } from "../../core/model/handoff.ts";

/** The one loop: next → run the effect → append → apply. Starting, resuming and continuing a cast are all this. */
export async function runCast(start: CastState, ports: Ports, options: RunOptions): Promise<RunOutcome> {
  const lanes = openParallelItems(ports, options.signal);
  try {
    return await runLoop(createEventLog(start, ports, options), lanes, ports, options);
  } finally {
    await lanes.close();
  }
}

async function runLoop(log: EventLog, lanes: ParallelItems, ports: Ports, options: RunOptions): Promise<RunOutcome> {
  for (const body of options.firstEvents ?? []) log.addEvent(body);
  let interruption = options.interruption;
  for (;;) {
    const effect = decideUntilEffect(log, ports.agents);
    if (effect.kind === "checkpoint" && options.isOnFleet) {
      const ahead = log.latestState();
      // [B8] In one write with what it was made by: on another machine the one would be nothing without the other.
      log.addEvent(visitCompletedEvent(ahead, effect.visit, await checkpointVisit(effect, ahead, ports)));
      continue;
    }
    const problem = await log.write();
    if (problem !== undefined) return { kind: "broken", state: log.writtenState(), problem };
    const state = log.writtenState();
    if (effect.kind === "stop") return { kind: "ended", state };
    if (effect.kind === "checkpoint") {
      log.addEvent(visitCompletedEvent(state, effect.visit, await checkpointVisit(effect, state, ports)));
      continue;
    }
    if (effect.kind !== "wait" && isPauseSignal(options.signal)) return { kind: "paused", state };
    if (options.signal.aborted && !isPauseSignal(options.signal)) {
      // [V14] Its items end before it does.
      await lanes.abort(effect, state);
      log.addEvent(abortedEvent(state));
      continue;
    }
    if (effect.kind === "wait") return { kind: "waiting", state };
    // [D36] A process that slept while another took its cast must not act for it.
    if (!(await ports.holdsClaim())) return endBroken(log, "another process owns this cast now");
    if (effect.kind === "fork" || effect.kind === "items" || effect.kind === "join") {
      const result = await lanes.step(effect, state);
      if (result.kind === "decided") log.addEvent(result.decide(log.latestState()));
      if (result.kind === "broken") return endBroken(log, result.problem);
      if (effect.kind !== "join" || !options.isOnFleet) continue;
      // [B49] Written by itself: what comes behind the items may be for another leg.
      const stands = await endPaused(log);
      if (stands.kind === "broken" || isPauseSignal(options.signal)) return stands;
      continue;
    }
    const turn = effect.kind === "agent" ? await ports.admit?.(state, options.signal) : undefined;
    if (turn && isNonZero(turn.usedElsewhere)) {
      // [V13] Told first: whether the turn may still begin, the state decides.
      turn.end();
      log.addEvent({ type: "spent_elsewhere", usage: turn.usedElsewhere });
      continue;
    }
    const done = await runEffect(effect, { state, ports, options, interruption, admission: turn, report: log.report });
    turn?.end();
    interruption = undefined;
    if (done.kind === "broken") return endBroken(log, done.problem);
    if (done.outcome.kind === "aborted" && isPauseSignal(options.signal)) return endPaused(log);
    log.addEvent(decide(log.latestState(), done.socket, done.outcome));
  }
}

function isNonZero({ input, output, cost }: Usage): boolean {
  return input + output + cost > 0;
}

/** What was reported meanwhile may still be on its way to the journal. */
async function endBroken(log: EventLog, problem: string): Promise<RunOutcome> {
  await log.write();
  return { kind: "broken", state: log.writtenState(), problem };
}

async function endPaused(log: EventLog): Promise<RunOutcome> {
  const problem = await log.write();
  const state = log.writtenState();
  return problem === undefined ? { kind: "paused", state } : { kind: "broken", state, problem };
}

/** The file is there before the journal speaks of it. */
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

/** Decisions need no effect: they are made until something has to be done, and written together. */
function decideUntilEffect(log: EventLog, agents: AgentHost): Exclude<Effect, { kind: "record" }> {
  for (;;) {
    const effect = next(log.latestState());
    const scripted = effect.kind === "wait" ? scriptedAnswer(effect, log.latestState(), agents) : undefined;
    if (scripted) log.addEvent(scripted);
    else if (effect.kind !== "record") return effect;
    else for (const body of effect.events) log.addEvent(body);
  }
}

function runEffect(
  effect: Extract<Effect, { kind: "agent" | "utility" }>,
  context: EffectContext,
): Promise<EffectResult> {
  switch (effect.kind) {
    case "agent":
      return runAgentTurn(effect, context);
    case "utility":
      return runUtilityVisit(effect, context);
    default:
      return assertNever(effect);
  }
}

/** Events on their way to the disk: `ahead` is the state they will lead to, `written` the one that is safe. */
interface EventLog {
  readonly latestState: () => CastState;
  readonly writtenState: () => CastState;
  readonly addEvent: (body: EventBody) => void;
  /** Noted and on its way at once: for what happens while an effect goes on. */
  readonly report: (body: EventBody) => void;
  readonly write: () => Promise<string | undefined>;
}

function createEventLog(start: CastState, ports: Ports, options: RunOptions): EventLog {
  let ahead = start;
  let written = start;
  let pending: CastStep[] = [];
  let problem: string | undefined;
  let writing: Promise<void> | undefined;
  const timeText = timeFormatter();
  const note = (body: EventBody): void => {
    // [S12] Before it counts: the cast that runs and the one that is resumed from its journal have the same state.
    const event = redactEvent({ seq: ahead.seq + 1, at: timeText(ports.now()), ...body }, ports.redact);
    const step = applyStep(ahead, event);
    ahead = step.after;
    pending.push(step);
  };
  const flush = async (): Promise<void> => {
    const [steps, reached] = [pending, ahead];
    pending = [];
    // What could not be written leaves a gap; nothing may come behind it.
    if (steps.length === 0 || problem !== undefined) return;
    const events = steps.map(({ event }) => event);
    // Written before anything depends on it: a crash may repeat a turn that was not answered, never lose one that was.
    const handoffs = events.filter((event) => event.type === "handoff_accepted");
    if (handoffs.length > 0) problem = await writeHandoffs(handoffs, ports);
    problem ??= await ports.journal.append(events, reached.seq - events.length);
    if (problem !== undefined) return;
    written = reached;
    options.onSteps?.(steps);
  };
  const write = async (): Promise<string | undefined> => {
    // What is on its way is written first.
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
    report: (body) => {
      note(body);
      // What could not be written stops the next write, which the loop waits for.
      void write().catch(() => undefined);
    },
    write,
  };
}

/** Several events of one moment are noted together: its text is made once. */
function timeFormatter(): (now: Date) => string {
  let last = Number.NaN;
  let text = "";
  return (now) => {
    if (now.getTime() !== last) text = now.toISOString();
    last = now.getTime();
    return text;
  };
}

/** [Q13] What a script answers for the person that is waited for; nothing where a real one is to be asked. */
function scriptedAnswer(
  { socket, visit }: Extract<Effect, { kind: "wait" }>,
  state: CastState,
  { answerGate: judge }: AgentHost,
): EventBody | undefined {
  if (!judge || materiaOf(state.graph, socket).type !== "person") return undefined;
  const said = judge({
    socket: socket.id,
    materia: socket.materia,
    item: state.pass ? itemKey(state.pass.cursor) : null,
    earlierTurns: () => earlierTurns(state),
  });
  const place = { socket: socket.id, visit: visit.number };
  if (said?.kind === "failed")
    return { type: "turn_failed", ...place, reason: "rehearsal", message: said.message, usage: NO_USAGE };
  return said && { type: "person_judged", ...place, satisfied: said.satisfied, text: said.text };
}
