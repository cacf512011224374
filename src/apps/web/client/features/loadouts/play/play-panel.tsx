import type { ReactElement } from "react";
import type { CastEvent } from "../../../../../../core/cast/state/event.ts";
import { statusText } from "../../../../../../core/view/casts.ts";
import type { VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import { hrefOf } from "../../../browser/route.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { IssueList } from "../../../parts/marks/issues.tsx";
import { MateriaIcon } from "../../../parts/marks/orb.tsx";
import { capitalize } from "../../../parts/marks/status.tsx";
import type { RehearsalPlayback } from "./use-play.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import marksSheet from "../../../parts/marks/marks.module.css";
import controlsSheet from "../../../parts/controls/controls.module.css";
import workbenchSheet from "../../../parts/controls/workbench.module.css";
import playSheet from "./play.module.css";

const playPanelCss = bindClassNames(playSheet, workbenchSheet, controlsSheet, marksSheet, baseSheet);

/** Where the rehearsal stands, and what was handed on there. */
export function RehearsalPanel({ play, onClose }: { readonly play: RehearsalPlayback; readonly onClose: () => void }): ReactElement {
  const { visits, step, isPlaying, goToStep: go, togglePlaying: turn, castId, issues } = play;
  const visit = visits[step];
  const atEnd = step >= visits.length - 1;
  return (
    <section className={playPanelCss("section")} aria-label="Rehearsal">
      <div className={playPanelCss("row wrap")}>
        <h2 className={playPanelCss("thing grow")}>Rehearsal</h2>
        <Button onClick={onClose}>Back to editing</Button>
      </div>
      <div className={playPanelCss("row wrap")} role="group" aria-label="Steps">
        <Button off={step === 0 ? "This is the first step" : null} onClick={() => go(step - 1)}>
          Back <kbd>[</kbd>
        </Button>
        <Button look="primary" icon={isPlaying ? "waiting" : "play"} onClick={turn}>
          {isPlaying ? "Pause" : "Play"} <kbd>P</kbd>
        </Button>
        <Button off={atEnd ? "This is the last step" : null} onClick={() => go(step + 1)}>
          Next <kbd>]</kbd>
        </Button>
        <span role="status">{visits.length === 0 ? "Begins…" : `Step ${step + 1} of ${visits.length}`}</span>
      </div>
      <IssueList issues={issues} />
      {visit && <RehearsalStep play={play} visit={visit} />}
      {atEnd && <RehearsalEnding play={play} />}
      <p>
        <a href={hrefOf("casts", castId)}>Open it as a cast</a>
      </p>
    </section>
  );
}

function RehearsalStep({ play, visit }: { readonly play: RehearsalPlayback; readonly visit: VisitRecord }): ReactElement {
  const events = play.replay?.events().slice(visit.firstSeq - 1, visit.lastSeq) ?? [];
  const { socket, materia, visit: number, item, outcome } = visit;
  const left = events.find((event) => event.type === "edge_taken");
  return (
    <>
      <div className={playPanelCss("row wrap")}>
        <MateriaIcon materia={play.castFile?.graph.materia[materia]} size="sm" />
        <b>{materia}</b>
        <span className={playPanelCss("faint")}>{`${socket} · visit ${number}`}</span>
        <span className={playPanelCss("badge")}>{capitalize(outcome.replace("_", " "))}</span>
      </div>
      {item && <p className={playPanelCss("secondary")}>{`Item ${item.index + 1} of ${item.of}: ${item.title}`}</p>}
      <h3 className={playPanelCss("secondary")}>Handed on</h3>
      {renderHandoff(events)}
      {left?.type === "edge_taken" && (
        <p className={playPanelCss("secondary")}>
          Then to <b>{left.to === "end" ? "the end" : left.to}</b>.
        </p>
      )}
    </>
  );
}

function renderHandoff(events: readonly CastEvent[]): ReactElement {
  for (const event of events.toReversed()) {
    if (event.type === "handoff_accepted")
      return <pre className={playPanelCss("handed")}>{JSON.stringify(event.handoff, null, 2)}</pre>;
    if (event.type === "output_accepted") return <pre className={playPanelCss("handed")}>{event.text}</pre>;
    if (event.type === "turn_failed") return <p className={playPanelCss("note bad")}>{event.message}</p>;
  }
  return <p className={playPanelCss("faint")}>Nothing yet.</p>;
}

function RehearsalEnding({ play }: { readonly play: RehearsalPlayback }): ReactElement | null {
  const last = play.replay?.events().at(-1);
  if (last?.type === "cast_ended")
    return <p className={playPanelCss("note")} role="status">{`It ended: ${statusText(last.outcome)}.`}</p>;
  if (last?.type === "cast_waiting")
    return (
      <p className={playPanelCss("note")} role="status">
        It waits for a person. <a href={hrefOf("casts", play.castId)}>Answer it in the cast</a>.
      </p>
    );
  return null;
}
