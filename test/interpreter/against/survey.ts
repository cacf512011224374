import { caseOfKind, type Kind } from "../random/kinds.ts";
import { smallest } from "../random/smaller.ts";
import type { Case } from "../random/worlds.ts";
import { compare, type Aspect } from "./compare.ts";

export interface Survey {
  /** One line per kind of fact, with how often it was reached. */
  readonly reached: ReadonlyMap<string, number>;
  /** The smallest case of every kind of difference. */
  readonly differences: readonly { readonly aspect: Aspect; readonly kind: string; readonly text: string }[];
  readonly times: ReadonlyMap<string, number>;
}

/** Interpreter and engine side by side, on one random case after another. */
export function survey(first: number, casts: number, kind: Kind = "mixed", shown = 5): Survey {
  const reached = new Map<string, number>();
  const times = new Map<string, number>();
  const differences: Survey["differences"][number][] = [];
  for (let seed = first; seed < first + casts; seed += 1) {
    const each = caseOfKind(kind, seed);
    const { difference, facts, bounded } = compare(each);
    for (const fact of [...facts.map(kindOf), ...(bounded ? ["bounded"] : [])]) count(reached, fact);
    if (!difference || count(times, difference.kind) > 1 || times.size > shown) continue;
    const { aspect } = difference;
    const small = smallest(each, (less) => compare(less).difference?.kind === difference.kind);
    differences.push({
      aspect,
      kind: difference.kind,
      text: `seed ${seed}: ${shownCase(small)}\n${compare(small).difference?.text}`,
    });
  }
  return { reached, differences, times };
}

/** A fact without what differs from case to case. */
function kindOf(fact: string): string {
  const [word = "", ...rest] = fact.split(" ");
  if (word === "refused") return fact;
  if (rest.includes("then")) return "way then";
  if (word === "way") return `way ${rest[1] === "end" ? "to end " : ""}${rest.slice(2, 4).join(" ")}`;
  if (word === "accepted") return `accepted ${rest[1]}`;
  if (word === "exhausted") return `exhausted ${rest.at(-1)}`;
  return word === "limit" || word === "ended" ? `${word} ${rest[0]}` : word;
}

function count(counts: Map<string, number>, key: string): number {
  const number = (counts.get(key) ?? 0) + 1;
  counts.set(key, number);
  return number;
}

function shownCase({ targets, texts }: Case): string {
  const { loadouts, limits, budget } = texts;
  return `${targets.join(" ")} ${JSON.stringify({ loadouts, limits, budget })}`;
}
