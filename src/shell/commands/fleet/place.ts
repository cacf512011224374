import { sanitizeForTerminal } from "../../../core/model/values/text.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import { workerCommand } from "../../../core/view/now/fleet.ts";
import { ageText, parseMillis } from "../../../core/view/numbers.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import type { QueuePosition } from "../../casting/workspace/on-fleet.ts";

/** [B22] Where a cast stands among those of its project that wait, which limit holds it back, and who is missing. */
export function queuePositionLines(queued: QueuePosition | undefined, fleet: string | undefined): readonly Line[] {
  if (!queued) return [];
  const { place, waiting, held, queue, why } = queued;
  return [
    line(toned("wait", `Waits for a worker: place ${place} of ${waiting} of its project.`)),
    ...held.map(({ kind, name, most }) => {
      const whose = kind === "all" ? "the fleet" : `${kind} ${sanitizeForTerminal(name)}`;
      return line(toned("wait", `Held back: ${whose} may have ${most} under way at once.`));
    }),
    ...(why.kind === "busy" ? [line(toned("wait", "Every worker is busy."))] : []),
    ...(why.kind === "nobody_up" && fleet !== undefined ? [unservedQueueLine(fleet, queue)] : []),
  ];
}

/** [B29] What is set up has no visit to show, however long that takes. */
export function setupLines(settingUp: CastSummary["settingUp"], now: number): readonly Line[] {
  if (!settingUp) return [];
  const age = ageText(now - parseMillis(settingUp.since, now));
  return [line(toned("wait", `${setupText(settingUp)}, for ${age} so far.`))];
}

export function setupText({ worker }: NonNullable<CastSummary["settingUp"]>): string {
  return `Worker ${sanitizeForTerminal(worker)} sets up its tree`;
}

/** [B29] With a way out: who waits for nobody waits for ever. */
export function unservedQueueLine(fleet: string, queue: string): Line {
  return line(
    toned("rework", `Nobody works on the queue ${sanitizeForTerminal(queue)}: `),
    toned("accent", workerCommand(fleet, queue)),
  );
}
