import { useState, type ReactElement } from "react";
import { Button } from "../../../parts/controls/button.tsx";
import { Tabs, tabId } from "../../../parts/controls/tabs.tsx";
import type { ScreenWidth } from "../../../browser/use-width.ts";
import type { CastPanelProps, CastView } from "../state/use-cast-view.ts";
import { CostPanel } from "./cost.tsx";
import { JournalPanel } from "./journal.tsx";
import { Timeline } from "./timeline.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import marksSheet from "../../../parts/marks/marks.module.css";
import timelineSheet from "./timeline.module.css";
import tablesSheet from "./tables.module.css";

const css = bindClassNames(tablesSheet, timelineSheet, marksSheet, baseSheet);

export interface TimelineProps extends CastPanelProps {
  readonly width: ScreenWidth;
  readonly onOpen: () => void;
}

type TimelineTab = "timeline" | "cost" | "journal";

export function TimelinePanel(props: TimelineProps): ReactElement {
  const { cast, view } = props;
  const [tab, setTab] = useState<TimelineTab>("timeline");
  const [aligned, setAligned] = useState(false);
  const [bySocket, setBySocket] = useState(false);
  const [zoom, setZoom] = useState(1);
  const tabs = [
    { key: "timeline", label: "Timeline" },
    { key: "cost", label: "Cost" },
    { key: "journal", label: "Journal", count: cast.replay.lastSeq() },
  ] as const;
  return (
    <section className={css("panel time-panel")} aria-label="Timeline and cost">
      <div className={css("panel-head wrap")}>
        <Tabs name="time" label="Timeline, cost, journal" tabs={tabs} chosen={tab} onChoose={setTab} />
        <span className={css("grow")} />
        {tab === "timeline" && (
          <Button look="bare" aria-pressed={bySocket} onClick={() => setBySocket(!bySocket)}>
            By socket
          </Button>
        )}
        {tab === "timeline" && props.width !== "small" && (
          <>
            <Button
              look="bare"
              aria-pressed={aligned}
              onClick={() => setAligned(!aligned)}
              title="Each row from its own beginning"
            >
              Aligned
            </Button>
            <ZoomButtons zoom={zoom} onZoom={setZoom} off={aligned ? "Aligned rows are seen whole" : null} />
          </>
        )}
        <VisitStepButtons view={view} />
      </div>
      <div className={css("time-body")} data-scrolls role="tabpanel" aria-labelledby={tabId("time", tab)} tabIndex={0}>
        {tab === "timeline" && (
          <Timeline
            {...props}
            aligned={aligned || props.width === "small"}
            bySocket={bySocket}
            zoom={aligned || props.width === "small" ? 1 : zoom}
          />
        )}
        {tab === "cost" && <CostPanel {...props} />}
        {tab === "journal" && <JournalPanel {...props} />}
      </div>
    </section>
  );
}

const MAX_ZOOM = 4_096;

/** Closer and wider around the moment that is looked at. */
function ZoomButtons(props: {
  readonly zoom: number;
  readonly onZoom: (zoom: number) => void;
  readonly off: string | null;
}): ReactElement {
  const { zoom, onZoom, off } = props;
  return (
    <div className={css("row steps")} role="group" aria-label="Zoom">
      <Button
        look="bare"
        icon="minus"
        label="Zoom out"
        off={off ?? (zoom === 1 ? "All of it is seen" : null)}
        onClick={() => onZoom(Math.max(1, zoom / 2))}
      />
      <Button
        look="bare"
        icon="plus"
        label="Zoom in"
        off={off ?? (zoom >= MAX_ZOOM ? "This is as close as it gets" : null)}
        onClick={() => onZoom(zoom * 2)}
      />
    </div>
  );
}

/** From visit to visit, and back to now. */
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
        {isOpen ? "Live" : "Latest"}
      </Button>
    </div>
  );
}
