import type { CastStart, CastState } from "../cast/state/state.ts";
import type { EventBody } from "../cast/state/event.ts";
import type { Flow } from "../compile/flow.ts";
import { evaluateFormula, worstCase } from "../compile/worst-case.ts";
import { seededRandom, type RandomSource, answerEvent, simulateCast, type ExternalEffect } from "../cast/simulate.ts";
import { requestedModel, type CastFacts, type VisitFact } from "./facts.ts";

export interface QuantileRange {
  readonly p50: number;
  readonly p90: number;
}

/** [T23] What a cast will probably use. */
export type Forecast = Readonly<NonNullable<ReturnType<typeof forecastGraph>>>;

export interface ForecastRequest {
  readonly start: CastStart;
  readonly flow: Flow;
  /** The length of its lists, if the caller knows it. */
  readonly items?: number;
  /** The model of all agents, if the command names one. */
  readonly model?: string;
  readonly runs?: number;
  readonly seed?: number;
}

const MOST_ANSWERS = 2_000;

/** Returns nothing if no agent of the graph has a past visit. */
export function forecastGraph(past: readonly CastFacts[], request: ForecastRequest) {
  const { graph } = request.start;
  const agents = new Set(
    Object.values(graph.sockets).flatMap(({ materia }) => (graph.materia[materia]?.type === "agent" ? [materia] : [])),
  );
  const newest = new Map(
    past.toReversed().flatMap(({ visits }) => visits.map(({ materia, model }) => [materia, model])),
  );
  const isSameModel = ({ materia, model }: VisitFact): boolean =>
    model === (requestedModel(graph, materia, request.model ?? null) ?? newest.get(materia));
  // Visits with the model of this cast replace visits with other models: figures of two models must not mix.
  const withModel = new Set(past.flatMap(({ visits }) => visits.filter(isSameModel).map(({ materia }) => materia)));
  const relevant = past
    .map((cast) => ({
      ...cast,
      visits: cast.visits.filter((visit) => !withModel.has(visit.materia) || isSameModel(visit)),
    }))
    .filter(({ visits }) => visits.some(({ materia }) => agents.has(materia)));
  const [one, ...others] = relevant.map(groupByMateria);
  if (!one) return undefined;
  const all = groupByMateria({ visits: relevant.flatMap(({ visits }) => visits) });
  const chance = seededRandom(request.seed ?? 1);
  const runs = Array.from({ length: request.runs ?? 500 }, () => {
    // One past cast serves the whole run, because a large request is large at every socket.
    const like = chance.pick([one, ...others]);
    return simulateRun(request, chance, like, all);
  });
  const range = (of: (run: (typeof runs)[number]) => number): QuantileRange => quantiles(runs.map(of));
  const lists = relevant.flatMap(({ visits }) => visits.flatMap(({ list }) => list ?? []));
  return {
    casts: relevant.length,
    /** The longest list that a materia of this graph has made. */
    items: lists.length === 0 ? undefined : lists.reduce((most, each) => Math.max(most, each), 0),
    /** Materia without a past visit; the estimate uses visits of other materia for them. */
    unknown: [...agents].filter((materia) => !all.has(materia)),
    /** Materia that have only run with another model. */
    otherModel: [...agents].filter((materia) => all.has(materia) && !withModel.has(materia)),
    turns: range((run) => run.turns),
    tokens: range((run) => run.tokens),
    cost: range((run) => run.cost),
    seconds: range((run) => run.ms / 1000),
  };
}

type VisitsByMateria = ReadonlyMap<string, readonly VisitFact[]>;

function groupByMateria({ visits }: Pick<CastFacts, "visits">): VisitsByMateria {
  return Map.groupBy(visits, ({ materia }) => materia);
}

/** `like` are the visits of one past cast, `all` those of every one. */
function simulateRun(
  { start, items }: ForecastRequest,
  chance: RandomSource,
  like: VisitsByMateria,
  all: VisitsByMateria,
) {
  const run = { turns: 0, tokens: 0, cost: 0, ms: 0 };
  const answer = (asked: ExternalEffect, state: CastState): EventBody => {
    const { materia } = asked.socket;
    const own = like.get(materia) ?? all.get(materia) ?? [...all.values()].flat();
    const fact = own[chance.below(own.length)];
    if (fact && asked.kind !== "wait") {
      run.turns += asked.kind === "agent" ? Math.max(1, fact.turns) : 0;
      run.tokens += fact.tokens;
      run.cost += fact.cost;
      run.ms += fact.ms;
    }
    return answerEvent({ satisfied: fact?.satisfied ?? true, items: items ?? fact?.list ?? 1 }, asked, state);
  };
  simulateCast(start, answer, MOST_ANSWERS);
  return run;
}

function quantiles(values: readonly number[]): QuantileRange {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p90: at(0.9) };
}

/** The most turns for lists of this length; null where there is no bound. */
export function maxTurns({ start, flow }: ForecastRequest, items: number): number | null {
  const { withRepairs } = worstCase(start.graph, flow, start.limits);
  return withRepairs && evaluateFormula(withRepairs, () => items);
}

/** [T22] The figures of one materia with one model. */
export type MateriaStats = Readonly<ReturnType<typeof statsRow>>;

interface StatsGroup {
  readonly visits: VisitFact[];
  overturned: number;
  items: number;
  caused: number;
}

export function materiaStats(casts: readonly CastFacts[]): readonly MateriaStats[] {
  const groups = new Map<string, StatsGroup>();
  const groupOf = ({ materia, model }: Pick<VisitFact, "materia" | "model">) => {
    const key = `${materia}\u0000${model}`;
    const group = groups.get(key) ?? { visits: [], overturned: 0, items: 0, caused: 0 };
    groups.set(key, group);
    return group;
  };
  for (const { visits, itemsDone } of casts) {
    for (const group of new Set(visits.map(groupOf))) group.items += itemsDone;
    visits.forEach((visit, index) => {
      groupOf(visit).visits.push(visit);
      if (visit.satisfied === true && isOverturned(visits, index)) groupOf(visit).overturned += 1;
      const next = visits[index + 1];
      if (visit.satisfied === false && next?.because === visit.materia) groupOf(visit).caused += 1;
    });
  }
  return [...groups.values()].map(statsRow).toSorted((a, b) => b.cost - a.cost || b.tokens - a.tokens);
}

/** Whether a later materia was not satisfied with the same item. */
function isOverturned(visits: readonly VisitFact[], index: number): boolean {
  const own = visits[index];
  if (!own || own.item === null) return false;
  for (const { item, materia, satisfied } of visits.slice(index + 1)) {
    if (item !== own.item || materia === own.materia) return false;
    if (satisfied === false) return true;
  }
  return false;
}

function statsRow({ visits, overturned, items, caused }: StatsGroup) {
  const sum = (of: (visit: VisitFact) => number): number => visits.reduce((total, visit) => total + of(visit), 0);
  const [first] = visits;
  const [tokens, cost] = [sum((visit) => visit.tokens), sum((visit) => visit.cost)];
  return {
    materia: first?.materia ?? "",
    model: first?.model ?? "",
    visits: visits.length,
    rejected: sum((visit) => visit.rejected),
    /** [H25] Those of them that were calls of `hand_over`. */
    rejectedByTool: sum((visit) => visit.rejectedByTool),
    /** How often it sent work back, and how often work came back to it. */
    reworkCaused: caused,
    reworkReceived: visits.filter(({ because }) => because !== undefined).length,
    yes: visits.filter(({ satisfied }) => satisfied === true).length,
    /** How often a later "not satisfied" for the same item reversed its approval. */
    overturned,
    tokens,
    cost,
    items,
    tokensPerItem: items === 0 ? null : tokens / items,
    costPerItem: items === 0 ? null : cost / items,
    seconds: sum((visit) => visit.ms) / 1000,
  };
}
