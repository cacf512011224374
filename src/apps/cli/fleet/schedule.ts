import type { ScheduleAction } from "../../../core/command/command.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import { assertNever } from "../../../core/model/values/never.ts";
import { sanitizeForTerminal, oneLine } from "../../../core/model/values/text.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import type { CommandOutput } from "../../../shell/commands/answer/answer.ts";
import { prepareCommand } from "../../../shell/commands/prepare.ts";
import type { ConnectedFleet } from "../../../shell/fleet/open/fleet.ts";
import { withFleet } from "../../../shell/fleet/on-fleet.ts";
import {
  addSchedule,
  firstScheduledTime,
  listSchedules,
  removeSchedule,
  type Schedule,
} from "../../../shell/fleet/operations/schedules.ts";
import { commandCallerFor } from "../terminal/asker.ts";
import type { CliContext } from "../terminal/request.ts";

/** [B23] What the fleet submits at times. */
export async function answerSchedule(fleet: ConnectedFleet, what: ScheduleAction, request: CliContext): Promise<Result<CommandOutput>> {
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
      return prepareAndAddSchedule(fleet, what, request);
    default:
      return assertNever(what);
  }
}

async function prepareAndAddSchedule(
  fleet: ConnectedFleet,
  { cron, zone, tree, submits }: Extract<ScheduleAction, { kind: "add" }>,
  request: CliContext,
): Promise<Result<CommandOutput>> {
  const where = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  // Before anybody is asked to trust anything.
  const first = firstScheduledTime(cron, where, Date.now());
  if (!first.ok) return first;
  const workspace = withFleet(request.workspace, fleet);
  const asker = await commandCallerFor({ ...request, options: submits.options, workspace });
  const prepared = await prepareCommand(submits.command, asker);
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
    line(`   ${oneLine(sanitizeForTerminal(command), 400)}`),
    line(
      toned(
        "dim",
        `   ${follows === null ? "on the files of when it was added" : `on ${sanitizeForTerminal(follows.replace(/^refs\/heads\//, ""))} as it is then`}${lastCast === null ? "" : `; last ${lastCast}`}`,
      ),
    ),
    ...(problem === null ? [] : [line(toned("rework", `   Not submitted the last time: ${sanitizeForTerminal(problem)}`))]),
  ]);
}

function timeText(at: string, zone: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "never";
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).format(time);
}
