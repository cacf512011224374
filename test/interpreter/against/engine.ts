import { mergeLayers } from "../../../src/core/catalog/catalog.ts";
import { readLayer } from "../../../src/core/catalog/layer.ts";
import { abortedEvent, decide, type EffectOutcome } from "../../../src/core/cast/decide.ts";
import type { CastEvent } from "../../../src/core/cast/state/event.ts";
import { itemRunAt } from "../../../src/core/cast/item-runs.ts";
import { next, startedEvent, visitCompletedEvent, type Effect } from "../../../src/core/cast/next.ts";
import { currentItem } from "../../../src/core/cast/state/current-item.ts";
import type { CastStart, CastState } from "../../../src/core/cast/state/state.ts";
import { refsOf } from "../../harness/chain.ts";
import { compileTargets, type CompiledChain } from "../../../src/core/compile/targets/compile.ts";
import { reworkLimitOf } from "../../../src/core/cast/rework-limit.ts";
import { resumeEvents } from "../../../src/shell/casting/resume-cast.ts";
import type { CastId } from "../../../src/core/model/ids.ts";
import type { Result } from "../../../src/core/model/issue.ts";
import { writeAgentPrompt } from "../../../src/core/prompt/agent-prompt.ts";
import type { ProviderRefusal, World } from "../cast.ts";
import type { Graph, Place } from "../texts.ts";
import { NO_USAGE } from "../../../src/core/cast/state/usage.ts";
import { worldOf } from "../random/replies.ts";
import { tokensOfBroken, TURN } from "../visit/asked.ts";
import { marksOf } from "../visit/prompt-marks.ts";
import { LONGEST } from "../walk.ts";
import type { Case } from "../random/worlds.ts";
import { performItems, spendElsewhere, type ItemsPlace } from "./items.ts";
import { EVENT_TIME, factsIn, openJournal, type Entry, type Journal } from "./journal.ts";

export interface Ran {
  /** What happened in all casts of it, in the order in which it happened. */
  readonly log: readonly Entry[];
  readonly events: readonly CastEvent[];
  readonly facts: readonly string[];
  readonly state: CastState;
  readonly turns: number;
  /** What the casts of items began with. */
  readonly starts: ReadonlyMap<string, CastStart>;
}

export function engineGraph({ texts, targets }: Case): Result<CompiledChain> {
  const catalog = mergeLayers([readLayer("explicit", JSON.parse(JSON.stringify(texts)) as object, "test.json")]);
  return compileTargets(refsOf(targets.join(" ")), catalog);
}

export function engineStart(each: Case, { graph }: CompiledChain): CastStart {
  const { texts } = each;
  const castId = "law" as CastId; // of an id's form
  const limits = { ...texts.limits, waitForProvider: 10 ** 12 };
  return { castId, request: "do it", graph, limits, budget: texts.budget, data: worldOf(each).earlier };
}

/** What all casts of a case have in common. */
interface Run {
  readonly log: Entry[];
  readonly graph: Graph;
  readonly world: World;
  readonly starts: Map<string, CastStart>;
  turns: number;
}

/** Nobody follows it any longer. */
class TooLong extends Error {}

/** A cast of the engine from a journal that may hold something already. */
export function runEngine(start: CastStart, before: readonly Entry[], graph: Graph, world: World): Ran {
  const run: Run = { log: [...before], graph, world, starts: new Map(), turns: 0 };
  const journal = openJournal(run.log, start, graph);
  if (world.keepsFiles && before.length === 0) journal.note(startedEvent(journal.state(), { commit: "base" }));
  try {
    for (let goesOn = true; goesOn; goesOn = allowedMore(journal, world)) drive(run, journal, undefined);
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
  }
  const { log, turns, starts } = run;
  return { starts, log, events: journal.events(), facts: factsIn(log, start.castId), state: journal.state(), turns };
}

/** Until it stops by itself. */
function drive(run: Run, journal: Journal, parent: ItemsPlace | undefined): void {
  const had = new Map<string, number>();
  for (const event of journal.events())
    if (event.type === "handoff_rejected" || event.type === "turn_answered")
      had.set(`${event.socket} ${event.visit}`, (had.get(`${event.socket} ${event.visit}`) ?? 0) + 1);
  for (;;) {
    if (parent) spendElsewhere(journal, parent);
    const effect = next(journal.state());
    switch (effect.kind) {
      case "record":
        for (const body of effect.events) {
          if (body.type === "visit_started" && visitsIn(run.log) >= LONGEST) throw new TooLong();
          journal.note(body);
        }
        break;
      case "agent":
      case "utility":
        performVisit(run, journal, effect, had);
        break;
      case "wait":
        answerPerson(run, journal, effect, had);
        break;
      case "fork":
      case "items":
      case "join":
        performItems({ ...run, journal }, effect, (child, place) => drive(run, child, place));
        break;
      case "sleep":
        journal.note({ type: "cast_woken" });
        break;
      case "checkpoint": {
        const state = journal.state();
        const at = [placeAt(run, effect.socket.id), nameOf(state, effect.visit.number)] as const;
        const resolves = run.world.resolves(...at);
        const files = { commit: "files", changed: 1, added: 1, removed: 0, ...(resolves ? { resolves } : {}) };
        // A visit that changed nothing reports no files.
        journal.note(visitCompletedEvent(state, effect.visit, run.world.changes(...at) ? files : undefined));
        break;
      }
      case "stop":
        return;
    }
  }
}

function visitsIn(log: readonly Entry[]): number {
  return log.filter(({ event }) => event?.type === "visit_started").length;
}

function placeAt({ graph }: Run, id: string): Place {
  const place = graph.places.get(id);
  if (!place) throw new Error(`the interpreter knows no ${id}`);
  return place;
}

/** [V6] The visits of an item's own cast are counted anew; what is said there is its own. */
function nameOf(state: CastState, number: number): string {
  if (!state.item) return String(number);
  const [, fork, key = "", attempt] = /_(\d+)_(WI-\d+)(?:_(\d+))?$/.exec(state.castId) ?? [];
  return `${fork}${key}${attempt === undefined ? "" : `.${attempt}`}/${number}`;
}

type VisitInProgress = Extract<Effect, { kind: "agent" | "utility" }>;

function performVisit(run: Run, journal: Journal, effect: VisitInProgress, had: Map<string, number>): void {
  const state = journal.state();
  const place = placeAt(run, effect.socket.id);
  const key = `${place.id} ${effect.visit.number}`;
  const turn = (had.get(key) ?? 0) + 1;
  const name = nameOf(state, effect.visit.number);
  const refusals = effect.kind === "agent" ? refusalsInARow(journal) : 0;
  if (effect.kind === "agent" && refusals === 0) {
    run.turns += 1;
    const { system, prompt } = writeAgentPrompt(state, effect);
    // A repair may quote the reply of this visit that it complains of.
    const quoted = `«p${place.id}#${name}.`;
    const marks = marksOf(`${system}\n${prompt}`).filter((mark) => turn === 1 || !mark.startsWith(quoted));
    journal.tell(`told ${place.id} ${marks.join(" ")}`);
  }
  if (effect.kind === "utility")
    journal.tell(`told ${place.id} ${marksOf(JSON.stringify([state.data, currentItem(state)])).join(" ")}`);
  const refusal = effect.kind === "agent" ? run.world.refusal(place, name, turn, refusals) : undefined;
  if (refusal) return journal.note(decide(state, effect.socket, refusedTurn(refusal, effect.visit.switchedTo)));
  const times = breaksOf(journal, effect.visit);
  const how = run.world.breaks(place, name, turn, times);
  if (how === "abort" && !state.item) return journal.note(abortedEvent(state));
  if (how) {
    const usage = effect.kind === "agent" ? { input: tokensOfBroken(times), output: 0, cost: 0 } : NO_USAGE;
    return journal.note(
      decide(state, effect.socket, { kind: "failed", reason: "provider", message: BROKEN_OFF, usage }),
    );
  }
  had.set(key, turn);
  const text = run.world.reply(place, name, turn, state.data);
  const outcome: EffectOutcome =
    effect.kind === "utility"
      ? place.materia.gate
        ? { kind: "ended", code: run.world.exitCode(place, name), printed: text }
        : { kind: "exited", stdout: text, cut: false }
      : { kind: "replied", text, usage: { input: TURN - 5, output: 5, cost: 0 } };
  journal.note(decide(state, effect.socket, outcome));
}

const BROKEN_OFF = "was broken off";

/** How often a visit was broken off. */
function breaksOf(journal: Journal, { socket, number }: { readonly socket: string; readonly number: number }): number {
  const events = journal.events();
  const begun = events.findLastIndex(
    (event) => event.type === "visit_started" && event.socket === socket && event.visit === number,
  );
  return events.slice(begun).filter(isBreak).length;
}

function isBreak(event: CastEvent): boolean {
  return event.type === "turn_failed" || (event.type === "cast_ended" && event.outcome === "aborted");
}

const REFUSED: ReadonlySet<CastEvent["type"]> = new Set([
  "turn_retried",
  "model_switched",
  "cast_sleeping",
  "cast_woken",
]);

/** How often the provider has refused since something else happened. */
function refusalsInARow(journal: Journal): number {
  const events = journal.events();
  const own = events.slice(events.findLastIndex(({ type }) => !REFUSED.has(type)) + 1);
  return own.filter(({ type }) => type !== "cast_woken").length;
}

function refusedTurn(refusal: ProviderRefusal, switchedTo: string | null): EffectOutcome {
  const now = Date.parse(EVENT_TIME);
  const models = ["a/x", "b/y"];
  return {
    kind: "refused",
    refusal: refusal === "overload" ? { kind: "transient" } : { kind: "until", at: now + RESET_MS[refusal] },
    message: refusal,
    failure: "provider",
    model: switchedTo ?? "a/x",
    models: refusal === "limit" ? models.slice(0, 1) : models,
    usage: { input: 0, output: 0, cost: 0 },
    ms: 0,
    now,
    wasAsked: true,
  };
}

const RESET_MS = { soon: 1_000, limit: 7_200_000, switched: 7_200_000 } as const;

function answerPerson(
  run: Run,
  journal: Journal,
  effect: Extract<Effect, { kind: "wait" }>,
  had: ReadonlyMap<string, number>,
): void {
  const place = placeAt(run, effect.socket.id);
  const at = { socket: effect.socket.id, visit: effect.visit.number };
  const name = nameOf(journal.state(), at.visit);
  const { yes, text } = run.world.person(place, name, had.get(`${place.id} ${at.visit}`) ?? 1);
  journal.note({ type: "cast_resumed", by: "law" });
  if (place.materia.type === "person") journal.note({ type: "person_judged", ...at, satisfied: yes, text });
  else journal.note(yes ? { type: "person_finished", ...at } : { type: "person_answered", ...at, text });
}

/** [D33] Whether a person lets a cast go on that stopped at a limit. */
function allowedMore(journal: Journal, world: World): boolean {
  const events = journal.events();
  const state = journal.state();
  if (events.at(-1)?.type !== "limits_raised") {
    if (!canGoOn(state)) return false;
    if (wasBrokenOff(events)) {
      journal.note({ type: "cast_resumed", by: "law" });
      return true;
    }
    const limit = events.at(-2);
    if (limit?.type !== "limit_reached") return false;
    const stops = events.filter(({ type }) => type === "cast_ended").length;
    const raised = world.raise(limit.limit, stops);
    if (raised === undefined) return false;
    const rework = reworkLimitOf(state);
    const decision = rework && world.decide(stops, rework.item !== null);
    if (decision) {
      const how = typeof decision === "string" ? { kind: decision } : { kind: "hint" as const, text: decision.hint };
      for (const body of resumeEvents(state, { kind: "recast", decision: how }, { by: "law" })) journal.note(body);
      return true;
    }
    const maxTokens = (state.budget.maxTokens ?? 0) + raised;
    if (raised > 0)
      journal.note({ type: "limits_raised", ...(limit.limit === "maxTokens" ? { maxTokens } : { allow: raised }) });
  }
  journal.note({ type: "cast_resumed", by: "law" });
  return true;
}

/** Where an item failed that no person can help, nobody goes on. */
function canGoOn({ phase }: CastState): boolean {
  if (phase.kind !== "ended" || phase.before.kind !== "forked") return true;
  const { fork } = phase.before;
  return fork.failed.every((index) => {
    const run = itemRunAt(fork, index);
    return run?.kind === "failed" && (run.end.limit !== undefined || run.end.reason.includes(BROKEN_OFF));
  });
}

function wasBrokenOff(events: readonly CastEvent[]): boolean {
  const [before, end] = events.slice(-2);
  if (end?.type === "cast_ended" && end.outcome === "aborted") return true;
  return before?.type === "turn_failed" && before.message.includes(BROKEN_OFF);
}
