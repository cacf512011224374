/** Something that lies in the gap above a row: a label, or a track that a route follows. */
export interface GapItem {
  readonly x: number;
  readonly width: number;
  readonly height: number;
}

interface PackedGap<T> {
  readonly height: number;
  /** The middle of each, from the top of the gap. */
  readonly middles: ReadonlyMap<T, number>;
}

const APART = 2;

/** Things that would lie upon one another are stacked, and the gap grows; anything else stands in its middle. */
export function packGap<T extends GapItem>(things: readonly T[], least: number): PackedGap<T> {
  const stacks = stacksOf(things);
  const height = Math.max(least, ...stacks.map((stack) => heightOf(stack) + APART));
  const middles = new Map<T, number>();
  for (const stack of stacks) {
    let top = (height - heightOf(stack)) / 2;
    for (const thing of stack) {
      middles.set(thing, top + thing.height / 2);
      top += thing.height + APART;
    }
  }
  return { height, middles };
}

function heightOf(stack: readonly GapItem[]): number {
  return stack.reduce((sum, thing) => sum + thing.height + APART, -APART);
}

/** Groups whose extents hang together, from left to right. */
function stacksOf<T extends GapItem>(things: readonly T[]): readonly (readonly T[])[] {
  const sorted = things.toSorted((a, b) => a.x - b.x);
  const stacks: T[][] = [];
  let right = -Infinity;
  for (const thing of sorted) {
    const stack = stacks.at(-1);
    if (stack && thing.x < right + APART) stack.push(thing);
    else stacks.push([thing]);
    right = Math.max(stack && thing.x < right + APART ? right : -Infinity, thing.x + thing.width);
  }
  // In the order in which they were given: first edges first.
  const order = new Map(things.map((thing, index) => [thing, index]));
  return stacks.map((stack) => stack.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)));
}
