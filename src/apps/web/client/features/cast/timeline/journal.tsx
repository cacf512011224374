import { useRef, type ComponentProps, type ReactElement } from "react";
import type { CastEvent } from "../../../../../../core/cast/state/event.ts";
import { journalText } from "../../../../../../core/view/tell/event-line.ts";
import { useVirtualRows } from "../../../browser/use-in-sight.ts";
import { LineText } from "../../../parts/marks/words.tsx";
import type { TimelineProps } from "./panel.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import tablesSheet from "./tables.module.css";

const journalCss = bindClassNames(tablesSheet, baseSheet);

/** [W36] The events themselves, newest first; each one can be gone to, and only those in sight are drawn. */
export function JournalPanel(props: TimelineProps): ReactElement {
  const { cast, width } = props;
  const list = useRef<HTMLOListElement>(null);
  const last = cast.replay.lastSeq();
  const { indices, spaceBefore: before, spaceAfter: behind, measureRow: measure } = useVirtualRows(list, {
    count: last,
    heightOf: () => (width === "small" ? 48 : 24),
    keyOf: (index) => last - index,
    scrollContainer: width === "large" ? "panel" : "page",
  });
  return (
    <ol className={journalCss("journal")} ref={list} aria-label="Events, newest first">
      {before > 0 && <li aria-hidden="true" style={{ height: before }} />}
      {indices.map((index) => {
        const event = cast.replay.events()[last - index - 1];
        const place = { ref: measure, "data-index": index, "aria-posinset": index + 1, "aria-setsize": last };
        return event && <EventRow key={event.seq} {...props} event={event} place={place} />;
      })}
      {behind > 0 && <li aria-hidden="true" style={{ height: behind }} />}
    </ol>
  );
}

function EventRow({
  cast,
  view,
  event,
  place,
}: TimelineProps & { readonly event: CastEvent; readonly place: ComponentProps<"li"> }): ReactElement {
  return (
    <li {...place}>
      <button
        type="button"
        className={journalCss(event.seq === view.seq ? "looked-at" : "")}
        onClick={() => view.goTo(event.seq)}
      >
        <span className={journalCss("faint")}>{event.seq}</span>
        <span className={journalCss("faint")}>{eventTimeText(event)}</span>
        <code>{event.type}</code>
        <span className={journalCss("cut")}>
          <LineText line={[journalText(cast.replay.timelineAt(event.seq - 1).state, event)]} />
        </span>
      </button>
    </li>
  );
}

function eventTimeText({ at }: CastEvent): string {
  return new Date(at).toLocaleTimeString("en-GB");
}
