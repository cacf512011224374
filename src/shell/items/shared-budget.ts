import type { CastState } from "../../core/cast/state/state.ts";
import { NO_USAGE, addUsage, maxUsage, totalTokens, type Usage } from "../../core/cast/state/usage.ts";
import type { Budget } from "../../core/model/config.ts";
import type { TurnAdmission } from "../ports.ts";

/** [V13] One budget for the casts of all items: a turn begins only while there is room for those under way as well. */
export interface SharedBudget {
  /** The cast of an item goes on; `counted` of its usage is known to its parent already. */
  readonly registerItem: (state: CastState, counted: Usage) => void;
  readonly admit: (state: CastState, signal: AbortSignal) => Promise<TurnAdmission>;
}

interface RunningTurn {
  used: Usage;
}

export function createSharedBudget(parent: Pick<CastState, "budget" | "usage" | "largest">): SharedBudget {
  const spent = new Map<string, Usage>();
  const counted = new Map<string, Usage>();
  const underWay = new Set<RunningTurn>();
  let { largest } = parent;
  // Until one turn is over nobody knows how large they are; a provider that counts nothing makes nobody wait for ever.
  let isKnown = totalTokens(largest) > 0 || largest.cost > 0;
  const waiting: (() => void)[] = [];
  const wake = (): void => {
    for (const each of waiting.splice(0)) each();
  };
  const known = (state: CastState): void => {
    spent.set(state.castId, subtractUsage(state.usage, counted.get(state.castId) ?? NO_USAGE));
    largest = maxUsage(largest, state.largest);
  };
  const total = (): Usage =>
    [...spent.values(), ...[...underWay].map(({ used }) => used)].reduce(addUsage, parent.usage);
  const hasRoom = (): boolean => {
    const settled = [...spent.values()].reduce(addUsage, parent.usage);
    const turns = [...underWay].map(({ used }) => used);
    return hasBudgetForTurn(parent.budget, { settled, turns, largest: isKnown ? largest : undefined });
  };
  return {
    registerItem: (state, before) => {
      counted.set(state.castId, before);
      known(state);
    },
    admit: async (state, signal) => {
      known(state);
      while (!isBudgetUsedUp(parent.budget, total()) && !hasRoom() && !signal.aborted)
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      const turn: RunningTurn = { used: NO_USAGE };
      underWay.add(turn);
      const own = addUsage(state.usage, state.item?.elsewhere ?? NO_USAGE);
      const elsewhere = isBudgetUsedUp(parent.budget, total()) ? subtractUsage(total(), own) : NO_USAGE;
      return {
        usedElsewhere: elsewhere,
        isBudgetSpent: (usage) => {
          turn.used = usage;
          return isBudgetUsedUp(parent.budget, total());
        },
        reportUsage: (usage) => {
          turn.used = usage;
        },
        end: () => {
          underWay.delete(turn);
          isKnown = true;
          largest = maxUsage(largest, turn.used);
          // What it used stands in its journal only once that is written; until then it is counted here.
          spent.set(state.castId, addUsage(spent.get(state.castId) ?? NO_USAGE, turn.used));
          wake();
        },
      };
    },
  };
}

/** What was used, the turns under way, and the largest turn so far; none where nobody knows yet how large they are. */
export interface BudgetSnapshot {
  readonly settled: Usage;
  readonly turns: readonly Usage[];
  readonly largest: Usage | undefined;
}

/** [V13] Whether a turn may begin beside those under way, each taken for the largest so far. */
export function hasBudgetForTurn(budget: Budget, { settled, turns, largest }: BudgetSnapshot): boolean {
  if (turns.length === 0 || !hasBudgetLimit(budget)) return true;
  if (largest === undefined) return false;
  return !isBudgetUsedUp(budget, turns.map((used) => maxUsage(used, largest)).reduce(addUsage, settled));
}

export function hasBudgetLimit({ maxTokens, maxCostUsd }: Budget): boolean {
  return maxTokens !== undefined || maxCostUsd !== undefined;
}

export function isBudgetUsedUp({ maxTokens, maxCostUsd }: Budget, usage: Usage): boolean {
  if (maxTokens !== undefined && totalTokens(usage) >= maxTokens) return true;
  return maxCostUsd !== undefined && usage.cost >= maxCostUsd && usage.cost > 0;
}

export function subtractUsage(a: Usage, b: Usage): Usage {
  return {
    input: Math.max(0, a.input - b.input),
    output: Math.max(0, a.output - b.output),
    cost: Math.max(0, a.cost - b.cost),
  };
}
