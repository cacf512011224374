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

/** All places that the starts lead to. Nothing leads on from the places of `around`. */
export function reachable(
  next: Digraph,
  starts: Iterable<number>,
  around: ReadonlySet<number> = NOWHERE,
): ReadonlySet<number> {
  const seen = new Set(starts);
  // The loop also comes to what it adds.
  for (const at of seen) if (!around.has(at)) for (const to of next[at] ?? []) seen.add(to);
  return seen;
}

const NOWHERE: ReadonlySet<number> = new Set();
