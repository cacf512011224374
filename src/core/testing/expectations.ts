import { type Graph, socketsOf } from "../compile/graph.ts";
import { buildFlow } from "../compile/flow.ts";
import { isSameJson, type Json, type JsonObject, valueAt } from "../model/json.ts";
import { didYouMean, oneLine } from "../model/text.ts";
import { coverableNames, parseWayName, countWaysTaken } from "../history/way-names.ts";
import { castStatus, endReason } from "../cast/summary.ts";
import { foldVisits, visitKey, type VisitRecord } from "../history/visits.ts";
import { type TestExpectations, ANY_VISITS } from "./test-file.ts";
import type { CastEvent, LimitName } from "../cast/state/event.ts";
import type { CastState } from "../cast/state/state.ts";

/** One unmet expectation: both values, and the place in the graph. */
export interface UnmetExpectation {
  readonly what: string;
  readonly expected: Json;
  readonly got: Json;
  readonly where: string;
  /** The keys of the expectation in the file, for `--update`; absent if no value can replace it. */
  readonly keys?: readonly string[];
}

/** [T29] All unmet expectations. */
export function checkExpectations(expect: TestExpectations, observed: ObservedCast): readonly UnmetExpectation[] {
  const { state, events, exitCode, turns } = observed;
  const visits = foldVisits(events);
  const last = visitLabel(visits.at(-1));
  const reason = oneLine(endReason(state), 300);
  const end = reason === "" ? last : `${last}: ${reason}`;
  const limit = lastLimitReached(events);
  const { itemsDone, itemsGivenUp = 0 } = state.done;
  const all: readonly (UnmetExpectation | undefined)[] = [
    compareValue("outcome", expect.outcome, castStatus(state, false), end),
    compareValue("exitCode", expect.exitCode, exitCode, end),
    expect.path && pathFailure(expect.path, visits),
    ...Object.entries(expect.edges ?? {}).map(([name, count]) => edgeFailure(name, count, observed)),
    compareValue("items.done", expect.items?.done, itemsDone, last),
    compareValue("items.givenUp", expect.items?.givenUp, itemsGivenUp, last),
    ...Object.entries(expect.state ?? {}).map(
      ([path, value]) =>
        compareValue("state", value as Json, valueAt(state.data, path.split(".")) ?? null, last, ["state", path]), // read from a JSON file
    ),
    ...Object.entries(expect.files ?? {}).map(([name, expected]) => fileFailure(name, expected, observed)),
    ...Object.entries(expect.prompts ?? {}).flatMap(([name, expected]) => promptFailures(name, expected, observed)),
    expect.turnsAtMost !== undefined && turns.length > expect.turnsAtMost
      ? { what: "turnsAtMost", expected: expect.turnsAtMost, got: turns.length, where: last, keys: ["turnsAtMost"] }
      : undefined,
    compareValue("limit", expect.limit, limit, end),
  ];
  return all.filter((failure) => failure !== undefined);
}

function compareValue(
  what: string,
  expected: Json | undefined,
  got: Json,
  where: string,
  keys: readonly string[] = what.split("."),
): UnmetExpectation | undefined {
  if (expected === undefined || isSameJson(expected, got)) return undefined;
  return { what: keys.join("."), expected, got, where, keys };
}

function pathFailure(expected: readonly string[], visits: readonly VisitRecord[]): UnmetExpectation | undefined {
  const at = firstUnmatched(expected, visits);
  if (at === undefined) return undefined;
  const got = visits.map(({ materia, socket }) => (expected.includes(socket) ? socket : materia));
  const seen = visits[at];
  const where = seen ? `visit ${at + 1}: ${visitLabel(seen)}` : `behind the last visit, ${visitLabel(visits.at(-1))}`;
  return { what: "path", expected: [...expected], got, where, keys: ["path"] };
}

function edgeFailure(name: string, expected: number, { state, events }: ObservedCast): UnmetExpectation | undefined {
  const { graph } = state;
  const [sought, ways] = [waysNamed(name, graph), new Set(coverableNames(graph, buildFlow(graph)))];
  const taken = countWaysTaken(graph, events);
  const got = sought.reduce((sum, way) => sum + (taken.get(way) ?? 0), 0);
  const where = name.split(" ")[0] ?? name;
  if (!sought.some((way) => ways.has(way) || taken.has(way))) {
    const meant = didYouMean(name, ways);
    return { what: `edges.${name}`, expected, got: "there is no such way", where: meant ?? graph.name };
  }
  return got === expected ? undefined : { what: `edges.${name}`, expected, got, where, keys: ["edges", name] };
}

/** A way may name materia instead of sockets; then it means every socket of that materia. */
function waysNamed(name: string, graph: Graph): readonly string[] {
  const way = parseWayName(name);
  if (!way) return [name];
  const ids = (word: string): readonly string[] => {
    const own = socketsOf(graph).filter(({ id, materia }) => id === word || materia === word);
    return own.length === 0 ? [word] : own.map(({ id }) => id);
  };
  return ids(way.from).flatMap((from) => ids(way.to).map((to) => `${from} ${way.how} ${to}`));
}

type ExpectedFile = NonNullable<TestExpectations["files"]>[string];

function fileFailure(name: string, expected: ExpectedFile, { files }: ObservedCast): UnmetExpectation | undefined {
  const got = files.get(name) ?? null;
  const failure = { what: `files.${name}`, got, where: name };
  if (typeof expected === "string" || expected === null)
    return got === expected ? undefined : { ...failure, expected, keys: ["files", name] };
  const fits = got !== null && new RegExp(expected.matches, "mu").test(got);
  return fits ? undefined : { ...failure, expected: { matches: expected.matches } };
}

type ExpectedPrompt = NonNullable<TestExpectations["prompts"]>[string];

function promptFailures(
  name: string,
  { contains, lacks }: ExpectedPrompt,
  { turns }: ObservedCast,
): readonly UnmetExpectation[] {
  const [, who = name, number] = /^(.*?)(?:#(\d+))?$/su.exec(name) ?? [];
  const own = turns.filter(({ socket, materia }) => socket === who || materia === who);
  const visits = Map.groupBy(own, ({ socket, visit }) => visitKey(socket, visit));
  const asked = [...visits.values()].filter((_, index) => number === undefined || index + 1 === Number(number));
  if (asked.length === 0) return [{ what: `prompts.${name}`, expected: "a visit", got: "none", where: who }];
  return asked.flatMap((visit) => {
    const text = visit.map((turn) => turn.text).join("\n");
    const failure = { what: `prompts.${name}`, where: visitLabel(visit[0]) };
    const [missing, present] = [
      contains.filter((part) => !text.includes(part)),
      lacks.filter((part) => text.includes(part)),
    ];
    return [
      ...missing.map((part) => ({ ...failure, expected: { contains: part }, got: text })),
      ...present.map((part) => ({ ...failure, expected: { lacks: part }, got: textAround(text, part) })),
    ];
  });
}

const EXCERPT_MARGIN = 60;

function textAround(text: string, part: string): string {
  const at = text.indexOf(part);
  const [from, to] = [Math.max(0, at - EXCERPT_MARGIN), at + part.length + EXCERPT_MARGIN];
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
}

function visitLabel(visit: Pick<TurnPrompt, "socket" | "materia" | "visit"> | undefined): string {
  return visit ? `${visitKey(visit.socket, visit.visit)} (${visit.materia})` : "before the first visit";
}

function firstUnmatched(expected: readonly string[], visits: readonly VisitRecord[]): number | undefined {
  let [at, visit, furthest] = [0, 0, 0];
  // The last "…" and the visits that it matches: a later mismatch gives it one more visit.
  let open: { readonly at: number; readonly visit: number } | undefined;
  for (;;) {
    const word = expected[at];
    const seen = visits[visit];
    furthest = Math.max(furthest, visit);
    if (word !== undefined && ANY_VISITS.includes(word)) {
      open = { at, visit };
      at += 1;
    } else if (word === undefined && seen === undefined) return undefined;
    else if (seen && (word === seen.socket || word === seen.materia)) {
      at += 1;
      visit += 1;
    } else if (open && open.visit < visits.length) {
      open = { at: open.at, visit: open.visit + 1 };
      [at, visit] = [open.at + 1, open.visit];
    } else return furthest;
  }
}

export interface ObservedCast {
  readonly state: CastState;
  readonly events: readonly CastEvent[];
  readonly exitCode: number;
  readonly turns: readonly TurnPrompt[];
  /** The files that expectations name; null for a missing file. */
  readonly files: ReadonlyMap<string, string | null>;
}

export interface TurnPrompt {
  readonly socket: string;
  readonly materia: string;
  readonly visit: number;
  readonly text: string;
}

export function lastLimitReached(events: readonly CastEvent[]): LimitName | null {
  return events.findLast((event) => event.type === "limit_reached")?.limit ?? null;
}

/** The expectations that `--update` writes into a test without any. */
export function fullExpectation({
  state,
  events,
  exitCode,
}: Pick<ObservedCast, "state" | "events" | "exitCode">): JsonObject {
  const limit = lastLimitReached(events);
  const { items, itemsDone, itemsGivenUp = 0 } = state.done;
  return {
    outcome: castStatus(state, false),
    exitCode,
    path: foldVisits(events).map(({ materia }) => materia),
    edges: Object.fromEntries(countWaysTaken(state.graph, events)),
    ...(items === 0 ? {} : { items: { done: itemsDone, givenUp: itemsGivenUp } }),
    ...(limit === null ? {} : { limit }),
  };
}
