import type { SocketId } from "../model/ids.ts";
import type { Flow } from "./flow.ts";

/**
 * Answers "has `first` always run before a cast stands at `then`?" for any pair.
 * Immediate dominators by repeated intersection in reverse post-order; sockets nobody reaches pass, they are reported elsewhere.
 */
export function dominators(flow: Flow): (first: SocketId, then: SocketId) => boolean {
  const order = postOrder(flow);
  const rank = new Int32Array(flow.sockets.length).fill(-1);
  order.forEach((at, index) => (rank[at] = index));
  const before = predecessors(flow, rank);
  // The place before the entry comes after all others in post-order.
  const root = order.length;
  const immediate = new Int32Array(root + 1).fill(-1);
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
      for (const from of before[at] ?? []) if (immediate[from] !== -1) best = best === -1 ? from : meet(best, from);
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
  const seen = new Uint8Array(next.length);
  const taken = new Int32Array(next.length);
  const open: number[] = [];
  for (const start of starts) {
    if (seen[start] === 0) open.push(start);
    seen[start] = 1;
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const to = next[top]?.[taken[top] ?? 0];
      taken[top] = (taken[top] ?? 0) + 1;
      if (to === undefined) {
        order.push(top);
        open.pop();
      } else if (seen[to] === 0) {
        seen[to] = 1;
        open.push(to);
      }
    }
  }
  return order;
}

/** The places before each reached one, all by their rank in post-order. */
function predecessors({ onward: next, starts }: Flow, rank: Int32Array): readonly (readonly number[])[] {
  const reached = rank.reduce((count, each) => Math.max(count, each + 1), 0);
  const before: number[][] = Array.from({ length: reached }, () => []);
  next.forEach((targets, from) => {
    const fromRank = rank[from] ?? -1;
    if (fromRank !== -1) for (const to of targets) before[rank[to] ?? -1]?.push(fromRank);
  });
  for (const start of starts) before[rank[start] ?? -1]?.push(reached);
  return before;
}
