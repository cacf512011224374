import { chooseEdge, socketOf } from "../compile/graph.ts";
import { END } from "../model/ids.ts";
import type { EventOf } from "./state/event.ts";
import { withItemCounts } from "./state/item-counts.ts";
import type { ItemRun } from "./state/parallel-run.ts";
import { getValue, withValue } from "./state/persistent-map.ts";
import type { CastState } from "./state/state.ts";
import { walkedAfter } from "./state/traversal-counts.ts";

/** [V11, V49] Whether the cast ends with this item: it did not advance, or the way behind its advance leads to the end. */
export function endsCast(
  { graph, pass }: CastState,
  { advanced, gaveUp, satisfied, index }: EventOf<"item_ended">,
): boolean {
  if (advanced === null) return true;
  const isLast = index + 1 >= (pass?.items.length ?? 0);
  return !isLast && gaveUp === undefined && chooseEdge(socketOf(graph, advanced), satisfied).to === END;
}

/** [V48] The visits and counts of an item, as if it had been walked here. */
export function withItemWalk(
  state: CastState,
  loop: string,
  { end, index, dropped }: Extract<ItemRun, { kind: "merged" }>,
): CastState {
  const visited = (state.graph.loops[loop]?.sockets ?? []).filter((id) => (end.visits[id] ?? 0) > 0);
  const begun = state.begun + visited.length;
  const walk = getValue(state.walks, loop);
  const { taken, allowed } = end.counts ?? { taken: {}, allowed: {} };
  const counted = walk &&
    !dropped && {
      ...walk,
      taken: withItemCounts(walk.taken, index, taken),
      allowed: withItemCounts(walk.allowed, index, allowed),
    };
  return {
    ...state,
    begun,
    walked: visited.reduce(walkedAfter, state.walked),
    lastVisits: visited.reduce((all, id, at) => withValue(all, id, state.begun + at + 1), state.lastVisits),
    counts: { ...state.counts, passedBy: {} },
    walks: counted ? withValue(state.walks, loop, counted) : state.walks,
  };
}
