import type { FleetCommand, FleetLimitChange, ScheduleAction } from "../../core/command/read-fleet-commands.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import {
  lastHeartbeatText,
  leavesText,
  waitReasonText,
  waitRemedy,
  workerCommand,
  type FleetStatus,
} from "../../core/view/progress/fleet-status.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import { answer, type CommandResult } from "../../shell/commands/command-output.ts";
import {
  LOCAL_FLEET,
  localFleetFolder,
  startLocalDatabase,
  startLocalWorkers,
  stopLocalFleet,
} from "../../shell/fleet/local-fleet.ts";
import { openFleet, type ConnectedFleet, resolveFleetProfile } from "../../shell/fleet/open-fleet.ts";
import { migrateFleet } from "../../shell/fleet/worker/migrate-fleet.ts";
import { printAnswer, type CliContext } from "./terminal/io.ts";
import { sanitizeForTerminal, oneLine, countedText } from "../../core/model/text.ts";
import {
  changeLimit,
  fleetLimitText,
  readFleetStatus,
  readLimits,
  type LimitUsage,
} from "../../shell/fleet/fleet-status.ts";
import { prepareCommand } from "../../shell/commands/prepare.ts";
import { withFleet } from "../../shell/fleet/fleet-workspace.ts";
import {
  addSchedule,
  firstScheduledTime,
  listSchedules,
  removeSchedule,
  type Schedule,
} from "../../shell/fleet/schedules.ts";
import { commandCallerFor } from "./terminal/prompts.ts";

const DEFAULT_WORKERS = 2;

export async function runFleetCommand(command: FleetCommand, request: CliContext): Promise<Result<number>> {
  const done = await answerFleetCommand(command, request);
  return done.ok ? ok(printAnswer(request.io, request.options, done.value)) : done;
}

async function answerFleetCommand(command: FleetCommand, request: CliContext): CommandResult {
  const { options, workspace } = request;
  const { env } = workspace.place;
  switch (command.action) {
    case "up":
      return startLocalFleet(env, command.workers ?? DEFAULT_WORKERS);
    case "down": {
      const stopped = await stopLocalFleet(env);
      const text = stopped.database
        ? `${countedText(stopped.workers, "worker")} and the database are stopped. Their data stays in ${localFleetFolder(env)}.`
        : "No fleet runs on this machine.";
      return answer(stopped, () => [line(text)]);
    }
    case "migrate": {
      const profile = resolveFleetProfile(workspace.catalog, options.on ?? "", workspace.place);
      if (!profile.ok) return profile;
      const done = await migrateFleet(profile.value);
      const data = { fleet: profile.value.name, migrated: true };
      return done.ok ? answer(data, () => [line("The tables have the format of this version.")]) : done;
    }
    case "workers":
      return withOpenFleet(request, answerWorkers);
    case "limits":
      return withOpenFleet(request, (opened) => answerLimits(opened, command.change));
    case "schedule":
      return withOpenFleet(request, (opened) => answerSchedule(opened, command.what, request));
  }
}

/** Close it: an open connection would keep the process alive. */
async function withOpenFleet(
  { options, workspace }: CliContext,
  work: (fleet: ConnectedFleet) => CommandResult,
): CommandResult {
  const profile = resolveFleetProfile(workspace.catalog, options.on ?? "", workspace.place);
  if (!profile.ok) return profile;
  const opened = await openFleet(profile.value);
  if (!opened.ok) return opened;
  try {
    return await work(opened.value);
  } finally {
    await opened.value.store.close();
  }
}

async function answerWorkers(fleet: ConnectedFleet): CommandResult {
  const standing = await readFleetStatus(fleet);
  if (!standing.ok) return standing;
  return answer(standing.value, () => fleetStatusLines(standing.value, fleet.profile.name));
}

/** [B13] */
async function startLocalFleet(env: CliContext["workspace"]["place"]["env"], workers: number): CommandResult {
  const url = await startLocalDatabase(env);
  if (!url.ok) return url;
  const migrated = await migrateFleet({ url: url.value });
  if (!migrated.ok) return migrated;
  const started = startLocalWorkers(env, workers, [process.execPath, ...process.execArgv, process.argv[1] ?? ""]);
  return answer({ fleet: LOCAL_FLEET, workers: started }, () => [
    line(`A database and ${countedText(workers, "worker")} run on this machine.`),
    line(toned("accent", `materia cast --on ${LOCAL_FLEET} <prompt>`), toned("dim", "  submit this working tree")),
    line(toned("accent", `materia fleet workers --on ${LOCAL_FLEET}`), toned("dim", "  who works on what")),
    line(toned("accent", "materia fleet down"), toned("dim", "  stop them")),
  ]);
}

const WORKER_STATE_TEXTS = { up: "running", draining: "draining", gone: "gone" } as const;

function fleetStatusLines({ workers, queued, queue }: FleetStatus, fleet: string): readonly Line[] {
  const isUp = workers.some(({ state }) => state !== "gone");
  return [
    ...workers.flatMap(({ worker, state, casts, concurrency, silentMs, queues, leaves }) => [
      line(
        toned("strong", worker),
        `  ${WORKER_STATE_TEXTS[state]}, ${lastHeartbeatText(state, silentMs)}`,
        state === "gone" ? "" : `, ${casts.length} of ${concurrency} busy, queues ${queues.join(", ")}`,
        toned("dim", casts.length === 0 ? "" : `  ${casts.join(", ")}`),
      ),
      ...[leavesText({ state, leaves })].flatMap((text) =>
        text === undefined ? [] : [line(toned("wait", `  ${text}`))],
      ),
    ]),
    ...(isUp ? [] : [line("No worker is up: ", toned("accent", workerCommand(fleet)))]),
    line(toned("dim", `${countedText(queued, "cast")} waiting for a worker.`)),
    ...queue.slice(0, MAX_QUEUE_SHOWN).map(({ castId, place, why, queue: name }) => {
      const command = waitRemedy(why, { fleet, queue: name });
      return line(
        `  ${place}. `,
        toned("strong", castId),
        toned("dim", `  ${waitReasonText(why, name)}`),
        ...(command === undefined ? [] : [": ", toned("accent", command)]),
      );
    }),
  ];
}

/** As many waiting casts as fit a terminal; `--json` has more. */
const MAX_QUEUE_SHOWN = 20;

/** [B22] Shows or changes the limits of casts at once. */
async function answerLimits(fleet: ConnectedFleet, change: FleetLimitChange | undefined): CommandResult {
  const changed = change ? await changeLimit(fleet, change) : ok(true);
  if (!changed.ok) return changed;
  const standing = await readLimits(fleet);
  if (!standing.ok) return standing;
  const none =
    change && !changed.value ? [line(`There was no limit for ${sanitizeForTerminal(fleetLimitText(change))}.`)] : [];
  return answer(standing.value, () => [...none, ...limitLines(standing.value)]);
}

function limitLines(limits: readonly LimitUsage[]): readonly Line[] {
  const ofMembers = limits.filter(({ kind }) => kind === "waiting" || kind === "bytes");
  const none = limits.length === ofMembers.length ? [line("No limit is set on casts at once.")] : [];
  const lines = limits.map((limit) => {
    if (ofMembers.includes(limit)) return line(toned("strong", fleetLimitText(limit)), `  at most ${limit.most}`);
    const isFull = limit.busy >= limit.most;
    const text = `  ${limit.busy} of at most ${limit.most} at once`;
    return line(toned("strong", sanitizeForTerminal(fleetLimitText(limit))), isFull ? toned("wait", text) : text);
  });
  return [...none, ...lines];
}

/** [B23] Shows or changes the schedules of a fleet. */
async function answerSchedule(fleet: ConnectedFleet, what: ScheduleAction, request: CliContext): CommandResult {
  switch (what.kind) {
    case "list": {
      const listed = await listSchedules(fleet);
      return listed.ok ? answer(listed.value, () => scheduleLines(listed.value)) : listed;
    }
    case "remove": {
      const removed = await removeSchedule(fleet, what.id);
      const text = `Schedule ${what.id} is removed; casts it submitted stay.`;
      return removed.ok ? answer({ removed: what.id }, () => [line(text)]) : removed;
    }
    case "add":
      return prepareAndAddSchedule(fleet, what, request);
  }
}

async function prepareAndAddSchedule(
  fleet: ConnectedFleet,
  {
    cron,
    zone = Intl.DateTimeFormat().resolvedOptions().timeZone,
    tree,
    submits,
  }: Extract<ScheduleAction, { kind: "add" }>,
  request: CliContext,
): CommandResult {
  // Check before asking for trust.
  const first = firstScheduledTime(cron, zone, Date.now());
  if (!first.ok) return first;
  const workspace = withFleet(request.workspace, fleet);
  const asker = await commandCallerFor({ ...request, options: submits.options, workspace });
  const prepared = await prepareCommand(submits.command, asker);
  if (!prepared.ok) return prepared;
  const plan = prepared.value;
  const { env } = workspace.place;
  const { priority = 0 } = submits.options;
  const artifacts = request.workspace.root;
  const added = await addSchedule(fleet, { plan, cron, zone, tree, priority, env, artifacts });
  if (!added.ok) return added;
  asker.remember();
  return answer(added.value, () => scheduleLines([added.value]));
}

function scheduleLines(schedules: readonly Schedule[]): readonly Line[] {
  if (schedules.length === 0) return [line("There is no schedule.")];
  return schedules.flatMap(({ id, cron, zone, follows, command, lastCast, problem, nextAt }) => {
    const branch = sanitizeForTerminal(follows?.replace(/^refs\/heads\//, "") ?? "");
    const files = follows === null ? "on the files of when it was added" : `on ${branch} as it is then`;
    return [
      line(toned("strong", `${id}  ${cron}`), toned("dim", `  ${zone}, next `), timeText(nextAt, zone)),
      line(`   ${oneLine(sanitizeForTerminal(command), 400)}`),
      line(toned("dim", `   ${files}${lastCast === null ? "" : `; last ${lastCast}`}`)),
      ...(problem === null
        ? []
        : [line(toned("rework", `   Last submission failed: ${sanitizeForTerminal(problem)}`))]),
    ];
  });
}

function timeText(at: string, zone: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "never";
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).format(time);
}
