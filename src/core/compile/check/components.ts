/** Strongly connected components, each after those it leads to (Tarjan, without recursion: graphs may be thousands deep). */
export function components<N>(all: Iterable<N>, next: (at: N) => readonly N[]): readonly (readonly N[])[] {
  const places = [...all];
  const numberOf = new Map(places.map((place, index) => [place, index]));
  const index = new Int32Array(places.length).fill(-1);
  const low = new Int32Array(places.length);
  const onStack = new Uint8Array(places.length);
  const stack: number[] = [];
  const found: N[][] = [];
  let count = 0;
  const open: { readonly at: number; readonly ways: readonly number[]; taken: number }[] = [];
  const enter = (at: number): void => {
    index[at] = low[at] = count;
    count += 1;
    stack.push(at);
    onStack[at] = 1;
    open.push({ at, ways: waysOf(at), taken: 0 });
  };
  const waysOf = (at: number): readonly number[] => {
    const place = places[at];
    if (place === undefined) return [];
    return next(place).flatMap((to) => numberOf.get(to) ?? []);
  };
  const lower = (at: number, to: number): void => {
    if (to < (low[at] ?? 0)) low[at] = to;
  };
  for (let start = 0; start < places.length; start += 1) {
    if (index[start] === -1) enter(start);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const to = top.ways[top.taken];
      if (to !== undefined) {
        top.taken += 1;
        if (index[to] === -1) enter(to);
        else if (onStack[to] === 1) lower(top.at, index[to] ?? 0);
        continue;
      }
      open.pop();
      const parent = open.at(-1);
      if (parent) lower(parent.at, low[top.at] ?? 0);
      if (low[top.at] === index[top.at]) found.push(unwind(top.at));
    }
  }
  function unwind(root: number): N[] {
    const members: N[] = [];
    for (let at = stack.pop(); at !== undefined; at = at === root ? undefined : stack.pop()) {
      onStack[at] = 0;
      const place = places[at];
      if (place !== undefined) members.push(place);
    }
    return members.toReversed();
  }
  return found;
}

export function isCyclic<N>(component: readonly N[], next: (at: N) => readonly N[]): boolean {
  const [first] = component;
  return component.length > 1 || (first !== undefined && next(first).includes(first));
}
