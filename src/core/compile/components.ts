/**
 * Strongly connected components of a graph of numbered places, each after those it leads to
 * (Tarjan, without recursion: graphs may be thousands deep).
 */
export function components(next: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const index = new Int32Array(next.length).fill(-1);
  const low = new Int32Array(next.length);
  const taken = new Int32Array(next.length);
  const onStack = new Uint8Array(next.length);
  const stack: number[] = [];
  const open: number[] = [];
  const found: number[][] = [];
  let count = 0;
  const enter = (at: number): void => {
    index[at] = low[at] = count;
    count += 1;
    stack.push(at);
    onStack[at] = 1;
    open.push(at);
  };
  const lower = (at: number, to: number): void => {
    if (to < (low[at] ?? 0)) low[at] = to;
  };
  for (let start = 0; start < next.length; start += 1) {
    if (index[start] === -1) enter(start);
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const to = next[top]?.[taken[top] ?? 0];
      if (to !== undefined) {
        taken[top] = (taken[top] ?? 0) + 1;
        if (index[to] === -1) enter(to);
        else if (onStack[to] === 1) lower(top, index[to] ?? 0);
        continue;
      }
      open.pop();
      const parent = open.at(-1);
      if (parent !== undefined) lower(parent, low[top] ?? 0);
      if (low[top] === index[top]) found.push(unwind(top));
    }
  }
  function unwind(root: number): number[] {
    const members = stack.splice(stack.lastIndexOf(root));
    for (const at of members) onStack[at] = 0;
    return members;
  }
  return found;
}

export function isCyclic(component: readonly number[], next: readonly (readonly number[])[]): boolean {
  const [first] = component;
  return component.length > 1 || (first !== undefined && (next[first]?.includes(first) ?? false));
}
