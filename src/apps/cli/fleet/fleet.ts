import type { FleetCommand } from "../../../core/command/command.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import { never } from "../../../core/model/values/never.ts";
import { heardText, waitText, wayOut, workerCommand, type FleetStanding } from "../../../core/view/now/fleet.ts";
import { countedText } from "../../../core/view/numbers.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import type { Answer } from "../../../shell/commands/answer/answer.ts";
import { LOCAL, localFolder, startLocal, startWorkers, stopLocal } from "../../../shell/fleet/embedded/local.ts";
import { openFleet, type OpenFleet } from "../../../shell/fleet/open/fleet.ts";
import { migrate } from "../../../shell/fleet/migrate.ts";
import { findProfile } from "../../../shell/fleet/open/profile.ts";
import { fleetStanding } from "../../../shell/fleet/operations/workers.ts";
import { printAnswer } from "../terminal/lines.ts";
import type { Request } from "../terminal/request.ts";
import { limits } from "./limits.ts";
import { schedule } from "./schedule.ts";

const WORKERS = 2;

/** A fleet as a whole. */
export async function fleet(command: FleetCommand, request: Request): Promise<Result<number>> {
  const done = await carryOut(command, request);
  return done.ok ? ok(printAnswer(request.io, request.options, done.value)) : done;
}

async function carryOut(command: FleetCommand, request: Request): Promise<Result<Answer>> {
  const { options, workspace } = request;
  const { env } = workspace.place;
  switch (command.action) {
    case "up":
      return up(env, command.workers ?? WORKERS);
    case "down": {
      const stopped = await stopLocal(env);
      const text = stopped.database
        ? `${countedText(stopped.workers, "worker")} and the database are stopped. What they kept stays in ${localFolder(env)}.`
        : "No fleet runs on this machine.";
      return said(stopped, line(text));
    }
    case "migrate": {
      const profile = findProfile(workspace.catalog, options.on ?? "", workspace.place);
      if (!profile.ok) return profile;
      const done = await migrate(profile.value);
      return done.ok
        ? said({ fleet: profile.value.name, migrated: true }, line("The tables are as this version needs them."))
        : done;
    }
    case "workers":
      return withFleet(request, workers);
    case "limits":
      return withFleet(request, (opened) => limits(opened, command.change));
    case "schedule":
      return withFleet(request, (opened) => schedule(opened, command.what, request));
    default:
      return never(command);
  }
}

/** Closed afterwards: a connection that stays open would keep the process. */
async function withFleet(
  { options, workspace }: Request,
  work: (fleet: OpenFleet) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  const profile = findProfile(workspace.catalog, options.on ?? "", workspace.place);
  if (!profile.ok) return profile;
  const opened = await openFleet(profile.value);
  if (!opened.ok) return opened;
  try {
    return await work(opened.value);
  } finally {
    await opened.value.store.close();
  }
}

async function workers(fleet: OpenFleet): Promise<Result<Answer>> {
  const standing = await fleetStanding(fleet);
  if (!standing.ok) return standing;
  return ok({ code: 0, data: standing.value, lines: () => standingLines(standing.value, fleet.profile.name) });
}

/** [B13] */
async function up(env: Request["workspace"]["place"]["env"], workers: number): Promise<Result<Answer>> {
  const url = await startLocal(env);
  if (!url.ok) return url;
  const migrated = await migrate({ url: url.value });
  if (!migrated.ok) return migrated;
  const started = startWorkers(env, workers, [process.execPath, ...process.execArgv, process.argv[1] ?? ""]);
  return said(
    { fleet: LOCAL, workers: started },
    line(`A database and ${countedText(workers, "worker")} run on this machine.`),
    line(toned("accent", `materia cast --on ${LOCAL} <prompt>`), toned("dim", "  submit this working tree")),
    line(toned("accent", `materia fleet workers --on ${LOCAL}`), toned("dim", "  who works on what")),
    line(toned("accent", "materia fleet down"), toned("dim", "  stop them")),
  );
}

function said(data: unknown, ...lines: readonly Line[]): Result<Answer> {
  return ok({ code: 0, data, lines: () => lines });
}

const STATES = { up: "up", draining: "leaving", gone: "gone" } as const;

function standingLines({ workers, queued, queue }: FleetStanding, fleet: string): readonly Line[] {
  const isUp = workers.some(({ state }) => state !== "gone");
  return [
    ...workers.map(({ worker, state, casts, concurrency, silentMs, queues }) =>
      line(
        toned("strong", worker),
        `  ${STATES[state]}, ${heardText(state, silentMs)}`,
        state === "gone" ? "" : `, ${casts.length} of ${concurrency} busy, queues ${queues.join(", ")}`,
        toned("dim", casts.length === 0 ? "" : `  ${casts.join(", ")}`),
      ),
    ),
    ...(isUp ? [] : [line("No worker is up: ", toned("accent", workerCommand(fleet)))]),
    line(toned("dim", `${countedText(queued, "cast")} waiting for a worker.`)),
    ...queue.slice(0, SHOWN).map(({ castId, place, why, queue: name }) => {
      const command = wayOut(why, { fleet, queue: name });
      return line(
        `  ${place}. `,
        toned("strong", castId),
        toned("dim", `  ${waitText(why, name)}`),
        ...(command === undefined ? [] : [": ", toned("accent", command)]),
      );
    }),
  ];
}

/** As many of those that wait as a terminal has room for; `--json` has more. */
const SHOWN = 20;
