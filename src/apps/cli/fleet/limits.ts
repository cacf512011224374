import type { FleetLimitChange } from "../../../core/command/command.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import { sanitizeForTerminal } from "../../../core/model/values/text.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import type { CommandOutput } from "../../../shell/commands/answer/answer.ts";
import { changeLimit, fleetLimitText, readLimits, type LimitUsage } from "../../../shell/fleet/operations/limits.ts";
import type { ConnectedFleet } from "../../../shell/fleet/open/fleet.ts";

/** [B22] What may be under way at once, changed where that was asked for. */
export async function answerLimits(fleet: ConnectedFleet, change: FleetLimitChange | undefined): Promise<Result<CommandOutput>> {
  const changed = change ? await changeLimit(fleet, change) : ok(true);
  if (!changed.ok) return changed;
  const standing = await readLimits(fleet);
  if (!standing.ok) return standing;
  const none = change && !changed.value ? [line(`There was no limit for ${sanitizeForTerminal(fleetLimitText(change))}.`)] : [];
  return ok({ code: 0, data: standing.value, lines: () => [...none, ...limitLines(standing.value)] });
}

function limitLines(limits: readonly LimitUsage[]): readonly Line[] {
  if (limits.length === 0) return [line("No limit is set: whatever workers can drive is driven.")];
  return limits.map((limit) => {
    const isFull = limit.busy >= limit.most;
    const text = `  ${limit.busy} of at most ${limit.most} at once`;
    return line(toned("strong", sanitizeForTerminal(fleetLimitText(limit))), isFull ? toned("wait", text) : text);
  });
}
