import type { JsonObject, Place } from "../texts.ts";
import {
  castWith,
  type Allowance,
  overlaps,
  written,
  type Cast,
  type HandedOn,
  type Pass,
  type Route,
  type Steps,
  type Stop,
} from "../cast.ts";
import type { Said } from "../visit/reply.ts";

/** [V28] What an item begins from: it depends on its place in the list, never on who was quicker. */
export interface Base {
  readonly data: JsonObject;
  readonly lists: ReadonlyMap<string, number>;
  readonly notes: ReadonlyMap<number, string>;
  readonly handed: HandedOn;
}

/** One attempt at an item: a separate cast. */
export interface Attempt {
  readonly index: number;
  readonly number: number;
  readonly cast: Cast;
  readonly steps: Steps<void>;
  /** Whether it is at work, over, stopped or, where no person can help, failed. */
  stands: "works" | "over" | "stopped" | "failed";
  stop: Stop | undefined;
  /** How much more it is allowed when it goes on. */
  more: Allowance;
  /** How many of its facts were reported, and how many of its visits were counted. */
  told: number;
  readonly counted: Map<string, number>;
}

/** The items of a loop that are worked on at once. */
export interface Lanes {
  readonly cast: Cast;
  readonly pass: Pass;
  readonly door: Route;
  /** Which time it is in this cast that items are worked on at once. */
  readonly number: number;
  readonly base: Base;
  /** What stood behind each item that is merged. */
  readonly behind: Map<number, Base>;
  readonly attempts: Map<number, Attempt>;
  /** [V9] How often the work of an item could not be merged, and why the last time. */
  readonly conflicts: Map<
    number,
    {
      readonly times: number;
      readonly reason: string;
      readonly accepted: boolean;
      readonly visits: Cast["visits"];
      readonly open: Cast["open"];
    }
  >;
  readonly allowed: Map<number, number>;
  /** Items before this one are merged, or left out. */
  merged: number;
  /** How the last of them was left. */
  left: {
    readonly advanced: { readonly place: Place; readonly said: Said } | undefined;
    readonly gaveUp: boolean;
    /** Whether it was the last of the list. */
    readonly last: boolean;
  };
}

export function isLast({ items }: Pass, index: number): boolean {
  return index + 1 >= items.length;
}

export function baseOf({ data, lists, notes, handed }: Cast, now = handed): Base {
  return { data, lists: new Map(lists), notes: new Map(notes), handed: now };
}

/** [V29] The cast of one item: the whole graph and list with a window on it, and nothing counted yet. */
export function attemptAt(lanes: Lanes, index: number, follow: (cast: Cast, first: string) => Steps<void>): Attempt {
  const { pass, door } = lanes;
  const again = lanes.conflicts.get(index);
  const number = (again?.times ?? 0) + 1;
  const last = Math.max(0, ...(pass.items[index]?.after ?? []));
  const first = last === 0 ? lanes.base : (lanes.behind.get(last - 1) ?? lanes.base);
  const title = pass.items[index]?.title ?? "";
  const from = again ? baseOf(lanes.cast, handedAbout(title, again.reason)) : first;
  const name = `${lanes.number}WI-${index + 1}${number === 1 ? "" : `.${number}`}/`;
  const cast = castWith(lanes.cast.graph, lanes.cast.world, lanes.cast.shared, name);
  cast.data = from.data;
  for (const [path, list] of from.lists) cast.lists.set(path, list);
  for (const [list, note] of from.notes) cast.notes.set(list, note);
  cast.handed = from.handed;
  cast.pass = { ...pass, index, end: index + 1, since: 0 };
  cast.facts.push(`entered ${pass.region.id} ${pass.items.length}`);
  cast.returns.set(`${door.to} ${pass.list}:${index}`, 1);
  // [R2] Who sent the cast back to the loop meant where it begins. [V9] Or git could not merge it.
  const reasons = again ? [`${title}\n${again.reason}`] : index === 0 ? sentBack(lanes) : [];
  if (reasons.length > 0) cast.reasons.set(`${door.to} ${pass.list}:${index}`, reasons);
  cast.again = again ? true : index === 0 && lanes.cast.again;
  // [V48] Counts belong to the item of the list, in whichever pass.
  copyCounts(lanes.cast, cast, `${pass.list}:${index}`);
  // [I3] What was said in the attempt before goes on.
  for (const [id, visit] of again?.visits ?? []) cast.talks.set(`${id} ${pass.list}:${index}`, { visit, at: 0 });
  if (again) cast.sentBack.set(pass.region.id, 0);
  // [P19] What was left open in the attempt before is open still.
  if (again) cast.open = again.open;
  cast.merging = again?.accepted ?? false;
  cast.keepsFiles ||= again !== undefined;
  const steps = follow(cast, door.to);
  return { index, number, cast, steps, stands: "works", stop: undefined, more: 0, told: 0, counted: new Map() };
}

function copyCounts(from: Cast, to: Cast, item: string): void {
  for (const counts of ["traversals", "allowed"] as const)
    for (const [key, count] of from[counts]) if (key.endsWith(` ${item}`)) to[counts].set(key, count);
}

/** [V48] The loop was walked, as far as cycles around it are concerned. */
export function walkBack({ cast, pass }: Lanes, item: Cast): void {
  cast.walked.push(...pass.region.members.filter((id) => item.visits.has(id)));
  cast.passedBy.clear();
}

function sentBack({ cast, door, pass }: Lanes): readonly string[] {
  return cast.reasons.get(`${door.to} ${pass.list}:0`) ?? [];
}

export function handedAbout(title: string, text: string): HandedOn {
  return { label: title, text, items: [], made: false };
}

/** [V7, V54] What the item wrote is written again, in its order; a list that it made or copied is that very list. */
export function merge(lanes: Lanes, { index, cast: item }: Attempt): void {
  const { cast } = lanes;
  for (const [target, value] of item.wrote) cast.data = written(cast.data, target, value);
  for (const { list } of cast.graph.regions.values())
    if (list && item.wrote.some(([target]) => overlaps(target, list)))
      cast.lists.set(list.join("."), item.lists.get(list.join(".")) ?? 0);
  for (const [list, note] of item.notes) cast.notes.set(list, note);
  cast.givenUp.push(...item.givenUp);
  for (const [at, reason] of item.gave) cast.gave.set(at, reason);
  cast.open = [...cast.open, ...item.open].slice(-20);
  cast.itemsDone += item.itemsDone;
  cast.last = item.last;
  copyCounts(item, cast, `${lanes.pass.list}:${index}`);
  walkBack(lanes, item);
  lanes.left = { advanced: item.advanced, gaveUp: item.givenUp.length > 0, last: isLast(lanes.pass, index) };
  lanes.behind.set(index, baseOf(cast, item.handed));
  lanes.merged = index + 1;
}
