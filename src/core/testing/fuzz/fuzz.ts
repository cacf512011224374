import { castOutcome } from "../observed.ts";
import { type RandomSource, seededRandom } from "../chance.ts";
import { coverableNames } from "../coverage.ts";
import { mergeItemEvents } from "../item-events.ts";
import { countWaysTaken } from "../way-names.ts";
import { randomAnswer } from "./choice.ts";
import { runFuzzCast, isFault, type FuzzedCast, type FuzzSubject } from "./one-cast.ts";
import { shrinkFuzzedCast } from "./smaller.ts";

export interface FuzzSettings {
  readonly casts: number;
  readonly seed: number;
  /** The longest list. */
  readonly items: number;
}

export interface FuzzFinding {
  readonly what: string;
  readonly fault: boolean;
  /** How many casts had it. */
  readonly casts: number;
  /** The smallest of them. */
  readonly smallest: FuzzedCast;
}

export interface FuzzResult {
  readonly casts: number;
  readonly seed: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly mostTurns: number;
  /** In how many casts the work of an item could not be merged. */
  readonly conflicts: number;
  readonly findings: readonly FuzzFinding[];
  /** What no cast took, by the names of coverage. */
  readonly missing: readonly string[];
}

/** [T17] Random and hostile casts of a graph; the same for the same seed. */
export function fuzzGraph(subject: FuzzSubject, { casts, seed, items }: FuzzSettings): FuzzResult {
  const { graph } = subject.start;
  const missing = new Set(coverableNames(graph, subject.flow));
  const outcomes: Record<string, number> = {};
  const found = new Map<string, { casts: number; smallest: FuzzedCast }>();
  let mostTurns = 0;
  let conflicts = 0;
  for (let number = 0; number < casts; number += 1) {
    const chance = seededRandom(seed + number);
    // Items of a parallel loop may be worked on in either way.
    const one = runFuzzCast(subject, answerChooser(chance, items), number % 2 === 0 ? "one by one" : "at once");
    const { cast, turns, findings } = one;
    mostTurns = Math.max(mostTurns, turns);
    if (cast?.events.some(({ type }) => type === "item_conflicted")) conflicts += 1;
    const outcome = cast ? castOutcome(cast.state) : "broken";
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (cast && missing.size > 0) for (const each of coveredNames(cast)) missing.delete(each);
    for (const what of new Set(findings)) {
      const before = found.get(what);
      const smallest = before && before.smallest.choices.length <= one.choices.length ? before.smallest : one;
      found.set(what, { casts: (before?.casts ?? 0) + 1, smallest });
    }
  }
  const findings = [...found].map(([what, each]) => ({
    what,
    fault: isFault(what),
    casts: each.casts,
    smallest: shrinkFuzzedCast(subject, each.smallest, what),
  }));
  return { casts, seed, outcomes, mostTurns, conflicts, findings: findings.toSorted(bySeverity), missing: [...missing] };
}

/** Most answers are good ones, or hardly a cast would come far. */
function answerChooser(chance: RandomSource, items: number) {
  const most = chance.below(items + 1);
  return () => randomAnswer(chance, most);
}

function coveredNames({ events: own, items, state }: NonNullable<FuzzedCast["cast"]>): readonly string[] {
  const events = mergeItemEvents(own, items);
  const visited = events.flatMap((event) => (event.type === "visit_started" ? [event.socket] : []));
  return [...visited, ...countWaysTaken(state.graph, events).keys()];
}

function bySeverity(a: FuzzFinding, b: FuzzFinding): number {
  return Number(b.fault) - Number(a.fault) || b.casts - a.casts;
}
