import { useState, type ReactElement, useRef } from "react";
import { Button, Tabs, tabId } from "../ui/buttons.tsx";
import type { ScreenWidth } from "../browser/display.ts";
import type { CastPanelProps, CastView } from "../cast-replay/use-cast-view.ts";
import { CostPanel } from "./cost-panel.tsx";
import { Timeline } from "./timeline.tsx";
import { bindSheets } from "../ui/classes.ts";
import timelineSheet from "./timeline.module.css";
import tablesSheet from "./cost-and-journal.module.css";
import { journalText } from "../../../core/view/report/event-lines.ts";
import { useVirtualRows } from "../browser/use-virtual-rows.ts";
import { LineText } from "../ui/line-text.tsx";

const css = bindSheets(tablesSheet, timelineSheet);

export interface TimelineProps extends CastPanelProps {
  readonly width: ScreenWidth;
  readonly onOpen: () => void;
}

export function TimelinePanel(props: TimelineProps): ReactElement {
  const [tab, setTab] = useState<"timeline" | "cost" | "journal">("timeline");
  const [aligned, setAligned] = useState(false);
  const [bySocket, setBySocket] = useState(false);
  const [zoom, setZoom] = useState(1);
  const isAligned = aligned || props.width === "small";
  const tabs = [
    { key: "timeline", label: "Timeline" },
    { key: "cost", label: "Cost" },
    { key: "journal", label: "Journal", count: props.cast.replay.lastSeq() },
  ] as const;
  return (
    <section className={css("panel time-panel")} aria-label="Timeline and cost">
      <div className={css("panel-head wrap")}>
        <Tabs name="time" label="Timeline, cost, journal" tabs={tabs} chosen={tab} onChoose={setTab} />
        <span className={css("grow")} />
        {tab === "timeline" && (
          <Button look="bare" aria-pressed={bySocket} onClick={() => setBySocket(!bySocket)}>
            Group by socket
          </Button>
        )}
        {tab === "timeline" && props.width !== "small" && (
          <Button
            look="bare"
            aria-pressed={aligned}
            onClick={() => setAligned(!aligned)}
            title="Start every row at zero"
          >
            Align rows
          </Button>
        )}
        {tab === "timeline" && !isAligned && (
          <div className={css("row steps")} role="group" aria-label="Zoom of the timeline">
            <Button
              look="bare"
              icon="minus"
              label="Zoom out"
              off={zoom === 1 ? "The whole cast is visible" : null}
              onClick={() => setZoom(zoom / 2)}
            />
            <Button
              look="bare"
              icon="plus"
              label="Zoom in"
              off={zoom >= MAX_ZOOM ? "This is the largest zoom" : null}
              onClick={() => setZoom(zoom * 2)}
            />
          </div>
        )}
        <VisitStepButtons view={props.view} />
      </div>
      <div className={css("time-body")} data-scrolls role="tabpanel" aria-labelledby={tabId("time", tab)} tabIndex={0}>
        {tab === "timeline" && <Timeline {...props} aligned={isAligned} bySocket={bySocket} zoom={zoom} />}
        {tab === "cost" && <CostPanel {...props} />}
        {tab === "journal" && <JournalPanel {...props} />}
      </div>
    </section>
  );
}

const MAX_ZOOM = 4_096;

function VisitStepButtons({ view }: { readonly view: CastView }): ReactElement {
  const here = view.visit?.index ?? 0;
  const isFirst = here <= 0 ? "This is the first visit" : null;
  const isLast = here >= view.allVisits.length - 1 ? "This is the last visit" : null;
  const isOpen = view.latest.status === "running" || view.latest.status === "waiting";
  return (
    <div className={css("row steps")} role="group" aria-label="Step through visits">
      <Button look="bare" icon="first" label="First visit" off={isFirst} onClick={() => view.goToVisit(0)} />
      <Button look="bare" icon="before" label="Previous visit" off={isFirst} onClick={() => view.stepVisit(-1)} />
      <Button look="bare" icon="after" label="Next visit" off={isLast} onClick={() => view.stepVisit(1)} />
      <Button aria-pressed={view.at === null} onClick={view.goLive}>
        {isOpen ? "Follow live" : "Show the latest"}
      </Button>
    </div>
  );
}

/** [W36] The events, newest first. A click shows that moment; only visible rows are drawn. */
function JournalPanel({ cast, view, width }: TimelineProps): ReactElement {
  const list = useRef<HTMLOListElement>(null);
  const last = cast.replay.lastSeq();
  const { indices, spaceBefore, spaceAfter } = useVirtualRows(list, {
    count: last,
    heightOf: () => (width === "small" ? 48 : 24),
    keyOf: (index) => last - index,
    scrollContainer: width === "large" ? "panel" : "page",
  });
  return (
    <ol className={css("journal")} ref={list} aria-label="Events, newest first">
      {spaceBefore > 0 && <li aria-hidden="true" style={{ height: spaceBefore }} />}
      {indices.map((index) => {
        const event = cast.replay.events()[last - index - 1];
        if (!event) return null;
        const { seq, at, type } = event;
        return (
          <li key={seq} data-index={index} aria-posinset={index + 1} aria-setsize={last}>
            <button type="button" className={css(seq === view.seq ? "looked-at" : "")} onClick={() => view.goTo(seq)}>
              <span className={css("faint")}>{seq}</span>
              <span className={css("faint")}>{new Date(at).toLocaleTimeString("en-GB")}</span>
              <code>{type}</code>
              <span className={css("cut")}>
                <LineText line={[journalText(cast.replay.timelineAt(seq - 1).state, event)]} />
              </span>
            </button>
          </li>
        );
      })}
      {spaceAfter > 0 && <li aria-hidden="true" style={{ height: spaceAfter }} />}
    </ol>
  );
}
