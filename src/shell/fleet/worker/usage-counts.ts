import type { CastStep } from "../../../core/cast/timeline.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { totalTokens } from "../../../core/cast/state/usage.ts";

/** What casts of a project and loadout have used with a model, since the worker started. */
export interface UsageRow {
  readonly project: string;
  readonly loadout: string;
  readonly model: string;
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
}

export type UsageCounts = ReturnType<typeof createUsageCounts>;

/** Names come from members: they must not fill the memory of the worker. */
const MAX_ROWS = 1_000;

/** [TM7] Counts turns as they are written. */
export function createUsageCounts() {
  const rows = new Map<string, UsageRow>();
  return {
    rows: (): readonly UsageRow[] => [...rows.values()],
    counterOf: ({ fleet, loadout = "" }: Partial<Pick<CastSummary, "fleet" | "loadout">>) => {
      const { project = "" } = fleet ?? {};
      return (steps: readonly CastStep[]): void => {
        for (const { event } of steps) {
          if (!("usage" in event) || event.usage === undefined || !TURN_ENDS.has(event.type)) continue;
          const model = ("model" in event ? event.model : undefined) ?? "unknown";
          const key = JSON.stringify([project, loadout, model]);
          const before = rows.get(key) ?? { project, loadout, model, turns: 0, tokens: 0, cost: 0 };
          if (rows.size >= MAX_ROWS && !rows.has(key)) continue;
          const tokens = before.tokens + totalTokens(event.usage);
          rows.set(key, { ...before, turns: before.turns + 1, tokens, cost: before.cost + event.usage.cost });
        }
      };
    },
  };
}

const TURN_ENDS: ReadonlySet<string> = new Set([
  "handoff_accepted",
  "output_accepted",
  "handoff_rejected",
  "turn_answered",
  "turn_failed",
]);
