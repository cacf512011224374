import { components } from "../components.ts";
import type { Region } from "./region.ts";
import { weighRound } from "./rounds.ts";
import type { Scales } from "./rounds.ts";

/** What the walks through a region weigh at most. */
export interface Weighed {
  /** The heaviest walk up to each place, every way round before it included; a place that no walk reaches has none. */
  readonly upTo: readonly (number | undefined)[];
  /** What each way round adds to a walk, noted at one of its places. */
  readonly added: readonly number[];
  /** How often a walk comes by each place. */
  readonly visits: readonly number[];
}

export function weigh({ arcs, starts, firstLoop }: Region, scales: Scales): Weighed {
  const upTo: (number | undefined)[] = arcs.map((_, place) => (starts.has(place) ? 0 : undefined));
  const added = arcs.map(() => 0);
  const visits = arcs.map(() => 1);
  const doors = new Set(starts);
  const next = arcs.map((out) => (out.length === 0 ? NOWHERE : out.map((arc) => arc.to)));
  const found = components(next).toReversed();
  const knotAt = new Int32Array(arcs.length);
  found.forEach((places, number) => {
    for (const place of places) knotAt[place] = number;
  });
  found.forEach((places, number) => {
    let total: number | undefined;
    for (const place of places) total = heavier(total, upTo[place]);
    if (total === undefined) return;
    const [first = 0] = places;
    if (places.length > 1 || next[first]?.includes(first)) {
      const within = places.flatMap((place) => arcs[place]?.filter((arc) => knotAt[arc.to] === number) ?? []);
      const knot = { places, doors: new Set(places.filter((place) => doors.has(place))), arcs: within };
      const round = weighRound(knot, firstLoop, scales);
      for (const place of places) visits[place] = round.visits.get(place) ?? Infinity;
      added[first] = round.extra;
      total += round.once + round.extra;
    } else total += scales.weights[first] ?? 0;
    for (const place of places) {
      upTo[place] = total;
      for (const to of next[place] ?? NOWHERE) {
        if (knotAt[to] === number) continue;
        upTo[to] = heavier(upTo[to], total);
        doors.add(to);
      }
    }
  });
  return { upTo, added, visits };
}

const NOWHERE: readonly number[] = [];

function heavier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.max(one, other);
}
