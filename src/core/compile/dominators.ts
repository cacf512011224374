import type { SocketId } from "../model/ids.ts";
import { createDigraph, addArc, filledArray, type Digraph } from "./components.ts";
import type { Flow } from "./flow.ts";

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
