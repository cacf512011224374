import { useMemo, useState } from "react";
import type { ReactElement } from "react";
import type { CastEvent } from "../../../../../../core/cast/state/event.ts";
import { eventWords } from "../../../../../../core/view/tell/event-line.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { Words } from "../../../parts/marks/words.tsx";
import type { TimelineProps } from "./panel.tsx";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import tablesSheet from "./tables.module.css";

const css = classesOf(tablesSheet, baseSheet);

const AT_ONCE = 200;

/** The events themselves, newest first; each one can be gone to. */
export function JournalPanel({ cast, view }: TimelineProps): ReactElement {
  const [shown, setShown] = useState(AT_ONCE);
  const last = cast.replay.lastSeq();
  const lines = useMemo(() => {
    const from = Math.max(0, last - shown);
    let trail = cast.replay.trailAt(from);
    return cast.replay
      .events()
      .slice(from)
      .map((event) => {
        const words = eventWords(trail.state, event);
        trail = cast.replay.trailAt(event.seq);
        return { event, words };
      })
      .toReversed();
  }, [cast.replay, last, shown]);
  return (
    <div className={css("journal")}>
      <ol reversed start={last}>
        {lines.map(({ event, words }) => (
          <li key={event.seq}>
            <button
              type="button"
              className={css(event.seq === view.seq ? "looked-at" : "")}
              onClick={() => view.goTo(event.seq)}
            >
              <span className={css("faint")}>{event.seq}</span>
              <span className={css("faint")}>{timeText(event)}</span>
              <code>{event.type}</code>
              <span className={css("cut")}>{words && <Words line={[words]} />}</span>
            </button>
          </li>
        ))}
      </ol>
      {last > shown && (
        <Button onClick={() => setShown(shown + 1_000)}>{`Show ${Math.min(1_000, last - shown)} earlier`}</Button>
      )}
    </div>
  );
}

function timeText({ at }: CastEvent): string {
  return new Date(at).toLocaleTimeString("en-GB");
}
