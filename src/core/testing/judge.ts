import { type Graph, socketsOf } from "../compile/graph.ts";
import { flowOf } from "../compile/flow.ts";
import type { Json } from "../model/values/json.ts";
import { didYouMean } from "../model/values/nearest.ts";
import { oneLine } from "../model/values/text.ts";
import { coverable } from "./coverage.ts";
import { endReason, limitReached, outcomeOf, stateAt, visitsOf, type Observed, type SeenVisit } from "./observed.ts";
import { comparePath } from "./path.ts";
import type { Expect } from "./test-file.ts";
import { joinWay, splitWay, waysTaken } from "./way-names.ts";

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
export function judge(expect: Expect, observed: Observed): readonly UnmetExpectation[] {
  const { state, events, exitCode, turns } = observed;
  const visits = visitsOf(events);
  const last = placeText(visits.at(-1));
  const reason = oneLine(endReason(state), 300);
  const end = reason === "" ? last : `${last}: ${reason}`;
  const limit = limitReached(events);
  const { itemsDone, itemsGivenUp = 0 } = state.done;
  const all: readonly (UnmetExpectation | undefined)[] = [
    differs("outcome", expect.outcome, outcomeOf(state), end),
    differs("exitCode", expect.exitCode, exitCode, end),
    expect.path && pathFailure(expect.path, visits),
    ...Object.entries(expect.edges ?? {}).map(([name, count]) => edgeFailure(name, count, observed)),
    differs("items.done", expect.items?.done, itemsDone, last),
    differs("items.givenUp", expect.items?.givenUp, itemsGivenUp, last),
    ...Object.entries(expect.state ?? {}).map(
      ([path, value]) => differs("state", value as Json, stateAt(state.data, path), last, ["state", path]), // read from a JSON file
    ),
    ...Object.entries(expect.files ?? {}).map(([name, wanted]) => fileFailure(name, wanted, observed.files)),
    ...Object.entries(expect.prompts ?? {}).flatMap(([name, wanted]) => promptFailures(name, wanted, observed)),
    expect.turnsAtMost !== undefined && turns.length > expect.turnsAtMost
      ? { what: "turnsAtMost", expected: expect.turnsAtMost, got: turns.length, where: last, keys: ["turnsAtMost"] }
      : undefined,
    differs("limit", expect.limit, limit, end),
  ];
  return all.filter((failure) => failure !== undefined);
}

function differs(
  what: string,
  expected: Json | undefined,
  got: Json,
  where: string,
  keys: readonly string[] = what.split("."),
): UnmetExpectation | undefined {
  if (expected === undefined || isSame(expected, got)) return undefined;
  return { what: keys.join("."), expected, got, where, keys };
}

/** Whatever order the keys stand in. */
function isSame(a: Json, b: Json): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [own, other] = [Object.entries(a), new Map<string, Json>(Object.entries(b))];
  return (
    own.length === other.size && own.every(([key, value]) => other.has(key) && isSame(value, other.get(key) ?? null))
  );
}

function pathFailure(expected: readonly string[], visits: readonly SeenVisit[]): UnmetExpectation | undefined {
  const compared = comparePath(expected, visits);
  if (compared.same) return undefined;
  const { at } = compared;
  const got = visits.map(({ materia, socket }) => (expected.includes(socket) ? socket : materia));
  const seen = visits[at];
  const where = seen ? `visit ${at + 1}: ${placeText(seen)}` : `behind the last visit, ${placeText(visits.at(-1))}`;
  return { what: "path", expected: [...expected], got, where, keys: ["path"] };
}

function edgeFailure(name: string, expected: number, { state, events }: Observed): UnmetExpectation | undefined {
  const { graph } = state;
  const [sought, known] = [byIds(name, graph), knownWays(graph)];
  const taken = waysTaken(graph, events);
  const got = sought.reduce((sum, way) => sum + (taken.get(way) ?? 0), 0);
  const where = name.split(" ")[0] ?? name;
  if (!sought.some((way) => known.has(way) || taken.has(way))) {
    const meant = didYouMean(name, known);
    return { what: `edges.${name}`, expected, got: "there is no such way", where: meant ?? graph.name };
  }
  return got === expected ? undefined : { what: `edges.${name}`, expected, got, where, keys: ["edges", name] };
}

function knownWays(graph: Graph): ReadonlySet<string> {
  return new Set(coverable(graph, flowOf(graph)));
}

/** A way may be told with materia in place of sockets; then it means each of their sockets. */
function byIds(name: string, graph: Graph): readonly string[] {
  const way = splitWay(name);
  if (!way) return [name];
  const ids = (word: string): readonly string[] => {
    const own = socketsOf(graph).filter(({ id, materia }) => id === word || materia === word);
    return own.length === 0 ? [word] : own.map(({ id }) => id);
  };
  return ids(way.from).flatMap((from) => ids(way.to).map((to) => joinWay({ ...way, from, to })));
}

type FileWanted = NonNullable<Expect["files"]>[string];

function fileFailure(
  name: string,
  wanted: FileWanted,
  files: ReadonlyMap<string, string | null>,
): UnmetExpectation | undefined {
  const got = files.get(name) ?? null;
  const failure = { what: `files.${name}`, got, where: name };
  if (typeof wanted === "string" || wanted === null)
    return got === wanted ? undefined : { ...failure, expected: wanted, keys: ["files", name] };
  const fits = got !== null && new RegExp(wanted.matches, "mu").test(got);
  return fits ? undefined : { ...failure, expected: { matches: wanted.matches } };
}

type PromptWanted = NonNullable<Expect["prompts"]>[string];

function promptFailures(
  name: string,
  { contains, lacks }: PromptWanted,
  { turns }: Observed,
): readonly UnmetExpectation[] {
  const [, who = name, number] = /^(.*?)(?:#(\d+))?$/su.exec(name) ?? [];
  const own = turns.filter(({ socket, materia }) => socket === who || materia === who);
  const visits = Map.groupBy(own, ({ socket, visit }) => `${socket}#${visit}`);
  const asked = [...visits.values()].filter((_, index) => number === undefined || index + 1 === Number(number));
  if (asked.length === 0) return [{ what: `prompts.${name}`, expected: "a visit", got: "none", where: who }];
  return asked.flatMap((told) => {
    const text = told.map((turn) => turn.text).join("\n");
    const failure = { what: `prompts.${name}`, where: placeText(told[0]) };
    return [
      ...contains
        .filter((part) => !text.includes(part))
        .map((part) => ({ ...failure, expected: { contains: part }, got: text })),
      ...lacks
        .filter((part) => text.includes(part))
        .map((part) => ({ ...failure, expected: { lacks: part }, got: around(text, part) })),
    ];
  });
}

const BESIDE = 60;

function around(text: string, part: string): string {
  const at = text.indexOf(part);
  const [from, to] = [Math.max(0, at - BESIDE), at + part.length + BESIDE];
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
}

function placeText(visit: SeenVisit | undefined): string {
  return visit ? `${visit.socket}#${visit.visit} (${visit.materia})` : "before the first visit";
}
