import type { CastState } from "../../core/cast/state/state.ts";
import { NO_USAGE, addUsage, maxUsage, totalTokens, type Usage } from "../../core/cast/state/usage.ts";
import type { Budget } from "../../core/model/config.ts";
import type { TurnAdmission } from "../ports.ts";

export type SharedBudget = ReturnType<typeof createSharedBudget>;

/** [V13] One budget for all items: a turn starts only when the budget also covers the running turns. */
export function createSharedBudget(parent: Pick<CastState, "budget" | "usage" | "largest">) {
  const spent = new Map<string, Usage>();
  const counted = new Map<string, Usage>();
  const runningTurns = new Set<{ used: Usage }>();
  let { largest } = parent;
  // Until one turn has ended, the size of turns is unknown. A provider that reports no usage must not block the others.
  let isSizeKnown = totalTokens(largest) > 0 || largest.cost > 0;
  const waiting: (() => void)[] = [];
  const wake = (): void => {
    for (const each of waiting.splice(0)) each();
  };
  const recordUsage = (state: CastState): void => {
    spent.set(state.castId, subtractUsage(state.usage, counted.get(state.castId) ?? NO_USAGE));
    largest = maxUsage(largest, state.largest);
  };
  const settled = (): Usage => [...spent.values()].reduce(addUsage, parent.usage);
  const turns = (): readonly Usage[] => [...runningTurns].map(({ used }) => used);
  const total = (): Usage => turns().reduce(addUsage, settled());
  const hasRoom = (): boolean => {
    const turnSize = isSizeKnown ? largest : undefined;
    return hasBudgetForTurn(parent.budget, { settled: settled(), turns: turns(), largest: turnSize });
  };
  return {
    /** Its parent has already counted `before` of its usage. */
    registerItem: (state: CastState, before: Usage): void => {
      counted.set(state.castId, before);
      recordUsage(state);
    },
    admit: async (state: CastState, signal: AbortSignal): Promise<TurnAdmission> => {
      recordUsage(state);
      while (!isBudgetUsedUp(parent.budget, total()) && !hasRoom() && !signal.aborted)
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      const turn = { used: NO_USAGE };
      runningTurns.add(turn);
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
          runningTurns.delete(turn);
          isSizeKnown = true;
          largest = maxUsage(largest, turn.used);
          // Count the usage here until the journal has it.
          spent.set(state.castId, addUsage(spent.get(state.castId) ?? NO_USAGE, turn.used));
          wake();
        },
      };
    },
  };
}

/** [V13] Whether a turn may start beside the running ones, each counted as the largest so far; undefined while sizes are unknown. */
export function hasBudgetForTurn(
  budget: Budget,
  { settled, turns, largest }: { settled: Usage; turns: readonly Usage[]; largest: Usage | undefined },
): boolean {
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
