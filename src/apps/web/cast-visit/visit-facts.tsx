import { Fragment, type ReactElement, type ReactNode } from "react";
import type { EventOf } from "../../../core/cast/state/event.ts";
import { addUsage } from "../../../core/cast/state/usage.ts";
import { socketOf, type Graph } from "../../../core/compile/graph.ts";
import { equipmentNames } from "../../../core/compile/sandboxes.ts";
import { END } from "../../../core/model/ids.ts";
import { conditionText, visitLabel } from "../../../core/view/graph/labels.ts";
import { costText, groupedText } from "../../../core/view/numbers.ts";
import { countOfLimitText } from "../../../core/cast/failure-text.ts";
import { MateriaIcon } from "../ui/icons.tsx";
import { modelText } from "../../../core/view/report/visit-detail.ts";
import { limitReachedText } from "../../../core/view/report/route-lines.ts";
import { capitalize } from "../ui/status.tsx";
import { renderSymbols, LineText } from "../ui/line-text.tsx";
import { eventsOfVisit } from "../../../core/history/visits.ts";
import type { TimelineVisit } from "../../../core/view/progress/playback.ts";
import { runningTurnUsage } from "../cast-replay/use-cast.ts";
import type { CastView } from "../cast-replay/use-cast-view.ts";
import { countedText, withoutCutMarks } from "../../../core/model/text.ts";
import type { VisitProps } from "./visit-panel.tsx";
import { bindSheets } from "../ui/classes.ts";
import readerSheet from "./visit.module.css";
import { eventLines } from "../../../core/view/report/event-lines.ts";

const css = bindSheets(readerSheet);

export function VisitFacts(props: VisitProps): ReactElement {
  const { visit } = props;
  const facts = [...agentFacts(props), ["Started", new Date(visit.startedAt).toLocaleTimeString("en-GB")]] as const;
  return (
    <aside className={css("side")} aria-label="About this visit" tabIndex={0}>
      <div className={css("came")}>
        <h3>How it got here</h3>
        <VisitOrigin {...props} />
      </div>
      <div className={css("came")}>
        <h3>{visit.leftBy === null ? "Where it goes next" : "Where it went"}</h3>
        {visit.leftBy === null ? <OutgoingEdges {...props} /> : <VisitDestination {...props} />}
      </div>
      <dl className={css("facts-list option-facts")}>
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd className={css("breakable")}>{value}</dd>
          </Fragment>
        ))}
      </dl>
    </aside>
  );
}

function agentFacts(props: VisitProps): readonly (readonly [name: string, value: string])[] {
  const { cast, visit } = props;
  const { graph } = cast.castFile;
  const materia = graph.materia[visit.materia];
  if (materia?.type !== "agent") return [];
  const { model, tools, thinking = "" } = materia;
  const planned = cast.castFile.rehearsal === null ? (cast.castFile.model ?? model ?? "Pi's default") : "";
  // [W34] The running turn counts too.
  const usage = visit.to === null ? addUsage(visit.usage, runningTurnUsage(cast)) : visit.usage;
  const facts = [
    ["Model", visit.model === null ? planned : modelText(visit.model)],
    ["Thinking", thinking],
    ["Tools", typeof tools === "string" ? tools : tools.tools.join(", ")],
    ["Had", equipmentNames(graph, materia).join(", ")],
    ["Tokens in", groupedText(usage.input)],
    ["Tokens out", groupedText(usage.output)],
    ["Cost", costText(usage.cost)],
    ["Repair turns", visit.repairs > 0 ? `${visit.repairs}` : ""],
  ] as const;
  return facts.filter(([, value]) => value !== "");
}

function VisitOrigin({ cast, view, visit }: VisitProps): ReactElement {
  const { graph } = cast.castFile;
  const event = visit.cameBy === null ? undefined : cast.replay.events()[visit.cameBy - 1];
  if (event?.type !== "edge_taken") return <p className={css("secondary")}>The cast begins here.</p>;
  const [reason, ...earlier] = visit.reasons;
  const openLast = (socket: string) =>
    visitOpener(
      view,
      view.allVisits.slice(0, visit.index).findLast((each) => each.socket === socket),
    );
  return (
    <>
      <TakenEdge graph={graph} to={event.from} event={event} onGo={openLast(event.from)} />
      {reason !== undefined && (
        <div className={css("note rework")}>
          <StepButton onGo={openLast(reason.socket)}>{visitLabel(reason.socket, reason.materia)}</StepButton>
          {`: ${withoutCutMarks(reason.text)}`}
        </div>
      )}
      {earlier.length > 0 && (
        <details>
          <summary>{countedText(earlier.length, "earlier reason")}</summary>
          {earlier.map((each, index) => (
            // The index is the key: lines may repeat.
            <div key={index} className={css("note")}>
              {`${visitLabel(each.socket, each.materia)}: ${withoutCutMarks(each.text)}`}
            </div>
          ))}
        </details>
      )}
    </>
  );
}

function visitOpener(view: CastView, visit: TimelineVisit | undefined): (() => void) | undefined {
  return visit && (() => view.goToVisit(visit.index));
}

/** Only a text without a visit to open. */
function StepButton(props: { readonly onGo: (() => void) | undefined; readonly children: ReactNode }): ReactElement {
  const { onGo, children } = props;
  if (!onGo) return <>{children}</>;
  return (
    <button type="button" className={css("step-button")} onClick={onGo}>
      {children}
    </button>
  );
}

function VisitDestination({ cast, view, visit }: VisitProps): ReactElement | null {
  const event = visit.leftBy === null ? undefined : cast.replay.events()[visit.leftBy - 1];
  if (event?.type === "limit_reached")
    return <div className={css("note bad")}>{capitalize(limitReachedText(event))}</div>;
  if (event?.type !== "edge_taken") return null;
  const next = view.allVisits[visit.index + 1];
  const onGo = next?.socket === event.to ? visitOpener(view, next) : undefined;
  const { graph, window } = cast.castFile;
  return <TakenEdge graph={graph} to={event.to} event={event} onGo={onGo} isItem={window !== undefined} />;
}

function TakenEdge(props: {
  readonly graph: Graph;
  readonly to: string;
  readonly event: EventOf<"edge_taken">;
  readonly onGo: (() => void) | undefined;
  /** In the cast of an item, which ends when the item is done. */
  readonly isItem?: boolean;
}): ReactElement {
  const { graph, to, event, onGo, isItem = false } = props;
  const socket = socketOf(graph, event.from);
  const limit = event.via === "edge" && !event.then ? socket.edges[event.index ?? -1]?.maxTraversals : undefined;
  const unconditionalText = isItem
    ? "the item is done"
    : socket.edges.length === 0
      ? "it has no edges"
      : "no edge matched";
  return (
    <div className={css("row wrap step")}>
      <StepButton onGo={onGo}>
        <SocketLabel graph={graph} to={to} />
      </StepButton>
      <span className={css(CONDITION_TONES[event.when ?? "always"])}>
        {event.via === "exit" ? "exit · " : event.then ? "used up · " : ""}
        {event.when === null ? unconditionalText : renderSymbols(conditionText(event.when))}
      </span>
      {limit !== undefined && <span className={css("faint")}>{countOfLimitText(event.traversal, limit)}</span>}
    </div>
  );
}

const CONDITION_TONES = { always: "faint", satisfied: "tone-good", not_satisfied: "tone-rework" } as const;

function SocketLabel({ graph, to }: { readonly graph: Graph; readonly to: string }): ReactElement {
  const socket = graph.sockets[to];
  if (!socket) return <span>{to}</span>;
  return (
    <>
      <MateriaIcon materia={graph.materia[socket.materia]} size="sm" />
      <span>{`${socket.id} ${socket.materia}`}</span>
    </>
  );
}

function OutgoingEdges({ cast, visit }: VisitProps): ReactElement {
  const { graph } = cast.castFile;
  const socket = socketOf(graph, visit.socket);
  if (socket.edges.length === 0) return <p className={css("secondary")}>{END}</p>;
  return (
    <ul>
      {socket.edges.map(({ when, to, maxTraversals, then }, index) => (
        // The index is the key: an edge may repeat.
        <li key={`${when} ${to} ${index}`} className={css("row wrap step")}>
          <SocketLabel graph={graph} to={to} />
          <span className={css(CONDITION_TONES[when])}>{renderSymbols(conditionText(when))}</span>
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

const LINE_WIDTH = 400;

export function RouteTab(props: VisitProps): ReactElement {
  const { cast, visit } = props;
  const events = eventsOfVisit(cast.replay.events(), visit).filter(({ type }) => ROUTE_EVENTS.has(type));
  return (
    <div className={css("output")} tabIndex={0} role="region" aria-label="Route">
      {events.length === 0 && (
        <>
          <p className={css("faint")}>The visit is not over. It may go on:</p>
          <OutgoingEdges {...props} />
        </>
      )}
      {events.map((event) => {
        const before = cast.replay.timelineAt(event.seq - 1).state;
        return (
          <ul key={event.seq} className={css("reasons")}>
            {eventLines(before, event, LINE_WIDTH).map((line, index) => (
              // The index is the key: lines never move.
              <li key={index}>
                <LineText line={line} />
              </li>
            ))}
          </ul>
        );
      })}
    </div>
  );
}

const ROUTE_EVENTS: ReadonlySet<string> = new Set([
  "cursor_advanced",
  "item_given_up",
  "loop_exhausted",
  "edge_taken",
  "limit_reached",
]);
