import { harmless } from "../../../core/model/values/text.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import { workerCommand } from "../../../core/view/now/fleet.ts";
import { ageText, millisOf } from "../../../core/view/numbers.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import type { QueuePlace } from "../../casting/workspace/on-fleet.ts";

/** [B22] Where a cast stands among those of its project that wait, which limit holds it back, and who is missing. */
export function placeLines(queued: QueuePlace | undefined, fleet: string | undefined): readonly Line[] {
  if (!queued) return [];
  const { place, waiting, held, queue, why } = queued;
  return [
    line(toned("wait", `Waits for a worker: place ${place} of ${waiting} of its project.`)),
    ...held.map(({ kind, name, most }) => {
      const whose = kind === "all" ? "the fleet" : `${kind} ${harmless(name)}`;
      return line(toned("wait", `Held back: ${whose} may have ${most} under way at once.`));
    }),
    ...(why.kind === "busy" ? [line(toned("wait", "Every worker is busy."))] : []),
    ...(why.kind === "nobody_up" && fleet !== undefined ? [nobodyLine(fleet, queue)] : []),
  ];
}

/** [B29] What is set up has no visit to show, however long that takes. */
export function setupLines(settingUp: CastSummary["settingUp"], now: number): readonly Line[] {
  if (!settingUp) return [];
  const age = ageText(now - millisOf(settingUp.since, now));
  return [line(toned("wait", `${setupText(settingUp)}, for ${age} so far.`))];
}

export function setupText({ worker }: NonNullable<CastSummary["settingUp"]>): string {
  return `Worker ${harmless(worker)} sets up its tree`;
}

/** [B29] With a way out: who waits for nobody waits for ever. */
export function nobodyLine(fleet: string, queue: string): Line {
  return line(
    toned("rework", `Nobody works on the queue ${harmless(queue)}: `),
    toned("accent", workerCommand(fleet, queue)),
  );
}
