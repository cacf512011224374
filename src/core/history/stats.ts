import type { CastFacts, VisitFact } from "./facts.ts";

/** [T22] The figures of one materia with one model. */
export interface MateriaStats {
  readonly materia: string;
  readonly model: string;
  readonly visits: number;
  readonly rejected: number;
  /** [H25] Those of them that were calls of `hand_over`. */
  readonly rejectedByTool: number;
  /** How often it sent work back, and how often work came back to it. */
  readonly reworkCaused: number;
  readonly reworkReceived: number;
  readonly yes: number;
  /** How often a later "not satisfied" for the same item reversed its approval. */
  readonly overturned: number;
  readonly tokens: number;
  readonly cost: number;
  readonly items: number;
  readonly tokensPerItem: number | null;
  readonly costPerItem: number | null;
  readonly seconds: number;
}

/** The most expensive first. */
export function materiaStats(casts: readonly CastFacts[]): readonly MateriaStats[] {
  const groups = new Map<string, { visits: VisitFact[]; overturned: number; items: number; caused: number }>();
  const groupOf = ({ materia, model }: Pick<VisitFact, "materia" | "model">) => {
    const key = `${materia}\u0000${model}`;
    const group = groups.get(key) ?? { visits: [], overturned: 0, items: 0, caused: 0 };
    groups.set(key, group);
    return group;
  };
  for (const { visits, itemsDone } of casts) {
    for (const group of new Set(visits.map(groupOf))) group.items += itemsDone;
    visits.forEach((visit, index) => {
      groupOf(visit).visits.push(visit);
      if (visit.satisfied === true && isOverturned(visits, index)) groupOf(visit).overturned += 1;
      const next = visits[index + 1];
      if (visit.satisfied === false && next?.because === visit.materia) groupOf(visit).caused += 1;
    });
  }
  return [...groups.values()].map(statsRow).toSorted((a, b) => b.cost - a.cost || b.tokens - a.tokens);
}

/** Whether a later materia was not satisfied with the same item. */
function isOverturned(visits: readonly VisitFact[], index: number): boolean {
  const own = visits[index];
  if (!own || own.item === null) return false;
  for (const later of visits.slice(index + 1)) {
    if (later.item !== own.item) return false;
    if (later.materia === own.materia) return false;
    if (later.satisfied === false) return true;
  }
  return false;
}

function statsRow({
  visits,
  overturned,
  items,
  caused,
}: {
  readonly visits: readonly VisitFact[];
  readonly overturned: number;
  readonly items: number;
  readonly caused: number;
}): MateriaStats {
  const sum = (of: (visit: VisitFact) => number): number => visits.reduce((total, visit) => total + of(visit), 0);
  const [first] = visits;
  const [tokens, cost] = [sum((visit) => visit.tokens), sum((visit) => visit.cost)];
  return {
    materia: first?.materia ?? "",
    model: first?.model ?? "",
    visits: visits.length,
    rejected: sum((visit) => visit.rejected),
    rejectedByTool: sum((visit) => visit.rejectedByTool),
    reworkCaused: caused,
    reworkReceived: visits.filter(({ because }) => because !== undefined).length,
    yes: visits.filter(({ satisfied }) => satisfied === true).length,
    overturned,
    tokens,
    cost,
    items,
    tokensPerItem: items === 0 ? null : tokens / items,
    costPerItem: items === 0 ? null : cost / items,
    seconds: sum((visit) => visit.ms) / 1000,
  };
}
