import type { CastStart } from "../../cast/state/state.ts";
import type { Flow } from "../../compile/flow.ts";
import { worstCase } from "../../compile/weigh/worst-case.ts";
import { chanceOf, type Chance } from "../chance.ts";
import { answerWith } from "../fuzz/choice.ts";
import { simulate, type AskedEffect } from "../simulate.ts";
import { modelOf, type CastFacts, type VisitFact } from "./facts.ts";

export interface Range {
  readonly p50: number;
  readonly p90: number;
}

/** [T23] What a cast will take, as likely and as bad. */
export interface Forecast {
  /** How many past casts it rests on. */
  readonly casts: number;
  /** Materia of the graph that have no past; the others stand in for them. */
  readonly unknown: readonly string[];
  /** Those that have only been asked with another model. */
  readonly otherModel: readonly string[];
  readonly turns: Range;
  readonly tokens: Range;
  readonly cost: Range;
  readonly seconds: Range;
}

export interface ForecastRequest {
  readonly start: CastStart;
  readonly flow: Flow;
  /** How long its lists are, where that is known. */
  readonly items?: number;
  /** The model that all agents are asked with, where one is named. */
  readonly model?: string;
  readonly runs?: number;
  readonly seed?: number;
}

const MOST_ANSWERS = 2_000;

/** Nothing where none of the graph's agents has a past. */
export function forecastGraph(past: readonly CastFacts[], request: ForecastRequest): Forecast | undefined {
  const { graph } = request.start;
  const agents = new Set(
    Object.values(graph.sockets).flatMap(({ materia }) => (graph.materia[materia]?.type === "agent" ? [materia] : [])),
  );
  const asked = ({ materia, model }: VisitFact): boolean => model === modelOf(graph, materia, request.model ?? null);
  // Where a materia was asked with the model that will be asked now, what it took with others says nothing.
  const known = new Set(past.flatMap(({ visits }) => visits.filter(asked).map(({ materia }) => materia)));
  const relevant = past
    .map((cast) => ({ ...cast, visits: cast.visits.filter((visit) => !known.has(visit.materia) || asked(visit)) }))
    .filter(({ visits }) => visits.some(({ materia }) => agents.has(materia)));
  const [one, ...others] = relevant.map(byMateria);
  if (!one) return undefined;
  const all = byMateria({ visits: relevant.flatMap(({ visits }) => visits) });
  const unknown = [...agents].filter((materia) => !all.has(materia));
  const chance = chanceOf(request.seed ?? 1);
  const runs = Array.from({ length: request.runs ?? 500 }, () => {
    // One past cast lends its size and its temper to the whole run: a heavy request is heavy everywhere.
    const like = chance.pick([one, ...others]);
    return runOnce(request, { chance, like, all });
  });
  const range = (of: (run: Run) => number): Range => quantiles(runs.map(of));
  return {
    casts: relevant.length,
    unknown,
    otherModel: [...agents].filter((materia) => all.has(materia) && !known.has(materia)),
    turns: range((run) => run.turns),
    tokens: range((run) => run.tokens),
    cost: range((run) => run.cost),
    seconds: range((run) => run.ms / 1000),
  };
}

type Visits = ReadonlyMap<string, readonly VisitFact[]>;

function byMateria({ visits }: Pick<CastFacts, "visits">): Visits {
  return Map.groupBy(visits, ({ materia }) => materia);
}

interface Run {
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
  readonly ms: number;
}

function runOnce(
  { start, items }: ForecastRequest,
  { chance, like, all }: { readonly chance: Chance; readonly like: Visits; readonly all: Visits },
): Run {
  const run = { turns: 0, tokens: 0, cost: 0, ms: 0 };
  const pick = (materia: string): VisitFact | undefined => {
    const own = like.get(materia) ?? all.get(materia) ?? [...all.values()].flat();
    return own[chance.below(own.length)];
  };
  simulate(
    start,
    (asked: AskedEffect, state) => {
      const fact = pick(asked.socket.materia);
      if (fact && asked.kind !== "wait") {
        run.turns += asked.kind === "agent" ? Math.max(1, fact.turns) : 0;
        run.tokens += fact.tokens;
        run.cost += fact.cost;
        run.ms += fact.ms;
      }
      const choice = { satisfied: fact?.satisfied ?? true, items: items ?? fact?.list ?? 1 };
      return answerWith(choice, asked, state);
    },
    MOST_ANSWERS,
  );
  return run;
}

function quantiles(values: readonly number[]): Range {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p90: at(0.9) };
}

/** The most turns for lists of this length; nothing where there is no bound. */
export function worstTurns({ start, flow }: ForecastRequest, items: number): number | null {
  const { withRepairs } = worstCase(start.graph, flow, start.limits);
  if (withRepairs === null) return null;
  return Object.entries(withRepairs).reduce((sum, [loop, each]) => sum + each * (loop === "" ? 1 : items), 0);
}
