import { END, valueAt, type Graph, type Json, type JsonObject, type Place, type Region, type Texts } from "./texts.ts";
import type { Item, Said } from "./visit/reply.ts";

/** Everything outside a cast: what is answered, and what a person allows when it was stopped. */
export interface World {
  readonly limits: Texts["limits"];
  readonly budget: Texts["budget"];
  /** What an agent says, or a utility prints that was given this state, at this turn of this visit. */
  readonly reply: (place: Place, visit: string, turn: number, state?: JsonObject) => string;
  /** With which code the command of a gate ends. */
  readonly exitCode: (place: Place, visit: string) => number;
  readonly person: (place: Place, visit: string, turn: number) => PersonAnswer;
  /** Whether the items of a parallel loop can be worked on at once, this time. */
  readonly together: (fork: number) => boolean;
  /** Of all that is under way, what has the smallest number is over first. */
  readonly pace: (work: string) => number;
  /** Why the work of an item cannot be merged; nothing where it can. */
  readonly conflict: (attempt: string) => string | undefined;
  /** [R9] Whether checkpoints are kept, and whether this visit changed a file. */
  readonly keepsFiles: boolean;
  readonly changes: (place: Place, visit: string) => boolean;
  /** [V51] Whether only conflicting hunks have changed behind this visit. */
  readonly resolves: (place: Place, visit: string) => boolean;
  /** How much more a person allows when the cast has been stopped so often; nothing where they leave it. */
  readonly raise: (limit: string, times: number) => number | undefined;
  /** [R6] What a person decides about work that was sent back too often, in place of allowing more. */
  readonly decide: (times: number, hasItem: boolean) => Decision | undefined;
  /** [D1] How a visit is broken off that was so often, if it is: by a failure, or by a person. Somebody goes on each time. */
  readonly breaks: (place: Place, visit: string, turn: number, times: number) => "failure" | "abort" | undefined;
  /** [L26] What an earlier cast left in state. */
  readonly earlier: JsonObject;
  /** [Z3] How the provider refuses this turn after so many refusals. The walk asks nobody: a refusal changes nothing. */
  readonly refusal: (place: Place, visit: string, turn: number, times: number) => ProviderRefusal | undefined;
}

/** For a moment, for long, for long with another model at hand, or without a time. */
export type ProviderRefusal = "soon" | "limit" | "switched" | "overload";

/** [R6] To take refused work as it is, to give its item up, or to send it back once more with a hint. */
export type Decision = "accept" | "next" | { readonly hint: string };

/** How a stopped cast goes on: with so much more allowed, or with what a person decided about refused work. */
export type Allowance = number | Decision;

export interface PersonAnswer {
  readonly yes: boolean;
  readonly text: string;
}

/** One walk through the list of a loop. */
export interface Pass {
  readonly region: Region;
  readonly items: readonly Item[];
  /** [G26] Which list it is: another number for every list that was made. */
  readonly list: number;
  readonly index: number;
  /** Where it ends: behind the list, or behind the one item that this cast is for. */
  readonly end: number;
  /** The member at which it was entered; an item that follows one given up begins there. */
  readonly door: string;
  /** How many visits there were when the current item began. */
  readonly since: number;
}

/** How a visit was reached. */
export interface Route {
  readonly from?: Place;
  readonly to: string;
  /** Its outcome, once nothing stops it. */
  readonly fact?: string;
  /** The reason that a `not_satisfied` way carries. */
  readonly reason?: string;
  /** Whether the way counts its traversals itself. */
  readonly counted: boolean;
}

/** What was handed on to the next visit. */
export interface HandedOn {
  /** The title of the item it was said about. */
  readonly label: string;
  readonly text: string;
  readonly items: readonly Item[];
  /** Whether a list came with it, be it an empty one. */
  readonly made: boolean;
  /** The list that these items are. */
  readonly list?: number;
}

/** What a cast and those of its items have in common. */
export interface SharedCounts {
  tokens: number;
  /** [D17] How many tokens may be used, with what a person has allowed. */
  most: number;
  /** How many lists were made, by any socket. */
  made: number;
  /** The number of each list that a loop can walk. */
  readonly numbers: WeakMap<object, number>;
  visits: number;
}

/** Where a cast stopped, at a limit or broken off; it goes on with how much more it is allowed. */
export interface Stop {
  /** None where it was broken off. */
  readonly limit?: string;
  readonly where: string;
  /** Whether nothing else has failed beside it that no person can allow. */
  readonly goesOn: boolean;
  /** [R6] Whether refused work would be sent back once more, and whether an item is in hand. */
  readonly rework?: { readonly hasItem: boolean } | undefined;
}

/** Something that may stop at limits on its way. */
export type Steps<T> = Generator<Stop, T, Allowance>;

export interface Cast {
  readonly graph: Graph;
  readonly world: World;
  readonly shared: SharedCounts;
  /** [V6] What comes before the visits of an item's own cast: they are counted anew. */
  readonly name: string;
  readonly facts: string[];
  readonly visits: Map<string, number>;
  /** Sockets in the order in which they were visited. */
  readonly walked: string[];
  readonly traversals: Map<string, number>;
  readonly allowed: Map<string, number>;
  readonly returns: Map<string, number>;
  /** [G39] Which list a loop was last entered with, and how often again without progress. */
  readonly entries: Map<string, { readonly list: number; readonly again: number }>;
  /** How often the empty list of a loop was passed by since the last visit. */
  readonly passedBy: Map<string, number>;
  readonly reasons: Map<string, readonly string[]>;
  /** [R5] Whether the visit that begins was sent back; a socket that has not run only keeps the reason. */
  again: boolean;
  /** [I1] The last conversation of a socket for an item: its visit, and how many visits there were then. */
  readonly talks: Map<string, { readonly visit: number; readonly at: number }>;
  /** How many visits there were when a loop, or what is in none, last sent work back. */
  readonly sentBack: Map<string, number>;
  /** The number of the list that stands at a path of state. */
  readonly lists: Map<string, number>;
  readonly notes: Map<number, string>;
  /** [P12] The last answer of an agent for an item. */
  /** [R9] Whether checkpoints are kept, and rework visits of a socket for an item, in a row, that changed no file. */
  keepsFiles: boolean;
  readonly idle: Map<string, number>;
  /** [V51] Whether this cast merges accepted work, and has only settled its conflicts so far. */
  merging: boolean;
  resolved: boolean;
  readonly skipped: Set<string>;
  readonly answers: Map<string, { readonly text: string; readonly refuses: boolean }>;
  /** [P14] What agents left open: by whom and about what, and the words. */
  open: readonly { readonly by: string; readonly about: string; readonly text: string }[];
  /** [P13] The walk through a list that was left last, with the items given up in it. */
  lastPass: { readonly pass: Pass; readonly gave: ReadonlyMap<number, string> } | undefined;
  /** Why items of the present walk were given up. */
  gave: Map<number, string>;
  /** What it put into state, in its order. */
  readonly wrote: Write[];
  /** Titles of the items that were given up. */
  readonly givenUp: string[];
  data: JsonObject;
  pass: Pass | undefined;
  handed: HandedOn;
  last: boolean | undefined;
  /** How often items were worked on at once. */
  forks: number;
  itemsDone: number;
  /** The member that moved on behind the last item, and what it said. */
  advanced: { readonly place: Place; readonly said: Said } | undefined;
}

export function newCast(graph: Graph, world: World): Cast {
  const shared = {
    tokens: 0,
    most: world.budget.maxTokens ?? Infinity,
    made: 0,
    numbers: new WeakMap<object, number>(),
    visits: 0,
  };
  return castWith(graph, world, shared, "");
}

export function castWith(graph: Graph, world: World, shared: SharedCounts, name: string): Cast {
  return {
    graph,
    world,
    shared,
    name,
    facts: [],
    visits: new Map(),
    walked: [],
    traversals: new Map(),
    allowed: new Map(),
    returns: new Map(),
    entries: new Map(),
    passedBy: new Map(),
    reasons: new Map(),
    again: false,
    talks: new Map(),
    sentBack: new Map(),
    lists: new Map(),
    notes: new Map(),
    keepsFiles: world.keepsFiles,
    idle: new Map(),
    merging: false,
    resolved: false,
    skipped: new Set(),
    answers: new Map(),
    open: [],
    lastPass: undefined,
    gave: new Map(),
    wrote: [],
    givenUp: [],
    data: world.earlier,
    pass: undefined,
    handed: { label: "", text: "", items: [], made: false },
    last: undefined,
    forks: 0,
    itemsDone: 0,
    advanced: undefined,
  };
}

/** Thrown where a cast ends in the middle of something. */
export class CastEnd extends Error {
  /** Whether only nobody follows it any longer. */
  readonly isTooLong: boolean;
  constructor(isTooLong = false) {
    super();
    this.isTooLong = isTooLong;
  }
}

export function fail(cast: Cast): never {
  cast.facts.push("ended failed");
  throw new CastEnd();
}

/** [D33] Stops at a limit; where a person allows more, the cast goes on where it stood. */
export function* stopAt(cast: Cast, limit: string, where: string, goesOn = true): Steps<number> {
  return amountOf(yield* stopForPerson(cast, { limit, where, goesOn }));
}

/** [R6] A hint comes with one more round. */
export function amountOf(more: Allowance): number {
  return typeof more === "number" ? more : typeof more === "object" ? 1 : 0;
}

export function* stopForPerson(cast: Cast, stop: Stop): Steps<Allowance> {
  if (stop.limit !== undefined) cast.facts.push(`limit ${stop.limit} ${stop.where}`);
  cast.facts.push("ended failed");
  return yield stop;
}

export function regionOf(cast: Cast, id: string): Region | undefined {
  return cast.graph.regions.get(cast.graph.places.get(id)?.loop ?? "");
}

export function placeOf(cast: Cast, id: string): Place {
  const place = cast.graph.places.get(id);
  if (!place || id === END) throw new Error(`no socket ${id}`);
  return place;
}

/** [G26] The current item: its list and its place in it. */
export function itemOf(cast: Cast): string {
  return cast.pass ? `${cast.pass.list}:${cast.pass.index}` : "";
}

/** [O4] The current item as state shows it, inside the loop only. */
export function currentOf({ pass }: Cast): JsonObject {
  const item = pass?.items[pass.index];
  return pass && item ? { workItem: { ...item }, workItemIndex: pass.index } : {};
}

export type Write = readonly [target: readonly string[], value: Json];

/** [G26] A list that was written is another list; one that a program leaves as it was found, or a copy, is not. */
export function write(cast: Cast, writes: readonly Write[], byProgram: boolean): void {
  const before = cast.data;
  cast.wrote.push(...writes);
  for (const [target, value] of writes) cast.data = written(cast.data, target, value);
  const walked = [...cast.graph.regions.values()].flatMap(({ list }) => (list ? [list] : []));
  for (const list of [["workItems"], ...walked.filter((path) => path.join(".") !== "workItems")]) {
    if (!writes.some(([target]) => overlaps(target, list))) continue;
    const [found, now] = [before, cast.data].map((data) => valueAt(data, list));
    if (byProgram && JSON.stringify(found) === JSON.stringify(now)) cast.data = written(cast.data, list, found ?? null);
    else cast.lists.set(list.join("."), numberOf(cast, now));
  }
}

/** One number for each list that was made, under any name: a copy brings back the list itself. */
export function numberOf({ shared }: Cast, list: Json | undefined): number {
  const known = Array.isArray(list) ? shared.numbers.get(list) : undefined;
  if (known !== undefined) return known;
  shared.made += 1;
  if (Array.isArray(list)) shared.numbers.set(list, shared.made);
  return shared.made;
}

export function overlaps(target: readonly string[], list: readonly string[]): boolean {
  const length = Math.min(list.length, target.length);
  return target.slice(0, length).join(".") === list.slice(0, length).join(".");
}

export function written(object: JsonObject, [key = "", ...rest]: readonly string[], value: Json): JsonObject {
  if (rest.length === 0) return { ...object, [key]: value };
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  const isObject = typeof inner === "object" && inner !== null && !Array.isArray(inner);
  return { ...object, [key]: written(isObject ? (inner as JsonObject) : {}, rest, value) };
}
