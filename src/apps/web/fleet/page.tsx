import type { ReactElement } from "react";
import {
  lastHeartbeatText,
  leavesText,
  needsPerson,
  waitReasonText,
  waitRemedy,
  workerCommand,
  type FleetStatus,
  type QueuedCast,
  type WorkerStatus,
} from "../../../core/view/progress/fleet-status.ts";
import { durationText } from "../../../core/view/numbers.ts";
import { hrefOf } from "../browser/route.ts";
import { useCasts, useFleetStatus } from "../data/use-casts-and-fleet.ts";
import { useCatalog } from "../data/use-catalog.ts";
import { IssueList } from "../ui/issues.tsx";
import { bindSheets } from "../ui/classes.ts";
import fleetSheet from "./fleet.module.css";
import { countedText } from "../../../core/model/text.ts";

const css = bindSheets(fleetSheet);

/** [B29] Workers and queue of the fleet: `#/fleet`. */
export default function FleetPage(): ReactElement {
  const { catalog, fleet } = useCatalog();
  const { status: standing, issues } = useFleetStatus(fleet !== null);
  return (
    <section className={css("view")} aria-label="Fleet">
      <div className={css("page-head")}>
        <h1>{fleet === null ? "Fleet" : `Fleet ${fleet}`}</h1>
        <span className={css("secondary")} role="status">
          {standing && fleetSummaryText(standing)}
        </span>
      </div>
      <IssueList issues={issues} />
      {catalog && fleet === null && (
        <p className={css("empty")}>
          This page shows the casts of this machine. <code>materia ui --on FLEET</code> shows those of a fleet.
        </p>
      )}
      {standing && (
        <div className={css("fleet")}>
          <WorkerList workers={standing.workers} />
          <QueueList standing={standing} />
        </div>
      )}
    </section>
  );
}

function fleetSummaryText({ workers, queued }: FleetStatus): string {
  const up = workers.filter(({ state }) => state !== "gone");
  const seats = up.reduce((sum, { concurrency }) => sum + concurrency, 0);
  const busy = up.reduce((sum, { casts }) => sum + casts.length, 0);
  return `${countedText(up.length, "worker")} up, ${busy} of ${countedText(seats, "place")} taken, ${countedText(queued, "cast")} waiting`;
}

function WorkerList({ workers }: { readonly workers: readonly WorkerStatus[] }): ReactElement {
  const fleet = useCatalog().fleet ?? "…";
  return (
    <section className={css("panel")} aria-label="Workers">
      <h2>Workers</h2>
      {workers.length === 0 ? (
        <p className={css("nobody secondary")}>
          No worker runs. Start one on any machine: <code>{workerCommand(fleet)}</code>.
        </p>
      ) : (
        <ul className={css("rows")}>
          {workers.map((worker) => (
            <WorkerItem key={worker.worker} {...worker} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** One cell per slot; the text beside them has the same facts. */
const MAX_SLOTS_DRAWN = 16;
const STATE_LABELS = { up: "Up", draining: "Leaving", gone: "Gone" } as const;

function WorkerItem(status: WorkerStatus): ReactElement {
  const { worker, state, silentMs, casts, concurrency, queues, version } = status;
  const leaving = leavesText(status);
  return (
    <li className={css(state === "gone" ? "worker gone-worker" : "worker")}>
      <span className={css("worker-head")}>
        <b className={css(`state ${state}`)}>{STATE_LABELS[state]}</b>
        <code className={css("cut")} title={`${worker}, version ${version}`}>
          {worker}
        </code>
        <span className={css("grow")} />
        <span className={css("faint last-sign")}>{lastHeartbeatText(state, silentMs)}</span>
      </span>
      {state !== "gone" && (
        <span className={css("worker-load")}>
          {concurrency <= MAX_SLOTS_DRAWN && (
            <span className={css("seats")} aria-hidden="true">
              {Array.from({ length: concurrency }, (_, index) => (
                <i key={index} className={css(index < casts.length ? "seat taken" : "seat")} />
              ))}
            </span>
          )}
          <span className={css("secondary")}>{`${casts.length} of ${concurrency} busy`}</span>
          <span className={css("faint cut")}>{queues.map((queue) => `queue ${queue}`).join(", ")}</span>
        </span>
      )}
      {leaving !== undefined && <span className={css("secondary")}>{leaving}</span>}
      {casts.map((castId) => (
        <WorkerCast key={castId} castId={castId} />
      ))}
    </li>
  );
}

function WorkerCast({ castId }: { readonly castId: string }): ReactElement {
  const { casts } = useCasts();
  const request = casts.find((cast) => cast.castId === castId)?.request;
  return (
    <a className={css("driven cut")} href={hrefOf("casts", castId)}>
      {request ?? <code>{castId}</code>}
    </a>
  );
}

function QueueList({ standing: { queue, queued } }: { readonly standing: FleetStatus }): ReactElement {
  return (
    <section className={css("panel")} aria-label="Waiting for a worker">
      <h2>Waiting for a worker</h2>
      {queue.length === 0 ? (
        <p className={css("nobody secondary")}>No cast waits.</p>
      ) : (
        <ol className={css("rows")}>
          {queue.map((cast) => (
            <QueuedCastItem key={cast.castId} {...cast} />
          ))}
        </ol>
      )}
      {queued > queue.length && <p className={css("nobody faint")}>{`and ${queued - queue.length} more`}</p>}
    </section>
  );
}

function QueuedCastItem(cast: QueuedCast): ReactElement {
  const { castId, request, place, why, queue, project, person, waitsMs } = cast;
  const command = waitRemedy(why, { fleet: useCatalog().fleet ?? "…", queue });
  return (
    <li className={css("queued")}>
      <span className={css("place-number")} title={`Place ${place} of project ${project} in the queue ${queue}`}>
        {place}
      </span>
      <span className={css("queued-words")}>
        <a className={css("cut")} href={hrefOf("casts", castId)}>
          {request}
        </a>
        <span className={css(needsPerson(why) ? "tone-rework" : "secondary")}>
          {waitReasonText(why, queue)}
          {command !== undefined && (
            <>
              : <code>{command}</code>
            </>
          )}
        </span>
        <span className={css("faint cut")}>
          {`${project} · ${person} · queue ${queue} · waits for ${durationText(waitsMs)}`}
        </span>
      </span>
    </li>
  );
}
