import type { FleetCommand } from "../../../core/command/command.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import { assertNever } from "../../../core/model/values/never.ts";
import { lastHeartbeatText, waitReasonText, waitRemedy, workerCommand, type FleetStatus } from "../../../core/view/now/fleet.ts";
import { countedText } from "../../../core/view/numbers.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import type { CommandOutput } from "../../../shell/commands/answer/answer.ts";
import { LOCAL_FLEET, localFleetFolder, startLocalDatabase, startLocalWorkers, stopLocalFleet } from "../../../shell/fleet/embedded/local.ts";
import { openFleet, type ConnectedFleet } from "../../../shell/fleet/open/fleet.ts";
import { migrateFleet } from "../../../shell/fleet/migrate.ts";
import { resolveFleetProfile } from "../../../shell/fleet/open/profile.ts";
import { readFleetStatus } from "../../../shell/fleet/operations/workers.ts";
import { printAnswer } from "../terminal/lines.ts";
import type { CliContext } from "../terminal/request.ts";
import { answerLimits } from "./limits.ts";
import { answerSchedule } from "./schedule.ts";

const DEFAULT_WORKERS = 2;

/** A fleet as a whole. */
export async function runFleetCommand(command: FleetCommand, request: CliContext): Promise<Result<number>> {
  const done = await answerFleetCommand(command, request);
  return done.ok ? ok(printAnswer(request.io, request.options, done.value)) : done;
}

async function answerFleetCommand(command: FleetCommand, request: CliContext): Promise<Result<CommandOutput>> {
  const { options, workspace } = request;
  const { env } = workspace.place;
  switch (command.action) {
    case "up":
      return startLocalFleet(env, command.workers ?? DEFAULT_WORKERS);
    case "down": {
      const stopped = await stopLocalFleet(env);
      const text = stopped.database
        ? `${countedText(stopped.workers, "worker")} and the database are stopped. What they kept stays in ${localFleetFolder(env)}.`
        : "No fleet runs on this machine.";
      return plainAnswer(stopped, line(text));
    }
    case "migrate": {
      const profile = resolveFleetProfile(workspace.catalog, options.on ?? "", workspace.place);
      if (!profile.ok) return profile;
      const done = await migrateFleet(profile.value);
      return done.ok
        ? plainAnswer({ fleet: profile.value.name, migrated: true }, line("The tables are as this version needs them."))
        : done;
    }
    case "workers":
      return withOpenFleet(request, answerWorkers);
    case "limits":
      return withOpenFleet(request, (opened) => answerLimits(opened, command.change));
    case "schedule":
      return withOpenFleet(request, (opened) => answerSchedule(opened, command.what, request));
    default:
      return assertNever(command);
  }
}

/** Closed afterwards: a connection that stays open would keep the process. */
async function withOpenFleet(
  { options, workspace }: CliContext,
  work: (fleet: ConnectedFleet) => Promise<Result<CommandOutput>>,
): Promise<Result<CommandOutput>> {
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

async function answerWorkers(fleet: ConnectedFleet): Promise<Result<CommandOutput>> {
  const standing = await readFleetStatus(fleet);
  if (!standing.ok) return standing;
  return ok({ code: 0, data: standing.value, lines: () => fleetStatusLines(standing.value, fleet.profile.name) });
}

/** [B13] */
async function startLocalFleet(env: CliContext["workspace"]["place"]["env"], workers: number): Promise<Result<CommandOutput>> {
  const url = await startLocalDatabase(env);
  if (!url.ok) return url;
  const migrated = await migrateFleet({ url: url.value });
  if (!migrated.ok) return migrated;
  const started = startLocalWorkers(env, workers, [process.execPath, ...process.execArgv, process.argv[1] ?? ""]);
  return plainAnswer(
    { fleet: LOCAL_FLEET, workers: started },
    line(`A database and ${countedText(workers, "worker")} run on this machine.`),
    line(toned("accent", `materia cast --on ${LOCAL_FLEET} <prompt>`), toned("dim", "  submit this working tree")),
    line(toned("accent", `materia fleet workers --on ${LOCAL_FLEET}`), toned("dim", "  who works on what")),
    line(toned("accent", "materia fleet down"), toned("dim", "  stop them")),
  );
}

function plainAnswer(data: unknown, ...lines: readonly Line[]): Result<CommandOutput> {
  return ok({ code: 0, data, lines: () => lines });
}

const WORKER_STATE_TEXTS = { up: "up", draining: "leaving", gone: "gone" } as const;

function fleetStatusLines({ workers, queued, queue }: FleetStatus, fleet: string): readonly Line[] {
  const isUp = workers.some(({ state }) => state !== "gone");
  return [
    ...workers.map(({ worker, state, casts, concurrency, silentMs, queues }) =>
      line(
        toned("strong", worker),
        `  ${WORKER_STATE_TEXTS[state]}, ${lastHeartbeatText(state, silentMs)}`,
        state === "gone" ? "" : `, ${casts.length} of ${concurrency} busy, queues ${queues.join(", ")}`,
        toned("dim", casts.length === 0 ? "" : `  ${casts.join(", ")}`),
      ),
    ),
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

/** As many of those that wait as a terminal has room for; `--json` has more. */
const MAX_QUEUE_SHOWN = 20;
