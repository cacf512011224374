import type { CastState } from "./state/state.ts";
import { diffMaps, type PersistentMap, applyMapChanges } from "./state/persistent-map.ts";
import type { CastTimeline } from "./timeline.ts";

/**
 * A cast as plain JSON. Every list and object is a numbered node, because a walk recognises its list by identity. A
 * pack only refers to nodes of earlier packs, so its length depends on what happened since.
 */
export interface PackedTimeline {
  readonly nodes: readonly PackedNode[];
  readonly root: PackedValue;
}

/** A plain value, the number of a node, or nothing for undefined. */
export type PackedValue = null | boolean | number | string | readonly [node: number] | readonly [];

const LIST_NODE = 0;
const OBJECT_NODE = 1;
const TABLE_NODE = 2;

/**
 * The kind first. Then the values of a list, or keys and values of an object in turn. A map has the map that it
 * changes, the removed keys, and the new entries in turn.
 */
export type PackedNode = readonly (PackedValue | readonly string[])[];

/** The content of all packs so far, which shortens the next one. */
export interface PackingContext {
  /** The numbers of lists and objects. */
  readonly numbers: WeakMap<object, number>;
  readonly count: number;
  /** The last map at each path of a state. */
  readonly tables: ReadonlyMap<string, PersistentMap<unknown>>;
}

/** Values that every reader has. */
function sharedNodes({ state, order }: CastTimeline): readonly object[] {
  return [state.graph, order];
}

export function emptyPackingContext(start: CastTimeline): PackingContext {
  const given = sharedNodes(start);
  return {
    numbers: new WeakMap(given.map((node, number) => [node, number])),
    count: given.length,
    tables: new Map(),
  };
}

export function packTimeline(
  trail: CastTimeline,
  before: PackingContext,
): { readonly pack: PackedTimeline; readonly packed: PackingContext } {
  const { numbers } = before;
  const tables = new Map(before.tables);
  const places = new Map([...largeTablesOf(trail.last?.before), ...largeTablesOf(trail.state)]);
  const nodes: PackedNode[] = [];
  const numbered = (value: object, node: PackedNode): PackedValue => {
    const number = before.count + nodes.length;
    nodes.push(node);
    numbers.set(value, number);
    return [number];
  };
  const packed = (value: unknown): PackedValue => {
    if (value === undefined) return [];
    if (!isObjectValue(value)) return value as PackedValue; // JSON without lists and objects
    const known = numbers.get(value);
    if (known !== undefined) return [known];
    const place = places.get(value);
    if (place !== undefined) return packedTable(value as PersistentMap<unknown>, place); // only maps have a path
    const node: (PackedValue | readonly string[])[] = Array.isArray(value) ? [LIST_NODE] : [OBJECT_NODE];
    if (Array.isArray(value)) for (const each of value) node.push(packed(each));
    else for (const key in value) if (Object.hasOwn(value, key)) node.push(key, packed(Reflect.get(value, key)));
    return numbered(value, node);
  };
  const packedTable = (table: PersistentMap<unknown>, place: string): PackedValue => {
    const from = tables.get(place) ?? null;
    const removed: string[] = [];
    const node: (PackedValue | readonly string[])[] = [TABLE_NODE, from && packed(from), removed];
    diffMaps(from, table, {
      remove: (key) => removed.push(key),
      put: (key, value) => node.push(key, packed(value)),
    });
    tables.set(place, table);
    return numbered(table, node);
  };
  const root = packed(trail);
  return { pack: { nodes, root }, packed: { numbers, count: before.count + nodes.length, tables } };
}

function isObjectValue(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The large maps of a state and their paths. A map that is missing here would be packed in full each time. */
function largeTablesOf(state: CastState | undefined): readonly (readonly [table: object, place: string])[] {
  if (!state) return [];
  const { visits, turns, lastVisits, counts, walks, conversations } = state;
  const { taken, allowed, returns, unchanged } = counts;
  const named = { visits, turns, lastVisits, walks, conversations, taken, allowed, returns, unchanged };
  return Object.entries(named).flatMap(([place, table]) => (table.many ? [[table, place] as const] : []));
}

/** Reads packs in order. */
export interface TimelineUnpacker {
  readonly add: (pack: PackedTimeline) => void;
  /** The cast of the last pack. */
  readonly timeline: () => CastTimeline;
  /** The content that the next pack can refer to. */
  readonly packingContext: () => PackingContext;
}

/** `start` is the same cast at its start. Only for packs of this machine: nothing is checked. */
export function createUnpacker(start: CastTimeline): TimelineUnpacker {
  const nodes: unknown[] = [...sharedNodes(start)];
  let root: unknown = start;
  let tables: number[] = [];
  const unpacked = (value: PackedValue): unknown =>
    Array.isArray(value) ? (value.length === 0 ? undefined : nodes[value[0]]) : value;
  const trail = (): CastTimeline => root as CastTimeline; // as it was packed
  return {
    add: (pack) => {
      for (const node of pack.nodes) {
        if (node[0] === TABLE_NODE) tables.push(nodes.length);
        nodes.push(unpackNode(node, unpacked));
      }
      root = unpacked(pack.root);
      tables = dropUnusedTables(nodes, tables, trail());
    },
    timeline: trail,
    packingContext: () => packingContextOf(nodes, trail()),
  };
}

/** No later pack refers to maps that the cast no longer has. Keeping them would take more memory than the cast. */
function dropUnusedTables(nodes: unknown[], tables: readonly number[], { state, last }: CastTimeline): number[] {
  const kept = new Set([...largeTablesOf(state), ...largeTablesOf(last?.before)].map(([table]) => table));
  return tables.filter((number) => {
    const isKept = kept.has(nodes[number] as object); // a map
    if (!isKept) nodes[number] = undefined;
    return isKept;
  });
}

function packingContextOf(nodes: readonly unknown[], { state }: CastTimeline): PackingContext {
  const numbers = new WeakMap<object, number>();
  for (const [number, node] of nodes.entries()) if (isObjectValue(node)) numbers.set(node, number);
  const tables = new Map(largeTablesOf(state).map(([table, place]) => [place, table as PersistentMap<unknown>])); // only maps have a path
  return { numbers, count: nodes.length, tables };
}

function unpackNode(node: PackedNode, unpacked: (value: PackedValue) => unknown): unknown {
  const [kind] = node;
  if (kind === LIST_NODE) return node.slice(1).map((value) => unpacked(value as PackedValue)); // all after the kind
  if (kind === TABLE_NODE) return unpackTable(node, unpacked);
  const object: Record<string, unknown> = {};
  for (let at = 1; at < node.length; at += 2) {
    const [key, value] = [node[at] as string, unpacked(node[at + 1] as PackedValue)]; // in turn
    // An assignment would change the prototype.
    if (key === "__proto__") Object.defineProperty(object, key, { value, ...PLAIN_PROPERTY });
    else object[key] = value;
  }
  return object;
}

const PLAIN_PROPERTY = { enumerable: true, configurable: true, writable: true };

function unpackTable(node: PackedNode, unpacked: (value: PackedValue) => unknown): PersistentMap<unknown> {
  const [, from, removed] = node;
  const table = unpacked(from as PackedValue) as PersistentMap<unknown> | null; // a map changes a map
  return applyMapChanges(table, ({ remove, put }) => {
    for (const key of removed as readonly string[]) remove(key);
    for (let at = 3; at < node.length; at += 2) put(node[at] as string, unpacked(node[at + 1] as PackedValue)); // in turn
  });
}
