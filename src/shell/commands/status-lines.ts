import { sanitizeForTerminal, parseMillis } from "../../core/model/text.ts";
import { workerCommand } from "../../core/view/progress/fleet-status.ts";
import { ageText } from "../../core/view/numbers.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import type { QueuePosition, Workspace } from "../workspace/workspace.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { foreignCastIssue } from "../workspace/foreign-casts.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { CastSummary } from "../../core/cast/summary.ts";

/** [B59] The cast's place among the waiting casts of its project, the limit that holds it back, and missing workers. */
export function queuePositionLines(queued: QueuePosition | undefined, fleet: string | undefined): readonly Line[] {
  if (!queued) return [];
  const { place, waiting, held, queue, why } = queued;
  return [
    line(toned("wait", `Waits for a worker: place ${place} of ${waiting} of its project.`)),
    ...held.map(({ kind, name, most }) => {
      const whose = kind === "all" ? "the fleet" : `${kind} ${sanitizeForTerminal(name)}`;
      return line(toned("wait", `Limit: ${whose} may run ${most} at once.`));
    }),
    ...(why.kind === "busy" ? [line(toned("wait", "Every worker is busy."))] : []),
    ...(why.kind === "nobody_up" && fleet !== undefined ? [unservedQueueLine(fleet, queue)] : []),
  ];
}

/** [B73] A worktree in setup has no visit to show. */
export function setupLines(settingUp: CastSummary["settingUp"], now: number): readonly Line[] {
  if (!settingUp) return [];
  const age = ageText(now - parseMillis(settingUp.since, now));
  return [line(toned("wait", `${setupText(settingUp)}, for ${age} so far.`))];
}

export function setupText({ worker }: NonNullable<CastSummary["settingUp"]>): string {
  return `Worker ${sanitizeForTerminal(worker)} sets up its tree`;
}

/** [B72] Name a way out: without a worker the cast waits for ever. */
export function unservedQueueLine(fleet: string, queue: string): Line {
  return line(
    toned("rework", `No worker serves the queue ${sanitizeForTerminal(queue)}: `),
    toned("accent", workerCommand(fleet, queue)),
  );
}

export function castLineage({ targets, fromCastId }: CastFile) {
  return { targets: targets.map((target) => target.name), fromCastId };
}

/** [S13] Anybody may look at it; say where it comes from. */
export function foreignField(workspace: Workspace, file: CastFile): { readonly foreign?: true } {
  return foreignCastIssue(workspace, file) ? { foreign: true } : {};
}

export function foreignLines(workspace: Workspace, file: CastFile): readonly Line[] {
  const issue = foreignCastIssue(workspace, file);
  return issue ? [line(toned("rework", `Note: ${sanitizeForTerminal(issue.message)}.`))] : [];
}

/** [B69] The prefix of suggested commands, so that they can be typed as they are. */
export function programOption({ place: { program }, fleet }: Workspace): { readonly program?: string } {
  if (fleet) return { program: `${program ?? "materia"} --on ${quoteWord(fleet.name)}` };
  return program === undefined ? {} : { program };
}
