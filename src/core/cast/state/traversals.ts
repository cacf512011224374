import { socketOf } from "../../compile/graph.ts";
import type { Way } from "../../compile/route.ts";
import { END, type SocketId } from "../../model/ids.ts";
import type { CastState } from "./state.ts";
import { getValue, withValue } from "./table.ts";
import { countOf } from "./tally.ts";

/** [G7] What a way is counted for: the item in hand where it stays in its loop, else the whole cast. */
export type TraversalScope =
  | { readonly kind: "cast"; readonly way: string }
  | { readonly kind: "item"; readonly loop: string; readonly index: number; readonly way: string };

export function traversalScopeOf({ graph, pass }: CastState, from: SocketId, way: Way): TraversalScope {
  const name = wayKey(from, way);
  const { loop } = socketOf(graph, from);
  const stays = way.to !== END && socketOf(graph, way.to).loop === loop;
  return pass && pass.loop === loop && stays
    ? { kind: "item", loop: pass.loop, index: pass.cursor, way: name }
    : { kind: "cast", way: name };
}

function wayKey(from: SocketId, way: Way): string {
  switch (way.via) {
    case "edge":
      return `${from} edge ${way.index}${way.then ? " then" : ""}`;
    case "exit":
      return `${from} exit ${way.index}`;
    case "none":
      return `${from} end`;
  }
}

/** How often a way was `takeKey`, and how often a person `allowed` it beyond its limit. */
type TraversalMeasure = "taken" | "allowed";

export function traversalCount(state: CastState, measure: TraversalMeasure, scope: TraversalScope): number {
  if (scope.kind === "cast") return countOf(state.counts[measure], scope.way);
  return itemTraversals(state, measure, scope)[scope.way] ?? 0;
}

/** What a state counts, and what it remembers of its lists, with so many times more. */
export function addTraversals(
  { counts, walks }: Pick<CastState, "counts" | "walks">,
  measure: TraversalMeasure,
  scope: TraversalScope,
  times: number,
): Pick<CastState, "counts" | "walks"> {
  if (scope.kind === "cast") {
    const tally = withValue(counts[measure], scope.way, countOf(counts[measure], scope.way) + times);
    return { counts: measure === "taken" ? { ...counts, taken: tally } : { ...counts, allowed: tally }, walks };
  }
  const walk = getValue(walks, scope.loop);
  if (!walk) throw new Error(`the loop ${scope.loop} was never entered`);
  const place = String(scope.index);
  const item = getValue(walk[measure], place) ?? NO_TRAVERSALS;
  const counted = withValue(walk[measure], place, { ...item, [scope.way]: (item[scope.way] ?? 0) + times });
  const after = measure === "taken" ? { ...walk, taken: counted } : { ...walk, allowed: counted };
  return { counts, walks: withValue(walks, scope.loop, after) };
}

const NO_TRAVERSALS: Readonly<Record<string, number>> = {};

function itemTraversals(
  { walks }: CastState,
  measure: TraversalMeasure,
  { loop, index }: Extract<TraversalScope, { kind: "item" }>,
): Readonly<Record<string, number>> {
  const walk = getValue(walks, loop);
  return (walk && getValue(walk[measure], String(index))) ?? NO_TRAVERSALS;
}
