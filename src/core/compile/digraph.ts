import type { SocketId } from "../model/ids.ts";
import type { Flow } from "./flow.ts";

/** The places that each numbered place leads to. */
export type Digraph = readonly (readonly number[])[];

export function createDigraph(size: number): number[][] {
  return Array.from({ length: size }, () => []);
}

/** Strongly connected components, each after those that it leads to (Tarjan). Without recursion: graphs may be thousands deep. */
export function stronglyConnectedComponents(next: Digraph): Digraph {
  const index = Array<number>(next.length).fill(-1);
  const low = Array<number>(next.length).fill(-1);
  const isAssigned = Array<boolean>(next.length).fill(false);
  const stack: number[] = [];
  const open: { readonly at: number; readonly targets: readonly number[]; followed: number }[] = [];
  const components: (readonly number[])[] = [];
  let count = 0;
  const enter = (at: number): void => {
    index[at] = low[at] = count;
    count += 1;
    stack.push(at);
    open.push({ at, targets: next[at] ?? [], followed: 0 });
  };
  const lower = (at: number, value = 0): void => {
    low[at] = Math.min(low[at] ?? 0, value);
  };
  for (let start = 0; start < next.length; start += 1) {
    if (index[start] === -1) enter(start);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const { at, targets } = top;
      const to = targets[top.followed];
      top.followed += 1;
      if (to !== undefined) {
        if (index[to] === -1) enter(to);
        else if (isAssigned[to] === false) lower(at, index[to]);
        continue;
      }
      open.pop();
      const before = open.at(-1);
      if (before) lower(before.at, low[at]);
      if (low[at] !== index[at]) continue;
      const members = stack.splice(stack.lastIndexOf(at));
      for (const member of members) isAssigned[member] = true;
      components.push(members);
    }
  }
  return components;
}

/** The components in which a walk can come back to where it was. */
export function findCycles(next: Digraph): Digraph {
  return stronglyConnectedComponents(next).filter(
    ([first = -1, ...others]) => others.length > 0 || next[first]?.includes(first) === true,
  );
}

/** From each place to those that lead to it. */
export function reverseDigraph(next: Digraph): Digraph {
  const before = createDigraph(next.length);
  next.forEach((targets, from) => {
    for (const to of targets) before[to]?.push(from);
  });
  return before;
}

/**
 * Answers "has `first` always run before a cast comes to `then`?" for any pair: immediate dominators by repeated
 * intersection in post-order. Sockets that no cast reaches pass, because another check reports them.
 */
export function createDominanceTest(flow: Flow): (first: SocketId, then: SocketId) => boolean {
  const order = postOrder(flow);
  const rank = new Map(order.map((place, index) => [place, index]));
  // The root stands before every start, so it comes last in post-order.
  const root = order.length;
  const before = predecessors(flow, order, rank);
  const immediate = Array<number>(root + 1).fill(-1);
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
      const known = (before[at] ?? []).filter((from) => immediate[from] !== -1);
      const best = known.length === 0 ? -1 : known.reduce(meet);
      if (immediate[at] === best) continue;
      immediate[at] = best;
      changed = true;
    }
  }
  const rankOf = (id: SocketId): number | undefined => rank.get(flow.numberOf.get(id) ?? -1);
  return (first, then) => {
    const goal = rankOf(first);
    let at = rankOf(then);
    if (at === undefined) return true;
    while (at !== root) {
      at = immediate[at] ?? root;
      if (at === goal) return true;
    }
    return false;
  };
}

function postOrder({ onward, starts }: Flow): readonly number[] {
  const order: number[] = [];
  const seen = new Set<number>();
  const open: { readonly at: number; readonly targets: readonly number[]; followed: number }[] = [];
  const enter = (at: number): void => {
    if (seen.has(at)) return;
    seen.add(at);
    open.push({ at, targets: onward[at] ?? [], followed: 0 });
  };
  for (const start of starts) {
    enter(start);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const to = top.targets[top.followed];
      top.followed += 1;
      if (to !== undefined) enter(to);
      else {
        order.push(top.at);
        open.pop();
      }
    }
  }
  return order;
}

/** From each reached place to those before it, all by their rank in post-order. */
function predecessors({ onward, starts }: Flow, order: readonly number[], rank: ReadonlyMap<number, number>): Digraph {
  const before = createDigraph(order.length);
  onward.forEach((targets, from) => {
    const own = rank.get(from);
    if (own !== undefined) for (const to of targets) before[rank.get(to) ?? -1]?.push(own);
  });
  for (const start of starts) before[rank.get(start) ?? -1]?.push(order.length);
  return before;
}
