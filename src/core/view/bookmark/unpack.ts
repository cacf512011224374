import { applyMapChanges, type PersistentMap } from "../../cast/state/table.ts";
import type { CastTimeline } from "../now/trail.ts";
import {
  LIST_NODE,
  TABLE_NODE,
  sharedNodes,
  isObjectValue,
  largeTablesOf,
  type PackedTimeline,
  type PackingContext,
  type PackedNode,
  type PackedValue,
} from "./pack.ts";

/** Reads packs, one behind the other. */
export interface TimelineUnpacker {
  readonly add: (pack: PackedTimeline) => void;
  /** The cast that the last one holds. */
  readonly timeline: () => CastTimeline;
  /** What the next pack can name; asked for by whoever makes one. */
  readonly packingContext: () => PackingContext;
}

/** `start` is the same cast as it was begun. Only for packs that were made here: nothing is checked. */
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

/** Tables that the cast no longer has are named by no later pack: all of them would take more memory than the cast. */
function dropUnusedTables(nodes: unknown[], tables: readonly number[], { state, last }: CastTimeline): number[] {
  const kept = new Set([...largeTablesOf(state), ...largeTablesOf(last?.before)].map(([table]) => table));
  return tables.filter((number) => {
    const isKept = kept.has(nodes[number] as object); // a table
    if (!isKept) nodes[number] = undefined;
    return isKept;
  });
}

function packingContextOf(nodes: readonly unknown[], { state }: CastTimeline): PackingContext {
  const numbers = new WeakMap<object, number>();
  for (const [number, node] of nodes.entries()) if (isObjectValue(node)) numbers.set(node, number);
  const tables = new Map(largeTablesOf(state).map(([table, place]) => [place, table as PersistentMap<unknown>])); // only tables have a place
  return { numbers, count: nodes.length, tables };
}

function unpackNode(node: PackedNode, unpacked: (value: PackedValue) => unknown): unknown {
  const [kind] = node;
  if (kind === LIST_NODE) return node.slice(1).map((value) => unpacked(value as PackedValue)); // all behind the kind
  if (kind === TABLE_NODE) return unpackTable(node, unpacked);
  const object: Record<string, unknown> = {};
  for (let at = 1; at < node.length; at += 2) {
    const [key, value] = [node[at] as string, unpacked(node[at + 1] as PackedValue)]; // in turn
    // Assigned, it would become the prototype.
    if (key === "__proto__") Object.defineProperty(object, key, { value, ...PLAIN_PROPERTY });
    else object[key] = value;
  }
  return object;
}

const PLAIN_PROPERTY = { enumerable: true, configurable: true, writable: true };

function unpackTable(node: PackedNode, unpacked: (value: PackedValue) => unknown): PersistentMap<unknown> {
  const [, from, removed] = node;
  const table = unpacked(from as PackedValue) as PersistentMap<unknown> | null; // a table is told by a table
  return applyMapChanges(table, ({ remove, put }) => {
    for (const key of removed as readonly string[]) remove(key);
    for (let at = 3; at < node.length; at += 2) put(node[at] as string, unpacked(node[at + 1] as PackedValue)); // in turn
  });
}
