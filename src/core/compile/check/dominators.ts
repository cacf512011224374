import { END } from "../../model/ids.ts";
import type { SocketId } from "../../model/ids.ts";
import { landings } from "../flow.ts";
import type { Flow } from "../flow.ts";
import type { Graph } from "../graph.ts";

/**
 * Answers "has `first` always run before a cast stands at `then`?" for any pair.
 * Immediate dominators by repeated intersection in reverse post-order; sockets nobody reaches pass, they are reported elsewhere.
 */
export function dominators(graph: Graph, flow: Flow): (first: SocketId, then: SocketId) => boolean {
  const order = postOrder(graph, flow);
  const numberOf = new Map(order.map((id, index) => [id, index]));
  const before = predecessors(graph, flow, numberOf);
  const root = order.length;
  const immediate: number[] = Array.from({ length: root }, () => -1);
  immediate.push(root);
  const meet = (a: number, b: number): number => {
    let [left, right] = [a, b];
    while (left !== right) {
      while (left < right) left = immediate[left] ?? root;
      while (right < left) right = immediate[right] ?? root;
    }
    return left;
  };
  for (let changed = true; changed;) {
    changed = false;
    for (let at = root - 1; at >= 0; at -= 1) {
      const known = (before[at] ?? []).filter((from) => immediate[from] !== -1);
      const best = known.reduce((a, b) => meet(a, b), known[0] ?? root);
      if (known.length > 0 && immediate[at] !== best) [immediate[at], changed] = [best, true];
    }
  }
  return (first, then) => {
    const goal = numberOf.get(first);
    let at = numberOf.get(then);
    if (at === undefined) return true;
    while (at !== undefined && at !== root) {
      at = immediate[at];
      if (at === goal) return true;
    }
    return false;
  };
}

function postOrder(graph: Graph, flow: Flow): readonly SocketId[] {
  const order: SocketId[] = [];
  const seen = new Set<SocketId>();
  const open: { id: SocketId; left: SocketId[] }[] = [];
  const enter = (id: SocketId): void => {
    if (seen.has(id)) return;
    seen.add(id);
    open.push({ id, left: socketsIn(flow.next.get(id) ?? []) });
  };
  for (const start of socketsIn(landings(graph, graph.entry, null))) {
    enter(start);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const to = top.left.pop();
      if (to !== undefined) enter(to);
      else order.push(...open.splice(-1).map((done) => done.id));
    }
  }
  return order;
}

/** Predecessors by number; the place before the entry is the number after the last. */
function predecessors(
  graph: Graph,
  flow: Flow,
  numberOf: ReadonlyMap<SocketId, number>,
): readonly (readonly number[])[] {
  const before: number[][] = Array.from({ length: numberOf.size }, () => []);
  for (const [from, targets] of flow.next) {
    const fromNumber = numberOf.get(from);
    if (fromNumber === undefined) continue;
    for (const to of socketsIn(targets)) before[numberOf.get(to) ?? -1]?.push(fromNumber);
  }
  for (const start of socketsIn(landings(graph, graph.entry, null)))
    before[numberOf.get(start) ?? -1]?.push(numberOf.size);
  return before;
}

function socketsIn(places: readonly string[]): SocketId[] {
  return places.filter((place): place is SocketId => place !== END);
}
