/** Strongly connected components, each after those it leads to (Tarjan, without recursion: graphs may be thousands deep). */
export function components<N>(all: Iterable<N>, next: (at: N) => readonly N[]): readonly (readonly N[])[] {
  const found: N[][] = [];
  const index = new Map<N, number>();
  const low = new Map<N, number>();
  const onStack = new Set<N>();
  const stack: N[] = [];
  const open: { at: N; left: N[] }[] = [];
  const enter = (at: N): void => {
    index.set(at, index.size);
    low.set(at, index.size - 1);
    stack.push(at);
    onStack.add(at);
    open.push({ at, left: [...next(at)] });
  };
  const lower = (at: N, to: number): void => {
    low.set(at, Math.min(low.get(at) ?? to, to));
  };
  for (const start of all) {
    if (!index.has(start)) enter(start);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const to = top.left.pop();
      if (to !== undefined) {
        const seen = index.get(to);
        if (seen === undefined) enter(to);
        else if (onStack.has(to)) lower(top.at, seen);
        continue;
      }
      open.pop();
      const parent = open.at(-1);
      if (parent) lower(parent.at, low.get(top.at) ?? 0);
      if (low.get(top.at) === index.get(top.at)) {
        const members = stack.splice(stack.lastIndexOf(top.at));
        for (const member of members) onStack.delete(member);
        found.push(members);
      }
    }
  }
  return found;
}

export function isCyclic<N>(component: readonly N[], next: (at: N) => readonly N[]): boolean {
  const [first] = component;
  return component.length > 1 || (first !== undefined && next(first).includes(first));
}
