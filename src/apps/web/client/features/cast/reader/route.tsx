import type { ReactElement } from "react";
import { eventLines } from "../../../../../../core/view/tell/event.ts";
import { LineText } from "../../../parts/marks/words.tsx";
import { OutgoingEdges } from "./facts.tsx";
import type { VisitProps } from "./reader.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import readerSheet from "./reader.module.css";

const routeCss = bindClassNames(readerSheet, baseSheet);

const LINE_WIDTH = 400;

/** Which way the cast went on from here, and why not each other one. */
export function RouteTab(props: VisitProps): ReactElement {
  const { cast, visit } = props;
  const events = cast.replay
    .events()
    .slice(visit.firstSeq - 1, visit.lastSeq)
    .filter(({ type }) => ROUTE_EVENTS.has(type));
  return (
    <div className={routeCss("output")} tabIndex={0} role="region" aria-label="Route">
      {events.length === 0 && (
        <>
          <p className={routeCss("faint")}>The visit is not over. It may go on:</p>
          <OutgoingEdges {...props} />
        </>
      )}
      {events.map((event) => {
        const before = cast.replay.timelineAt(event.seq - 1).state;
        return (
          <ul key={event.seq} className={routeCss("reasons")}>
            {eventLines(before, event, LINE_WIDTH).map((line, index) => (
              // The lines of one event have no identity but their order.
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
