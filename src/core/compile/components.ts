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
