import type { ScheduleAction } from "../../../core/command/command.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import { never } from "../../../core/model/values/never.ts";
import { harmless, oneLine } from "../../../core/model/values/text.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import type { Answer } from "../../../shell/commands/answer/answer.ts";
import { prepare } from "../../../shell/commands/prepare.ts";
import type { OpenFleet } from "../../../shell/fleet/open/fleet.ts";
import { workspaceWith } from "../../../shell/fleet/on-fleet.ts";
import {
  addSchedule,
  firstTime,
  listSchedules,
  removeSchedule,
  type Schedule,
} from "../../../shell/fleet/operations/schedules.ts";
import { askerOf } from "../terminal/asker.ts";
import type { Request } from "../terminal/request.ts";

/** [B23] What the fleet submits at times. */
export async function schedule(fleet: OpenFleet, what: ScheduleAction, request: Request): Promise<Result<Answer>> {
  switch (what.kind) {
    case "list": {
      const listed = await listSchedules(fleet);
      return listed.ok ? ok({ code: 0, data: listed.value, lines: () => scheduleLines(listed.value) }) : listed;
    }
    case "remove": {
      const removed = await removeSchedule(fleet, what.id);
      const lines = () => [line(`Schedule ${what.id} is gone; what it submitted stays.`)];
      return removed.ok ? ok({ code: 0, data: { removed: what.id }, lines }) : removed;
    }
    case "add":
      return add(fleet, what, request);
    default:
      return never(what);
  }
}

async function add(
  fleet: OpenFleet,
  { cron, zone, tree, submits }: Extract<ScheduleAction, { kind: "add" }>,
  request: Request,
): Promise<Result<Answer>> {
  const where = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  // Before anybody is asked to trust anything.
  const first = firstTime(cron, where, Date.now());
  if (!first.ok) return first;
  const workspace = workspaceWith(request.workspace, fleet);
  const asker = await askerOf({ ...request, options: submits.options, workspace });
  const prepared = await prepare(submits.command, asker);
  if (!prepared.ok) return prepared;
  const { plan } = prepared.value;
  const { env } = workspace.place;
  const { priority = 0 } = submits.options;
  const added = await addSchedule(fleet, {
    plan: plan ?? { file: prepared.value.file },
    cron,
    zone: where,
    tree,
    priority,
    env,
    artifacts: request.workspace.root,
  });
  if (!added.ok) return added;
  asker.remember();
  return ok({ code: 0, data: added.value, lines: () => scheduleLines([added.value]) });
}

function scheduleLines(schedules: readonly Schedule[]): readonly Line[] {
  if (schedules.length === 0) return [line("Nothing is submitted at times.")];
  return schedules.flatMap(({ id, cron, zone, follows, command, lastCast, problem, ...row }) => [
    line(toned("strong", `${id}  ${cron}`), toned("dim", `  ${zone}, next `), timeText(row.nextAt, zone)),
    line(`   ${oneLine(harmless(command), 400)}`),
    line(
      toned(
        "dim",
        `   ${follows === null ? "on the files of when it was added" : `on ${harmless(follows.replace(/^refs\/heads\//, ""))} as it is then`}${lastCast === null ? "" : `; last ${lastCast}`}`,
      ),
    ),
    ...(problem === null ? [] : [line(toned("rework", `   Not submitted the last time: ${harmless(problem)}`))]),
  ]);
}

function timeText(at: string, zone: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "never";
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).format(time);
}
