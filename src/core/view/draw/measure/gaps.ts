/** Something that lies in the gap above a row: a label, or a track that a route follows. */
export interface GapItem {
  readonly x: number;
  readonly width: number;
  readonly height: number;
}

interface StackedGap<T> {
  readonly height: number;
  /** The middle of each, from the top of the gap. */
  readonly middles: ReadonlyMap<T, number>;
}

const STACK_SPACING = 2;

/** Things that would lie upon one another are stacked, and the gap grows; anything else stands in its middle. */
export function stackGapItems<T extends GapItem>(things: readonly T[], least: number): StackedGap<T> {
  const stacks = overlappingStacks(things);
  const height = Math.max(least, ...stacks.map((stack) => stackHeight(stack) + STACK_SPACING));
  const middles = new Map<T, number>();
  for (const stack of stacks) {
    let top = (height - stackHeight(stack)) / 2;
    for (const thing of stack) {
      middles.set(thing, top + thing.height / 2);
      top += thing.height + STACK_SPACING;
    }
  }
  return { height, middles };
}

function stackHeight(stack: readonly GapItem[]): number {
  return stack.reduce((sum, thing) => sum + thing.height + STACK_SPACING, -STACK_SPACING);
}

/** Groups whose extents hang together, from left to right. */
function overlappingStacks<T extends GapItem>(things: readonly T[]): readonly (readonly T[])[] {
  const sorted = things.toSorted((a, b) => a.x - b.x);
  const stacks: T[][] = [];
  let right = -Infinity;
  for (const thing of sorted) {
    const stack = stacks.at(-1);
    if (stack && thing.x < right + STACK_SPACING) stack.push(thing);
    else stacks.push([thing]);
    right = Math.max(stack && thing.x < right + STACK_SPACING ? right : -Infinity, thing.x + thing.width);
  }
  // In the order in which they were given: first edges first.
  const order = new Map(things.map((thing, index) => [thing, index]));
  return stacks.map((stack) => stack.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)));
}
