import type { ReactElement } from "react";
import { eventLines } from "../../../../../../core/view/tell/event.ts";
import { LineWords } from "../../../parts/marks/words.tsx";
import { WaysOn } from "./facts.tsx";
import type { VisitProps } from "./reader.tsx";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import readerSheet from "./reader.module.css";

const css = classesOf(readerSheet, baseSheet);

const WIDTH = 400;

/** Which way the cast went on from here, and why not each other one. */
export function RouteTab(props: VisitProps): ReactElement {
  const { cast, visit } = props;
  const events = cast.replay
    .events()
    .slice(visit.firstSeq - 1, visit.lastSeq)
    .filter(({ type }) => ROUTE.has(type));
  return (
    <div className={css("output")} tabIndex={0} role="region" aria-label="Route">
      {events.length === 0 && (
        <>
          <p className={css("faint")}>The visit is not over. It may go on:</p>
          <WaysOn {...props} />
        </>
      )}
      {events.map((event) => {
        const before = cast.replay.trailAt(event.seq - 1).state;
        return (
          <ul key={event.seq} className={css("reasons")}>
            {eventLines(before, event, WIDTH).map((line, index) => (
              // The lines of one event have no identity but their order.
              <li key={index}>
                <LineWords line={line} />
              </li>
            ))}
          </ul>
        );
      })}
    </div>
  );
}

const ROUTE: ReadonlySet<string> = new Set([
  "cursor_advanced",
  "item_given_up",
  "loop_exhausted",
  "edge_taken",
  "limit_reached",
]);
