import { components } from "../components.ts";
import { levelOf } from "./level.ts";
import type { Region } from "./region.ts";
import { weighRound } from "./rounds.ts";
import type { Circle, Scales } from "./rounds.ts";

/** What the walks through a region weigh at most. */
export interface Weighed {
  /** The heaviest walk up to each place, every way round before it included; a place that no walk reaches has none. */
  readonly upTo: readonly (number | undefined)[];
  /** What each way round adds to a walk, noted at one of its places. */
  readonly added: Float64Array;
  /** How often a walk comes by each place. */
  readonly visits: Float64Array;
}

/** A region as walks come by it, taken apart once however often it is weighed. */
export interface Course {
  readonly size: number;
  readonly firstLoop: number;
  readonly starts: ReadonlySet<number>;
  /** Only what a walk reaches, each after what leads to it. */
  readonly stages: readonly Stage[];
}

interface Stage {
  readonly places: readonly number[];
  /** Set where its places lead round. */
  readonly circle: Circle | null;
  /** Where it leads. */
  readonly onward: readonly number[];
}

export function courseOf({ arcs, starts, firstLoop }: Region): Course {
  const next = arcs.map((out) => (out.length === 0 ? NOWHERE : out.map((arc) => arc.to)));
  const found = components(next).toReversed();
  const componentAt = new Int32Array(arcs.length);
  found.forEach((places, number) => {
    for (const place of places) componentAt[place] = number;
  });
  const isDoor = new Uint8Array(arcs.length);
  for (const place of starts) isDoor[place] = 1;
  const stages: Stage[] = [];
  found.forEach((places, number) => {
    const entered = places.filter((place) => isDoor[place] === 1);
    if (entered.length === 0) return;
    const [first = 0] = places;
    // Most places lead round to nothing.
    if (places.length === 1 && !next[first]?.includes(first)) {
      const onward = next[first] ?? NOWHERE;
      for (const to of onward) isDoor[to] = 1;
      stages.push({ places, circle: null, onward });
      return;
    }
    const onward = places.flatMap((place) => next[place]?.filter((to) => componentAt[to] !== number) ?? NOWHERE);
    for (const to of onward) isDoor[to] = 1;
    const within = places.flatMap((place) => arcs[place]?.filter((arc) => componentAt[arc.to] === number) ?? []);
    const component = { places, doors: new Set(entered), arcs: within };
    stages.push({ places, circle: { ...component, level: levelOf(component, firstLoop) }, onward });
  });
  return { size: arcs.length, firstLoop, starts, stages };
}

export function weigh({ size, firstLoop, starts, stages }: Course, scales: Scales): Weighed {
  const upTo = Array.from<number | undefined>({ length: size });
  for (const place of starts) upTo[place] = 0;
  const added = new Float64Array(size);
  const visits = new Float64Array(size).fill(1);
  for (const { places, circle, onward } of stages) {
    const [first = 0] = places;
    let total = 0;
    for (const place of places) total = Math.max(total, upTo[place] ?? 0);
    if (circle) {
      const round = weighRound(circle, firstLoop, scales);
      for (const place of places) visits[place] = round.visits.get(place) ?? Infinity;
      added[first] = round.extra;
      total += round.once + round.extra;
    } else total += scales.weights[first] ?? 0;
    for (const place of places) upTo[place] = total;
    for (const to of onward) upTo[to] = Math.max(upTo[to] ?? 0, total);
  }
  return { upTo, added, visits };
}

const NOWHERE: readonly number[] = [];
