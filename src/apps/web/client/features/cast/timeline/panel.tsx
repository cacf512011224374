import { useState } from "react";
import type { ReactElement } from "react";
import { Button } from "../../../parts/controls/button.tsx";
import { Tabs, tabId } from "../../../parts/controls/tabs.tsx";
import { glyphs } from "../../../parts/marks/words.tsx";
import type { Width } from "../../../browser/use-width.ts";
import type { CastPartProps, CastView } from "../state/use-cast-view.ts";
import { CostPanel } from "./cost.tsx";
import { JournalPanel } from "./journal.tsx";
import { Timeline } from "./timeline.tsx";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import marksSheet from "../../../parts/marks/marks.module.css";
import timelineSheet from "./timeline.module.css";
import tablesSheet from "./tables.module.css";

const css = classesOf(tablesSheet, timelineSheet, marksSheet, baseSheet);

export interface TimelineProps extends CastPartProps {
  readonly width: Width;
  readonly onOpen: () => void;
}

type TabKey = "timeline" | "cost" | "journal";

export function TimelinePanel(props: TimelineProps): ReactElement {
  const { cast, view } = props;
  const [tab, setTab] = useState<TabKey>("timeline");
  const [aligned, setAligned] = useState(false);
  const tabs = [
    { key: "timeline", label: "Timeline" },
    { key: "cost", label: "Cost" },
    { key: "journal", label: "Journal", count: cast.replay.lastSeq() },
  ] as const;
  return (
    <section className={css("panel time-panel")} aria-label="Timeline and cost">
      <div className={css("panel-head")}>
        <Tabs name="time" label="Timeline, cost, journal" tabs={tabs} chosen={tab} onChoose={setTab} />
        <span className={css("grow")} />
        {tab === "timeline" && <TimelineKey />}
        {tab === "timeline" && props.width !== "small" && (
          <Button
            look="bare"
            aria-pressed={aligned}
            onClick={() => setAligned(!aligned)}
            title="Each row from its own beginning"
          >
            Aligned
          </Button>
        )}
        <Steps view={view} />
      </div>
      <div className={css("time-body")} role="tabpanel" aria-labelledby={tabId("time", tab)} tabIndex={0}>
        {tab === "timeline" && <Timeline {...props} aligned={aligned || props.width === "small"} />}
        {tab === "cost" && <CostPanel {...props} />}
        {tab === "journal" && <JournalPanel {...props} />}
      </div>
    </section>
  );
}

function TimelineKey(): ReactElement {
  return (
    <div className={css("time-key large-only")} aria-hidden="true">
      <span>
        <i className={css("bar")} />
        done
      </span>
      <span>
        <i className={css("bar satisfied-visit")} />
        {glyphs("✓ satisfied")}
      </span>
      <span>
        <i className={css("bar refused-visit")} />
        {glyphs("✗ not satisfied")}
      </span>
      <span>
        <i className={css("bar changed-files")} />
        changed files
      </span>
    </div>
  );
}

/** From visit to visit, and back to now. */
function Steps({ view }: { readonly view: CastView }): ReactElement {
  const here = view.visit?.index ?? 0;
  const isFirst = here <= 0 ? "This is the first visit" : null;
  const isLast = here >= view.allVisits.length - 1 ? "This is the last visit" : null;
  const isOpen = view.latest.status === "running" || view.latest.status === "waiting";
  return (
    <div className={css("row steps")} role="group" aria-label="Step through visits">
      <Button look="bare" icon="first" label="First visit" off={isFirst} onClick={() => view.goToVisit(0)} />
      <Button look="bare" icon="before" label="Previous visit" off={isFirst} onClick={() => view.step(-1)} />
      <Button look="bare" icon="after" label="Next visit" off={isLast} onClick={() => view.step(1)} />
      <Button aria-pressed={view.at === null} onClick={view.goLive}>
        {isOpen ? "Live" : "Latest"}
      </Button>
    </div>
  );
}
