import { useState } from "react";
import type { ReactElement } from "react";
import type { EventOf } from "../../../../../../core/cast/state/event.ts";
import type { Reason } from "../../../../../../core/cast/state/fork.ts";
import { socketOf } from "../../../../../../core/compile/graph.ts";
import type { Graph } from "../../../../../../core/compile/graph.ts";
import { END } from "../../../../../../core/model/ids.ts";
import { conditionText, visitText } from "../../../../../../core/view/graph/words.ts";
import { costText } from "../../../../../../core/view/numbers.ts";
import { ofText } from "../../../../../../core/cast/words/of-text.ts";
import { Orb } from "../../../parts/marks/orb.tsx";
import { limitText } from "../../../../../../core/view/tell/limit.ts";
import { capital } from "../../../parts/marks/status.tsx";
import { glyphs } from "../../../parts/marks/words.tsx";
import type { VisitProps } from "./reader.tsx";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import marksSheet from "../../../parts/marks/marks.module.css";
import readerSheet from "./reader.module.css";

const css = classesOf(readerSheet, marksSheet, baseSheet);

/** How the cast got here, where it goes next and why, and what it took. */
export function Facts(props: VisitProps): ReactElement {
  const { cast, visit } = props;
  const { graph, model } = cast.castFile;
  const materia = graph.materia[visit.materia];
  const { usage } = visit;
  return (
    <aside className={css("side")} aria-label="About this visit" tabIndex={0}>
      <div className={css("came")}>
        <h3>How it got here</h3>
        <CameBy {...props} />
      </div>
      <div className={css("came")}>
        <h3>{visit.leftBy === null ? "Where it goes next" : "Where it went"}</h3>
        {visit.leftBy === null ? <WaysOn {...props} /> : <LeftBy {...props} />}
      </div>
      <dl className={css("facts-list option-facts")}>
        {materia?.type === "agent" && (
          <>
            <dt>Model</dt>
            <dd className={css("cut")}>{materia.model ?? model ?? "as Pi is set"}</dd>
            {materia.thinking !== undefined && (
              <>
                <dt>Thinking</dt>
                <dd>{materia.thinking}</dd>
              </>
            )}
            <dt>Tools</dt>
            <dd className={css("cut")}>
              {typeof materia.tools === "string" ? materia.tools : materia.tools.tools.join(", ")}
            </dd>
            <dt>Tokens in</dt>
            <dd>{usage.input.toLocaleString("en")}</dd>
            <dt>Tokens out</dt>
            <dd>{usage.output.toLocaleString("en")}</dd>
            <dt>Cost</dt>
            <dd>{costText(usage.cost)}</dd>
            {visit.repairs > 0 && (
              <>
                <dt>Repair turns</dt>
                <dd>{visit.repairs}</dd>
              </>
            )}
          </>
        )}
        <dt>Started</dt>
        <dd>{new Date(visit.startedAt).toLocaleTimeString("en-GB")}</dd>
      </dl>
    </aside>
  );
}

function CameBy({ cast, visit }: VisitProps): ReactElement {
  const [all, setAll] = useState(false);
  const { graph } = cast.castFile;
  const event = visit.cameBy === null ? undefined : cast.replay.events()[visit.cameBy - 1];
  if (event?.type !== "edge_taken") return <p className={css("secondary")}>The cast begins here.</p>;
  const [reason, ...earlier] = visit.reasons;
  return (
    <>
      <Step graph={graph} to={event.from} event={event} />
      {reason !== undefined && <div className={css("note rework")}>{reasonWords(reason)}</div>}
      {earlier.length > 0 &&
        (all ? (
          earlier.map((each, index) => (
            // The same may be said twice.
            <div key={index} className={css("note")}>
              {reasonWords(each)}
            </div>
          ))
        ) : (
          <button type="button" className={css("text-button")} onClick={() => setAll(true)}>
            {earlier.length === 1 ? "1 earlier reason" : `${earlier.length} earlier reasons`}
          </button>
        ))}
    </>
  );
}

function reasonWords({ socket, materia, text }: Reason): string {
  return `${visitText(socket, materia)}: ${text}`;
}

function LeftBy({ cast, visit }: VisitProps): ReactElement | null {
  const event = visit.leftBy === null ? undefined : cast.replay.events()[visit.leftBy - 1];
  if (event?.type === "limit_reached") return <div className={css("note bad")}>{capital(limitText(event))}</div>;
  if (event?.type !== "edge_taken") return null;
  return <Step graph={cast.castFile.graph} to={event.to} event={event} />;
}

/** A socket and the edge that joins it: condition, traversal of limit. */
function Step(props: {
  readonly graph: Graph;
  readonly to: string;
  readonly event: EventOf<"edge_taken">;
}): ReactElement {
  const { graph, to, event } = props;
  const socket = socketOf(graph, event.from);
  const limit = event.via === "edge" && !event.then ? socket.edges[event.index ?? -1]?.maxTraversals : undefined;
  return (
    <div className={css("row wrap step")}>
      <Place graph={graph} to={to} />
      <span
        className={css(
          event.when === "not_satisfied" ? "tone-rework" : event.when === "satisfied" ? "tone-good" : "faint",
        )}
      >
        {event.via === "exit" ? "exit · " : event.then ? "used up · " : ""}
        {event.when === null
          ? socket.edges.length === 0
            ? "it has no edges"
            : "no edge matched"
          : glyphs(conditionText(event.when))}
      </span>
      {limit !== undefined && <span className={css("faint")}>{ofText(event.traversal, limit)}</span>}
    </div>
  );
}

function Place({ graph, to }: { readonly graph: Graph; readonly to: string }): ReactElement {
  const socket = graph.sockets[to];
  if (!socket) return <span>{to}</span>;
  return (
    <>
      <Orb materia={graph.materia[socket.materia]} size="sm" />
      <span>{`${socket.id} ${socket.materia}`}</span>
    </>
  );
}

/** The ways on from a visit that is not over, in the order in which they are tried. */
export function WaysOn({ cast, visit }: VisitProps): ReactElement {
  const { graph } = cast.castFile;
  const socket = socketOf(graph, visit.socket);
  if (socket.edges.length === 0) return <p className={css("secondary")}>{END}</p>;
  return (
    <ul>
      {socket.edges.map(({ when, to, maxTraversals, then }, index) => (
        // The same edge may be written twice.
        <li key={`${when} ${to} ${index}`} className={css("row wrap step")}>
          <Place graph={graph} to={to} />
          <span
            className={css(when === "not_satisfied" ? "tone-rework" : when === "satisfied" ? "tone-good" : "faint")}
          >
            {glyphs(conditionText(when))}
          </span>
          {maxTraversals !== undefined && (
            <span
              className={css("faint")}
            >{`up to ${maxTraversals}${then === undefined ? "" : `, then ${then}`}`}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
