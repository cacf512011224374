import { afterChanges, type Table } from "../../cast/state/table.ts";
import type { Trail } from "../now/trail.ts";
import {
  LIST,
  TABLE,
  givenNodes,
  isNode,
  placesOf,
  type Pack,
  type PackedBefore,
  type PackedNode,
  type PackedValue,
} from "./pack.ts";

/** Reads packs, one behind the other. */
export interface Unpacker {
  readonly add: (pack: Pack) => void;
  /** The cast that the last one holds. */
  readonly trail: () => Trail;
  /** What the next pack can name; asked for by whoever makes one. */
  readonly packed: () => PackedBefore;
}

/** `start` is the same cast as it was begun. Only for packs that were made here: nothing is checked. */
export function openUnpacker(start: Trail): Unpacker {
  const nodes: unknown[] = [...givenNodes(start)];
  let root: unknown = start;
  let tables: number[] = [];
  const unpacked = (value: PackedValue): unknown =>
    Array.isArray(value) ? (value.length === 0 ? undefined : nodes[value[0]]) : value;
  const trail = (): Trail => root as Trail; // as it was packed
  return {
    add: (pack) => {
      for (const node of pack.nodes) {
        if (node[0] === TABLE) tables.push(nodes.length);
        nodes.push(unpackedNode(node, unpacked));
      }
      root = unpacked(pack.root);
      tables = dropOld(nodes, tables, trail());
    },
    trail,
    packed: () => packedAs(nodes, trail()),
  };
}

/** Tables that the cast no longer has are named by no later pack: all of them would take more memory than the cast. */
function dropOld(nodes: unknown[], tables: readonly number[], { state, last }: Trail): number[] {
  const kept = new Set([...placesOf(state), ...placesOf(last?.before)].map(([table]) => table));
  return tables.filter((number) => {
    const isKept = kept.has(nodes[number] as object); // a table
    if (!isKept) nodes[number] = undefined;
    return isKept;
  });
}

function packedAs(nodes: readonly unknown[], { state }: Trail): PackedBefore {
  const numbers = new WeakMap<object, number>();
  for (const [number, node] of nodes.entries()) if (isNode(node)) numbers.set(node, number);
  const tables = new Map(placesOf(state).map(([table, place]) => [place, table as Table<unknown>])); // only tables have a place
  return { numbers, count: nodes.length, tables };
}

function unpackedNode(node: PackedNode, unpacked: (value: PackedValue) => unknown): unknown {
  const [kind] = node;
  if (kind === LIST) return node.slice(1).map((value) => unpacked(value as PackedValue)); // all behind the kind
  if (kind === TABLE) return unpackedTable(node, unpacked);
  const object: Record<string, unknown> = {};
  for (let at = 1; at < node.length; at += 2) {
    const [key, value] = [node[at] as string, unpacked(node[at + 1] as PackedValue)]; // in turn
    // Assigned, it would become the prototype.
    if (key === "__proto__") Object.defineProperty(object, key, { value, ...PLAIN });
    else object[key] = value;
  }
  return object;
}

const PLAIN = { enumerable: true, configurable: true, writable: true };

function unpackedTable(node: PackedNode, unpacked: (value: PackedValue) => unknown): Table<unknown> {
  const [, from, removed] = node;
  const table = unpacked(from as PackedValue) as Table<unknown> | null; // a table is told by a table
  return afterChanges(table, ({ remove, put }) => {
    for (const key of removed as readonly string[]) remove(key);
    for (let at = 3; at < node.length; at += 2) put(node[at] as string, unpacked(node[at + 1] as PackedValue)); // in turn
  });
}
