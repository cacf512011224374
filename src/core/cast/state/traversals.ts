import { socketOf } from "../../compile/graph.ts";
import type { Way } from "../../compile/route.ts";
import { END, type SocketId } from "../../model/ids.ts";
import type { CastState } from "./state.ts";
import { valueIn, withValue } from "./table.ts";
import { countOf } from "./tally.ts";

/** [G7] What a way is counted for: the item in hand where it stays in its loop, else the whole cast. */
export type Scope =
  | { readonly kind: "cast"; readonly way: string }
  | { readonly kind: "item"; readonly loop: string; readonly index: number; readonly way: string };

export function scopeOf({ graph, pass }: CastState, from: SocketId, way: Way): Scope {
  const name = wayName(from, way);
  const { loop } = socketOf(graph, from);
  const stays = way.to !== END && socketOf(graph, way.to).loop === loop;
  return pass && pass.loop === loop && stays
    ? { kind: "item", loop: pass.loop, index: pass.cursor, way: name }
    : { kind: "cast", way: name };
}

function wayName(from: SocketId, way: Way): string {
  switch (way.via) {
    case "edge":
      return `${from} edge ${way.index}${way.then ? " then" : ""}`;
    case "exit":
      return `${from} exit ${way.index}`;
    case "none":
      return `${from} end`;
  }
}

/** How often a way was `taken`, and how often a person `allowed` it beyond its limit. */
type Measure = "taken" | "allowed";

export function countIn(state: CastState, measure: Measure, scope: Scope): number {
  if (scope.kind === "cast") return countOf(state.counts[measure], scope.way);
  return ofItem(state, measure, scope)[scope.way] ?? 0;
}

/** What a state counts, and what it remembers of its lists, with so many times more. */
export function addTo(
  { counts, walks }: Pick<CastState, "counts" | "walks">,
  measure: Measure,
  scope: Scope,
  times: number,
): Pick<CastState, "counts" | "walks"> {
  if (scope.kind === "cast") {
    const tally = withValue(counts[measure], scope.way, countOf(counts[measure], scope.way) + times);
    return { counts: measure === "taken" ? { ...counts, taken: tally } : { ...counts, allowed: tally }, walks };
  }
  const walk = valueIn(walks, scope.loop);
  if (!walk) throw new Error(`the loop ${scope.loop} was never entered`);
  const place = String(scope.index);
  const item = valueIn(walk[measure], place) ?? NEVER;
  const counted = withValue(walk[measure], place, { ...item, [scope.way]: (item[scope.way] ?? 0) + times });
  const after = measure === "taken" ? { ...walk, taken: counted } : { ...walk, allowed: counted };
  return { counts, walks: withValue(walks, scope.loop, after) };
}

const NEVER: Readonly<Record<string, number>> = {};

function ofItem(
  { walks }: CastState,
  measure: Measure,
  { loop, index }: Extract<Scope, { kind: "item" }>,
): Readonly<Record<string, number>> {
  const walk = valueIn(walks, loop);
  return (walk && valueIn(walk[measure], String(index))) ?? NEVER;
}
