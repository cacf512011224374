import { aborted, decide } from "../../core/cast/decide.ts";
import type { CastEvent, EventBody } from "../../core/cast/state/event.ts";
import { stepFrom, type CastStep } from "../../core/cast/step.ts";
import { completed, next, type Effect } from "../../core/cast/next.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import { never } from "../../core/model/values/never.ts";
import type { Usage } from "../../core/cast/state/usage.ts";
import type { AgentHost, Ports } from "../ports.ts";
import { redactEvent } from "../secrets/events.ts";
import { runAgent } from "./agent-turn.ts";
import { checkpointAfter } from "./checkpoints.ts";
import { isPause, type EffectContext, type EffectResult, type RunOptions } from "./effect.ts";
import { openLanes, type Lanes } from "./items/lanes.ts";
import { scriptedAnswer } from "./person-visit.ts";
import { runUtilityVisit } from "./utility-visit.ts";

export type RunEnd =
  | { readonly kind: "ended"; readonly state: CastState }
  | { readonly kind: "waiting"; readonly state: CastState }
  /** [D29] Stopped where it stood, with nothing written about it: it goes on like one whose process was killed. */
  | { readonly kind: "paused"; readonly state: CastState }
  /** The journal or an artifact could not be written: the cast stands where its journal says. */
  | { readonly kind: "broken"; readonly state: CastState; readonly problem: string };

/** The one loop: next → run the effect → append → apply. Starting, resuming and continuing a cast are all this. */
export async function runCast(start: CastState, ports: Ports, options: RunOptions): Promise<RunEnd> {
  const lanes = openLanes(ports, options.signal);
  try {
    return await runLoop(openLog(start, ports, options), lanes, ports, options);
  } finally {
    await lanes.close();
  }
}

async function runLoop(log: Log, lanes: Lanes, ports: Ports, options: RunOptions): Promise<RunEnd> {
  for (const body of options.first ?? []) log.note(body);
  let interruption = options.interruption;
  for (;;) {
    const effect = settle(log, ports.agents);
    if (effect.kind === "checkpoint" && options.travels) {
      const ahead = log.ahead();
      // [B8] In one write with what it was made by: on another machine the one would be nothing without the other.
      log.note(completed(ahead, effect.visit, await checkpointAfter(effect, ahead, ports)));
      continue;
    }
    const problem = await log.write();
    if (problem !== undefined) return { kind: "broken", state: log.written(), problem };
    const state = log.written();
    if (effect.kind === "stop") return { kind: "ended", state };
    if (effect.kind === "checkpoint") {
      log.note(completed(state, effect.visit, await checkpointAfter(effect, state, ports)));
      continue;
    }
    if (effect.kind !== "wait" && isPause(options.signal)) return { kind: "paused", state };
    if (options.signal.aborted && !isPause(options.signal)) {
      // [V14] Its items end before it does.
      await lanes.abort(effect, state);
      log.note(aborted(state));
      continue;
    }
    if (effect.kind === "wait") return { kind: "waiting", state };
    // [D16] A process that slept while another took its cast must not act for it.
    if (!(await ports.holds())) return broken(log, "another process has taken this cast over meanwhile");
    if (effect.kind === "fork" || effect.kind === "items" || effect.kind === "join") {
      const result = await lanes.step(effect, state);
      if (result.kind === "decided") log.note(result.decide(log.ahead()));
      if (result.kind === "broken") return broken(log, result.problem);
      if (effect.kind !== "join" || !options.travels) continue;
      // [B12] Written by itself: what comes behind the items may be for another leg.
      const stands = await paused(log);
      if (stands.kind === "broken" || isPause(options.signal)) return stands;
      continue;
    }
    const turn = effect.kind === "agent" ? await ports.admit?.(state, options.signal) : undefined;
    if (turn && isSomething(turn.elsewhere)) {
      // [V13] Told first: whether the turn may still begin, the state decides.
      turn.end();
      log.note({ type: "spent_elsewhere", usage: turn.elsewhere });
      continue;
    }
    const done = await runEffect(effect, { state, ports, options, interruption, admission: turn, report: log.report });
    turn?.end();
    interruption = undefined;
    if (done.kind === "broken") return broken(log, done.problem);
    if (done.outcome.kind === "aborted" && isPause(options.signal)) return paused(log);
    log.note(decide(log.ahead(), done.socket, done.outcome));
  }
}

function isSomething({ input, output, cost }: Usage): boolean {
  return input + output + cost > 0;
}

/** What was reported meanwhile may still be on its way to the journal. */
async function broken(log: Log, problem: string): Promise<RunEnd> {
  await log.write();
  return { kind: "broken", state: log.written(), problem };
}

async function paused(log: Log): Promise<RunEnd> {
  const problem = await log.write();
  const state = log.written();
  return problem === undefined ? { kind: "paused", state } : { kind: "broken", state, problem };
}

/** The file is there before the journal speaks of it. */
async function keepHandoffs(events: readonly CastEvent[], { artifacts }: Ports): Promise<string | undefined> {
  for (const event of events) {
    if (event.type !== "handoff_accepted") continue;
    const text = `${JSON.stringify(event.handoff, undefined, 1)}\n`;
    const problem = await artifacts.write(event.socket, event.visit, "handoff.json", text);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Decisions need no effect: they are made until something has to be done, and written together. */
function settle(log: Log, agents: AgentHost): Exclude<Effect, { kind: "record" }> {
  for (;;) {
    const effect = next(log.ahead());
    const scripted = effect.kind === "wait" ? scriptedAnswer(effect, log.ahead(), agents) : undefined;
    if (scripted) log.note(scripted);
    else if (effect.kind !== "record") return effect;
    else for (const body of effect.events) log.note(body);
  }
}

function runEffect(
  effect: Extract<Effect, { kind: "agent" | "utility" }>,
  context: EffectContext,
): Promise<EffectResult> {
  switch (effect.kind) {
    case "agent":
      return runAgent(effect, context);
    case "utility":
      return runUtilityVisit(effect, context);
    default:
      return never(effect);
  }
}

/** Events on their way to the disk: `ahead` is the state they will lead to, `written` the one that is safe. */
interface Log {
  readonly ahead: () => CastState;
  readonly written: () => CastState;
  readonly note: (body: EventBody) => void;
  /** Noted and on its way at once: for what happens while an effect goes on. */
  readonly report: (body: EventBody) => void;
  readonly write: () => Promise<string | undefined>;
}

function openLog(start: CastState, ports: Ports, options: RunOptions): Log {
  let ahead = start;
  let written = start;
  let pending: CastStep[] = [];
  let problem: string | undefined;
  let writing: Promise<void> = Promise.resolve();
  const timeText = timeWriter();
  const note = (body: EventBody): void => {
    // [S12] Before it counts: the cast that runs and the one that is resumed from its journal have the same state.
    const event = redactEvent({ seq: ahead.seq + 1, at: timeText(ports.now()), ...body }, ports.redact);
    const step = stepFrom(ahead, event);
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
    const [first] = events;
    problem = (await keepHandoffs(events, ports)) ?? (await ports.journal.append(events, (first?.seq ?? 1) - 1));
    if (problem !== undefined) return;
    written = reached;
    options.onSteps?.(steps);
  };
  const write = async (): Promise<string | undefined> => {
    writing = writing.then(flush);
    await writing;
    return problem;
  };
  return {
    ahead: () => ahead,
    written: () => written,
    note,
    report: (body) => {
      note(body);
      // What could not be written stops the next write, which the loop waits for.
      void write().catch(() => undefined);
    },
    write,
  };
}

/** Several events of one moment are noted together: its text is made once. */
function timeWriter(): (now: Date) => string {
  let last = Number.NaN;
  let text = "";
  return (now) => {
    if (now.getTime() !== last) text = now.toISOString();
    last = now.getTime();
    return text;
  };
}
