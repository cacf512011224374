import type { SocketId } from "../model/ids.ts";
import type { Flow } from "./flow.ts";

/**
 * Which of so many numbered places lead to which: arcs by number, those of a place chained in the order in which they
 * were drawn. Lists of lists would cost more than all that is done with them.
 */
export interface Digraph {
  /** The first and the last arc of each place; -1 where it has none. */
  readonly first: number[];
  readonly last: number[];
  /** The arc behind each of the same place, or -1; and where each leads. */
  readonly behind: number[];
  readonly to: number[];
}

/** A plain list: a typed one of few places costs more than its places, and one of fractions makes an object of each that is read. Setting `length` takes a call into V8. */
export function filledArray(length: number, value: number): number[] {
  return Array<number>(length).fill(value);
}

export function createDigraph(places: number): Digraph {
  return { first: filledArray(places, -1), last: filledArray(places, -1), behind: [], to: [] };
}

/** The number of the new arc. */
export function addArc({ first, last, behind, to }: Digraph, from: number, target: number): number {
  const arc = to.length;
  const before = last[from] ?? -1;
  if (before === -1) first[from] = arc;
  else behind[before] = arc;
  last[from] = arc;
  behind.push(-1);
  to.push(target);
  return arc;
}

/**
 * Strongly connected components, each after those it leads to (Tarjan, without recursion: graphs may be thousands deep).
 * A list of places leads round; a place alone, as most are, does not.
 */
export function stronglyConnectedComponents({ first, behind, to }: Digraph): readonly Component[] {
  const size = first.length;
  const index = filledArray(size, -1);
  const low = filledArray(size, 0);
  /** The arc of each place that is followed next. */
  const following = first.slice();
  /** What is known of a place: on the stack, and there leading to itself. */
  const standing = filledArray(size, ASSIGNED);
  const stack: number[] = [];
  const open: number[] = [];
  const found: Component[] = [];
  let count = 0;
  const enter = (at: number): void => {
    index[at] = count;
    low[at] = count;
    count += 1;
    stack.push(at);
    standing[at] = ON_STACK;
    open.push(at);
  };
  const lower = (at: number, value: number): void => {
    if (value < (low[at] ?? 0)) low[at] = value;
  };
  for (let start = 0; start < size; start += 1) {
    if (index[start] === -1) enter(start);
    while (open.length > 0) {
      const top = open[open.length - 1] ?? -1;
      const arc = following[top] ?? -1;
      if (arc !== -1) {
        following[top] = behind[arc] ?? -1;
        const target = to[arc] ?? -1;
        if (target === top) standing[top] = ON_CYCLE;
        else if (index[target] === -1) enter(target);
        else if (standing[target] !== ASSIGNED) lower(top, index[target] ?? 0);
        continue;
      }
      open.pop();
      if (open.length > 0) lower(open[open.length - 1] ?? -1, low[top] ?? 0);
      if (low[top] === index[top]) unwind(top);
    }
  }
  function unwind(root: number): void {
    const isSingle = stack[stack.length - 1] === root && standing[root] === ON_STACK;
    if (isSingle) {
      stack.pop();
      standing[root] = ASSIGNED;
      found.push(root);
      return;
    }
    const members = stack.splice(stack.lastIndexOf(root));
    for (const at of members) standing[at] = ASSIGNED;
    found.push(members);
  }
  return found;
}

type Component = number | readonly number[];

const ASSIGNED = 0;
const ON_STACK = 1;
const ON_CYCLE = 2;

/** Tells every arc. */
export type ForEachArc = (arc: (from: number, to: number) => void) => void;

/**
 * Those that lead round. Loadouts are mostly written in the order in which they run, and arcs that all lead to later
 * places close no circle: then none is drawn.
 */
export function findCycles(places: number, tell: ForEachArc): readonly (readonly number[])[] {
  let leadsBack = false;
  tell((from, to) => {
    if (to <= from) leadsBack = true;
  });
  if (!leadsBack) return [];
  const arcs = createDigraph(places);
  tell((from, to) => addArc(arcs, from, to));
  return stronglyConnectedComponents(arcs).filter((component) => typeof component !== "number");
}

/**
 * Answers "has `first` always run before a cast stands at `then`?" for any pair.
 * Immediate dominators by repeated intersection in reverse post-order; sockets nobody reaches pass, they are reported elsewhere.
 */
export function createDominanceTest(flow: Flow): (first: SocketId, then: SocketId) => boolean {
  const order = postOrder(flow);
  const rank = filledArray(flow.sockets.length, -1);
  for (let index = 0; index < order.length; index += 1) rank[order[index] ?? -1] = index;
  // The place before the entry comes after all others in post-order.
  const root = order.length;
  const { first: firstBefore, behind, to: placeBefore } = predecessors(flow, order, rank);
  const immediate = filledArray(root + 1, -1);
  immediate[root] = root;
  const meet = (a: number, b: number): number => {
    let left = a;
    let right = b;
    while (left !== right) {
      while (left < right) left = immediate[left] ?? root;
      while (right < left) right = immediate[right] ?? root;
    }
    return left;
  };
  for (let changed = true; changed;) {
    changed = false;
    for (let at = root - 1; at >= 0; at -= 1) {
      let best = -1;
      for (let arc = firstBefore[at] ?? -1; arc !== -1; arc = behind[arc] ?? -1) {
        const from = placeBefore[arc] ?? -1;
        if (immediate[from] !== -1) best = best === -1 ? from : meet(best, from);
      }
      if (best === -1 || immediate[at] === best) continue;
      immediate[at] = best;
      changed = true;
    }
  }
  const rankOf = (id: SocketId): number => rank[flow.numberOf.get(id) ?? -1] ?? -1;
  return (first, then) => {
    const goal = rankOf(first);
    let at = rankOf(then);
    if (at === -1) return true;
    while (at !== root) {
      at = immediate[at] ?? root;
      if (at === goal) return true;
    }
    return false;
  };
}

function postOrder({ onward: next, starts }: Flow): readonly number[] {
  const order: number[] = [];
  const seen = filledArray(next.length, 0);
  const taken = filledArray(next.length, 0);
  const open: number[] = [];
  for (const start of starts) {
    if (seen[start] === 0) open.push(start);
    seen[start] = 1;
    while (open.length > 0) {
      const top = open[open.length - 1] ?? -1;
      const at = taken[top] ?? 0;
      const targets = next[top] ?? [];
      taken[top] = at + 1;
      if (at >= targets.length) {
        order.push(top);
        open.pop();
        continue;
      }
      const to = targets[at] ?? -1;
      if (seen[to] !== 0) continue;
      seen[to] = 1;
      open.push(to);
    }
  }
  return order;
}

/** From each reached place to those before it, all by their rank in post-order. */
function predecessors({ onward: next, starts }: Flow, order: readonly number[], rank: readonly number[]): Digraph {
  const before = createDigraph(order.length);
  for (let from = 0; from < next.length; from += 1) {
    const own = rank[from] ?? -1;
    const targets = next[from] ?? [];
    if (own !== -1)
      for (let index = 0; index < targets.length; index += 1) addArc(before, rank[targets[index] ?? -1] ?? -1, own);
  }
  for (const start of starts) addArc(before, rank[start] ?? -1, order.length);
  return before;
}
