/** A place and how far from the start it stands: the longest way there that never turns back. */
export interface RankedPlace<N> {
  readonly place: N;
  readonly rank: number;
}

/**
 * Everything that the starts lead to, by rank; within a rank in the order in which a walk
 * that tries first edges first comes by. Without recursion: graphs may be thousands deep.
 */
export function rankByLongestPath<N>(starts: readonly N[], next: (at: N) => readonly N[]): readonly RankedPlace<N>[] {
  const { met, left, back } = walkDepthFirst(starts, next);
  const rank = new Map<N, number>(met.map((place) => [place, 0]));
  // The last place to be left is the first that nothing else has to wait for.
  for (const place of left.toReversed()) {
    const onward = (rank.get(place) ?? 0) + 1;
    for (const to of next(place)) {
      if (!back.get(place)?.has(to)) rank.set(to, Math.max(rank.get(to) ?? 0, onward));
    }
  }
  const ranked = met.map((place) => ({ place, rank: rank.get(place) ?? 0 }));
  return ranked.toSorted((a, b) => a.rank - b.rank);
}

interface DepthFirstWalk<N> {
  /** In the order in which places were first met. */
  readonly met: readonly N[];
  /** In the order in which they were done with. */
  readonly left: readonly N[];
  /** Ways that lead back to a place the walk was still inside of. */
  readonly back: ReadonlyMap<N, ReadonlySet<N>>;
}

function walkDepthFirst<N>(starts: readonly N[], next: (at: N) => readonly N[]): DepthFirstWalk<N> {
  const inside = new Set<N>();
  const seen = new Set<N>();
  const left: N[] = [];
  const back = new Map<N, Set<N>>();
  const open: { readonly at: N; readonly ways: Iterator<N> }[] = [];
  const enter = (at: N): void => {
    seen.add(at);
    inside.add(at);
    open.push({ at, ways: next(at)[Symbol.iterator]() });
  };
  for (const start of starts) {
    if (!seen.has(start)) enter(start);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const way = top.ways.next();
      if (way.done) {
        open.pop();
        inside.delete(top.at);
        left.push(top.at);
      } else if (inside.has(way.value)) back.set(top.at, (back.get(top.at) ?? new Set<N>()).add(way.value));
      else if (!seen.has(way.value)) enter(way.value);
    }
  }
  return { met: [...seen], left, back };
}
