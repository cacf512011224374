import { materiaOf, type Graph, type GraphLoop, type GraphSocket, chooseEdge, socketOf } from "../compile/graph.ts";
import { itemOrderProblems, isWorkItem, type WorkItem } from "../model/handoff.ts";
import { type Json, type JsonObject, valueAt, withValueAt } from "../model/json.ts";
import type { CastState, LoopPass } from "./state/state.ts";
import { truncate } from "../model/text.ts";
import type { GeneratorNote, ItemBase, ItemRun } from "./state/parallel-run.ts";
import { END } from "../model/ids.ts";
import type { EventOf } from "./state/event.ts";
import { withItemCounts } from "./state/item-counts.ts";
import { getValue, withValue } from "./state/persistent-map.ts";
import { walkedAfter } from "./state/traversal-counts.ts";

/** [G26] A program may hand a list on unchanged. In the cast of an item only its content says that a copy is the same list. */
export function reuseUnchangedLists(state: CastState, socket: GraphSocket, data: JsonObject): JsonObject {
  if (materiaOf(state.graph, socket).type !== "agent") return keepUnchangedLists(state, data);
  return state.item ? keepUnchangedLists(state, data, madeLists(state, socket, data)) : data;
}

/** [G26] Paths of lists that an agent has just made, not copied; undefined if there are none. */
export function madeLists(state: CastState, socket: GraphSocket, data: JsonObject): readonly string[] | undefined {
  if (data === state.data || materiaOf(state.graph, socket).type !== "agent") return undefined;
  const copies = socket.assign.flatMap(({ from, target }) => (from === "state" ? [target.join(".")] : []));
  const paths = listPaths(state.graph).flatMap((path) =>
    valueAt(state.data, path) === valueAt(data, path) || copies.includes(path.join(".")) ? [] : [path.join(".")],
  );
  return paths.length === 0 ? undefined : paths;
}

/** Keeps the earlier list object if the new one is equal and no agent made it. */
function keepUnchangedLists(
  { graph, data: before }: Pick<CastState, "graph" | "data">,
  data: JsonObject,
  newLists: readonly string[] = [],
): JsonObject {
  return listPaths(graph).reduce((kept, path) => {
    const [found, list] = [valueAt(before, path), valueAt(kept, path)];
    if (found === list || !Array.isArray(found) || newLists.includes(path.join("."))) return kept;
    return JSON.stringify(found) === JSON.stringify(list) ? withValueAt(kept, path, found) : kept;
  }, data);
}

/** [V7, V54] The state after the writes of an item. A list that it copied is that list, also if an earlier item has replaced it. */
export function stateWithItemWrites(
  { graph, data: before }: Pick<CastState, "graph" | "data">,
  { wrote, newLists = [] }: Pick<EventOf<"item_ended">, "wrote" | "newLists">,
  base: Pick<ItemBase, "data">,
): JsonObject {
  const lists = [before, base.data].flatMap((data) => listsInState({ graph, data }));
  const data = wrote.reduce((all, [path, value]) => {
    const isCopy = Array.isArray(value) && !newLists.includes(path.join("."));
    const candidates = isCopy ? [valueAt(before, path), ...lists] : [];
    return withValueAt(all, path, candidates.find((list) => JSON.stringify(list) === JSON.stringify(value)) ?? value);
  }, before);
  return keepUnchangedLists({ graph, data: before }, data, newLists);
}

/** [G26] The lists that loops walk, and those that an `assign` may bring back. */
export function listsInState({ graph, data }: Pick<CastState, "graph" | "data">): readonly (Json | undefined)[] {
  const copied = Object.values(graph.sockets).flatMap(({ assign }) =>
    assign.flatMap(({ from, path }) => (from === "state" ? [path] : [])),
  );
  return [...listPaths(graph), ...copied].map((path) => valueAt(data, path));
}

function listPaths({ loops }: Graph): readonly (readonly string[])[] {
  return Object.values(loops).flatMap(({ items }) => (items ? [items] : []));
}

/** The present list of the loop, or its problem. Only a parallel loop checks `after`. */
export function readLoopList(
  state: CastState,
  { items: path, parallel }: Pick<GraphLoop, "items" | "parallel">,
): readonly WorkItem[] | string {
  if (path === null) return "the loop walks no list";
  // [V29] The cast of an item walks the list of its parent, even if state has another one by now.
  const given = state.item?.window.list;
  if (given) return given.items;
  const isOrdered = parallel !== undefined;
  const value = valueAt(state.data, path) ?? [];
  if (!Array.isArray(value)) return `state.${path.join(".")} is not a list`;
  const [misplaced] = itemOrderProblems(value);
  if (isOrdered && misplaced !== undefined) return `state.${path.join(".")}: ${misplaced}`;
  const wrong = value.findIndex((item) => !isWorkItem(item));
  return wrong === -1
    ? (value as readonly WorkItem[])
    : `state.${path.join(".")}[${wrong}] has no "title" and "context" strings`; // every item was just checked
}

const MAX_NAMED_ITEMS = 20;

/** [G33] Counts one more given-up item; the end of the cast lists them. */
export function withGivenUpItem(state: CastState, pass: LoopPass, index: number, reason: string): CastState {
  const { count, first } = state.givenUp;
  const title = pass.items[index]?.title ?? "";
  const named = first.length < MAX_NAMED_ITEMS ? [...first, { index, title, reason }] : first;
  return {
    ...state,
    pass: { ...pass, givenUp: [...pass.givenUp, { index, reason }] },
    givenUp: { count: count + 1, first: named },
    done: { ...state.done, itemsGivenUp: (state.done.itemsGivenUp ?? 0) + 1 },
  };
}

/** [V38] The item that was given up last runs again. */
export function withoutLastGivenUpItem(state: CastState, pass: LoopPass): CastState {
  const { count, first } = state.givenUp;
  const { itemsGivenUp = 0, ...done } = state.done;
  return {
    ...state,
    pass: { ...pass, givenUp: pass.givenUp.slice(0, -1) },
    givenUp: { count: count - 1, first: first.slice(0, count - 1) },
    done: itemsGivenUp > 1 ? { ...done, itemsGivenUp: itemsGivenUp - 1 } : done,
  };
}

/** With the mark of a cut it stays below 2,000 characters. */
const NOTE_LIMIT = 1_950;

/** [P9] The note beside a list applies as long as the list. */
export function updateNotes(
  before: CastState,
  data: JsonObject,
  socket: GraphSocket,
  handoff: JsonObject,
): CastState["notes"] {
  if (before.data === data) return before.notes;
  const kept = keptNotes(before, data);
  const note = generatorNote(socket, handoff);
  const lists = socket.assign.filter((each) => each.from === "output" && each.path.join(".") === "workItems");
  const made = lists.filter(({ target }) => valueAt(before.data, target) !== valueAt(data, target));
  return {
    ...kept,
    ...(note && Object.fromEntries(made.map(({ target }) => [target.join("."), note]))),
    ...Object.fromEntries(copiedNotes(before, data, socket)),
  };
}

/** [G26] A copy is the list itself, so its note applies to the copy, too. */
function copiedNotes(before: CastState, data: JsonObject, { assign }: GraphSocket): readonly [string, GeneratorNote][] {
  const copies = assign.flatMap(({ from, path, target }) =>
    from === "state" ? [{ source: `${path.join(".")}.`, target: `${target.join(".")}.` }] : [],
  );
  return Object.entries(before.notes).flatMap(([path, note]) =>
    copies.flatMap(({ source, target }): [string, GeneratorNote][] => {
      if (!`${path}.`.startsWith(source)) return [];
      const copy = `${target}${path.slice(source.length)}`.replace(/\.$/, "");
      const isSame = valueAt(before.data, path.split(".")) === valueAt(data, copy.split("."));
      return isSame ? [[copy, note]] : [];
    }),
  );
}

/** The notes on lists that are still the same. */
export function keptNotes(
  { notes, data: before }: Pick<CastState, "notes" | "data">,
  data: JsonObject,
): CastState["notes"] {
  const isSame = (path: readonly string[]): boolean => valueAt(before, path) === valueAt(data, path);
  return Object.fromEntries(Object.entries(notes).filter(([path]) => isSame(path.split("."))));
}

export function noteForList(notes: CastState["notes"], path: readonly string[]): GeneratorNote | null {
  const key = path.join(".");
  // A path may be a name that every object inherits.
  return Object.hasOwn(notes, key) ? (notes[key] ?? null) : null;
}

function generatorNote(socket: GraphSocket, { context }: JsonObject): GeneratorNote | undefined {
  if (!socket.generator || typeof context !== "string" || context.trim() === "") return undefined;
  return { socket: socket.id, materia: socket.materia, text: truncate(context.trim(), NOTE_LIMIT) };
}

/** [V11, V49] Whether the cast ends with this item: it did not advance, or the way behind its advance leads to the end. */
export function endsCast(
  { graph, pass }: Pick<CastState, "graph" | "pass">,
  { advanced, gaveUp, satisfied, index }: EventOf<"item_ended">,
): boolean {
  if (advanced === null) return true;
  const isLast = index + 1 >= (pass?.items.length ?? 0);
  return !isLast && gaveUp === undefined && chooseEdge(socketOf(graph, advanced), satisfied).to === END;
}

/** [V48] The visits and counts of an item, as if it had been walked here. */
export function withItemWalk(
  state: CastState,
  loop: string,
  { end, index, dropped }: Extract<ItemRun, { kind: "merged" }>,
): CastState {
  const visited = (state.graph.loops[loop]?.sockets ?? []).filter((id) => (end.visits[id] ?? 0) > 0);
  const begun = state.begun + visited.length;
  const walk = getValue(state.walks, loop);
  const { taken, allowed } = end.counts ?? { taken: {}, allowed: {} };
  const counted = walk &&
    !dropped && {
      ...walk,
      taken: withItemCounts(walk.taken, index, taken),
      allowed: withItemCounts(walk.allowed, index, allowed),
    };
  return {
    ...state,
    begun,
    walked: visited.reduce(walkedAfter, state.walked),
    lastVisits: visited.reduce((all, id, at) => withValue(all, id, state.begun + at + 1), state.lastVisits),
    counts: { ...state.counts, passedBy: {} },
    walks: counted ? withValue(state.walks, loop, counted) : state.walks,
  };
}
