import { type Graph, socketsOf } from "../compile/graph.ts";
import { buildFlow } from "../compile/flow.ts";
import type { Json } from "../model/values/json.ts";
import { didYouMean } from "../model/values/nearest.ts";
import { oneLine } from "../model/values/text.ts";
import { coverableNames } from "./coverage.ts";
import { endReason, lastLimitReached, castOutcome, stateValueAt, observedVisits, type ObservedCast, type ObservedVisit } from "./observed.ts";
import { comparePath } from "./path.ts";
import type { TestExpectations } from "./test-file.ts";
import { formatWayName, parseWayName, countWaysTaken } from "./way-names.ts";

/** One expectation that was not met: what, both sides, and the place in the graph. */
export interface UnmetExpectation {
  readonly what: string;
  readonly expected: Json;
  readonly got: Json;
  readonly where: string;
  /** The keys of the expectation in the file, for `--update`; nothing where no value can be written there. */
  readonly keys?: readonly string[];
}

/** [T2] Every expectation that was not met. */
export function checkExpectations(expect: TestExpectations, observed: ObservedCast): readonly UnmetExpectation[] {
  const { state, events, exitCode, turns } = observed;
  const visits = observedVisits(events);
  const last = visitLabel(visits.at(-1));
  const reason = oneLine(endReason(state), 300);
  const end = reason === "" ? last : `${last}: ${reason}`;
  const limit = lastLimitReached(events);
  const { itemsDone, itemsGivenUp = 0 } = state.done;
  const all: readonly (UnmetExpectation | undefined)[] = [
    compareValue("outcome", expect.outcome, castOutcome(state), end),
    compareValue("exitCode", expect.exitCode, exitCode, end),
    expect.path && pathFailure(expect.path, visits),
    ...Object.entries(expect.edges ?? {}).map(([name, count]) => edgeFailure(name, count, observed)),
    compareValue("items.done", expect.items?.done, itemsDone, last),
    compareValue("items.givenUp", expect.items?.givenUp, itemsGivenUp, last),
    ...Object.entries(expect.state ?? {}).map(
      ([path, value]) => compareValue("state", value as Json, stateValueAt(state.data, path), last, ["state", path]), // read from a JSON file
    ),
    ...Object.entries(expect.files ?? {}).map(([name, wanted]) => fileFailure(name, wanted, observed.files)),
    ...Object.entries(expect.prompts ?? {}).flatMap(([name, wanted]) => promptFailures(name, wanted, observed)),
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
  if (expected === undefined || isSameValue(expected, got)) return undefined;
  return { what: keys.join("."), expected, got, where, keys };
}

/** Whatever order the keys stand in. */
function isSameValue(a: Json, b: Json): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [own, other] = [Object.entries(a), new Map<string, Json>(Object.entries(b))];
  return (
    own.length === other.size && own.every(([key, value]) => other.has(key) && isSameValue(value, other.get(key) ?? null))
  );
}

function pathFailure(expected: readonly string[], visits: readonly ObservedVisit[]): UnmetExpectation | undefined {
  const compared = comparePath(expected, visits);
  if (compared.same) return undefined;
  const { at } = compared;
  const got = visits.map(({ materia, socket }) => (expected.includes(socket) ? socket : materia));
  const seen = visits[at];
  const where = seen ? `visit ${at + 1}: ${visitLabel(seen)}` : `behind the last visit, ${visitLabel(visits.at(-1))}`;
  return { what: "path", expected: [...expected], got, where, keys: ["path"] };
}

function edgeFailure(name: string, expected: number, { state, events }: ObservedCast): UnmetExpectation | undefined {
  const { graph } = state;
  const [sought, known] = [waysNamed(name, graph), knownWays(graph)];
  const taken = countWaysTaken(graph, events);
  const got = sought.reduce((sum, way) => sum + (taken.get(way) ?? 0), 0);
  const where = name.split(" ")[0] ?? name;
  if (!sought.some((way) => known.has(way) || taken.has(way))) {
    const meant = didYouMean(name, known);
    return { what: `edges.${name}`, expected, got: "there is no such way", where: meant ?? graph.name };
  }
  return got === expected ? undefined : { what: `edges.${name}`, expected, got, where, keys: ["edges", name] };
}

function knownWays(graph: Graph): ReadonlySet<string> {
  return new Set(coverableNames(graph, buildFlow(graph)));
}

/** A way may be told with materia in place of sockets; then it means each of their sockets. */
function waysNamed(name: string, graph: Graph): readonly string[] {
  const way = parseWayName(name);
  if (!way) return [name];
  const ids = (word: string): readonly string[] => {
    const own = socketsOf(graph).filter(({ id, materia }) => id === word || materia === word);
    return own.length === 0 ? [word] : own.map(({ id }) => id);
  };
  return ids(way.from).flatMap((from) => ids(way.to).map((to) => formatWayName({ ...way, from, to })));
}

type ExpectedFile = NonNullable<TestExpectations["files"]>[string];

function fileFailure(
  name: string,
  wanted: ExpectedFile,
  files: ReadonlyMap<string, string | null>,
): UnmetExpectation | undefined {
  const got = files.get(name) ?? null;
  const failure = { what: `files.${name}`, got, where: name };
  if (typeof wanted === "string" || wanted === null)
    return got === wanted ? undefined : { ...failure, expected: wanted, keys: ["files", name] };
  const fits = got !== null && new RegExp(wanted.matches, "mu").test(got);
  return fits ? undefined : { ...failure, expected: { matches: wanted.matches } };
}

type ExpectedPrompt = NonNullable<TestExpectations["prompts"]>[string];

function promptFailures(
  name: string,
  { contains, lacks }: ExpectedPrompt,
  { turns }: ObservedCast,
): readonly UnmetExpectation[] {
  const [, who = name, number] = /^(.*?)(?:#(\d+))?$/su.exec(name) ?? [];
  const own = turns.filter(({ socket, materia }) => socket === who || materia === who);
  const visits = Map.groupBy(own, ({ socket, visit }) => `${socket}#${visit}`);
  const asked = [...visits.values()].filter((_, index) => number === undefined || index + 1 === Number(number));
  if (asked.length === 0) return [{ what: `prompts.${name}`, expected: "a visit", got: "none", where: who }];
  return asked.flatMap((told) => {
    const text = told.map((turn) => turn.text).join("\n");
    const failure = { what: `prompts.${name}`, where: visitLabel(told[0]) };
    return [
      ...contains
        .filter((part) => !text.includes(part))
        .map((part) => ({ ...failure, expected: { contains: part }, got: text })),
      ...lacks
        .filter((part) => text.includes(part))
        .map((part) => ({ ...failure, expected: { lacks: part }, got: textAround(text, part) })),
    ];
  });
}

const EXCERPT_MARGIN = 60;

function textAround(text: string, part: string): string {
  const at = text.indexOf(part);
  const [from, to] = [Math.max(0, at - EXCERPT_MARGIN), at + part.length + EXCERPT_MARGIN];
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
}

function visitLabel(visit: ObservedVisit | undefined): string {
  return visit ? `${visit.socket}#${visit.visit} (${visit.materia})` : "before the first visit";
}
